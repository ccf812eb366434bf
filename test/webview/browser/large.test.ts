import assert from "node:assert/strict";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const steps = 40;

/** A chat with an answer that is being written, and its next deltas. */
function streaming(words: string, delta: (index: number) => string): { first: HostMessage; posts: string[] } {
  const log = recording();
  const main = log.agent("main");
  const messageId = log.streaming(main, words);
  const first = log.chat();
  const posts = Array.from({ length: steps }, (_, index) => {
    const seq = log.lastSeq;
    const next = { type: "text_delta" as const, index: 0, delta: delta(index) };
    log.event(main, { type: "message_update", messageId, delta: next });
    return JSON.stringify(log.since(seq));
  });
  return { first, posts };
}

/** Processor milliseconds of the page for what `run` does there. */
async function spent({ page }: PanelPage, run: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  const before = await read();
  await run();
  const taken = await read();
  await session.detach();
  return (taken - before) * 1_000;
}

/** Each post in a frame of its own. */
function frames(panel: PanelPage, posts: readonly string[]): Promise<void> {
  return panel.page.evaluate(async (texts) => {
    for (const data of texts) {
      window.dispatchEvent(new MessageEvent("message", { data }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, posts);
}

describe("what is larger than anybody reads", function () {
  this.timeout(60_000);
  const show = usePanel();

  async function costOf(words: string, delta: (index: number) => string): Promise<number> {
    const { first, posts } = streaming(words, delta);
    const panel = await show([first]);
    const cost = await spent(panel, () => frames(panel, posts));
    assert.deepEqual(panel.problems, []);
    return cost;
  }

  it("is written on as quickly as what is short: code of ten thousand lines", async () => {
    const code = (lines: number) => `\`\`\`ts\n${"const value = read(1);\n".repeat(lines)}`;
    const short = await costOf(code(100), (index) => `const more${index} = 1;\n`);
    const long = await costOf(code(10_000), (index) => `const more${index} = 1;\n`);
    assert.ok(long < 8 * short, `${long} ms instead of ${short} ms`);
  });

  it("is written on as quickly as what is short: an answer of two thousand blocks", async () => {
    const blocks = (count: number) => "Some **words** of a block.\n\n".repeat(count);
    const short = await costOf(blocks(50), (index) => ` and \`more\` ${index}`);
    const long = await costOf(blocks(2_000), (index) => ` and \`more\` ${index}`);
    assert.ok(long < 8 * short, `${long} ms instead of ${short} ms`);
  });

  it("can be a line without an end, in code and in words", async () => {
    for (const line of [`\`\`\`js\n${"x".repeat(200_000)}`, "y".repeat(200_000), `${"**z** ".repeat(20_000)}`]) {
      const { first, posts } = streaming(line, () => " more");
      const panel = await show([first]);
      await frames(panel, posts.slice(0, 5));
      await panel.drawn();
      const shown = await panel.page.locator("[role=log] article").textContent();
      assert.ok((shown?.length ?? 0) > 20_000);
      assert.deepEqual(panel.problems, []);
    }
  });

  it("can be pasted: a million letters, and typing goes on as in a plain field", async () => {
    const panel = await show([recording().chat()]);
    const { page } = panel;
    const composer = page.getByRole("textbox", { name: "Ask Agent" });
    await page.evaluate(() => {
      const plain = document.createElement("textarea");
      plain.id = "plain";
      document.body.append(plain);
    });
    const typed = async (field: ReturnType<typeof page.locator>): Promise<number> => {
      await field.focus();
      await page.evaluate((length) => document.execCommand("insertText", false, "word ".repeat(length / 5)), 1_000_000);
      return spent(panel, () => field.pressSequentially("typed on"));
    };
    const plain = await typed(page.locator("#plain"));
    await page.locator("#plain").evaluate((element) => element.remove());
    const ours = await typed(composer);
    assert.ok(ours < 4 * plain, `${ours} ms instead of ${plain} ms`);
    assert.equal((await composer.inputValue()).length, 1_000_008);
    assert.deepEqual(panel.problems, []);
  });
});
