import assert from "node:assert/strict";
import { scenes } from "../gallery/scenes.ts";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const tries = 5_000;
/** As many arrive between two frames. */
const perFrame = 50;

interface Fuzz {
  messages: readonly string[];
  tries: number;
  perFrame: number;
  seed: number;
}

/**
 * Runs in the page: posts messages of the host in any order, some of them cut off, most of them with entries of their
 * log taken away, doubled or in another order. Answers how many of them were posted.
 */
async function post({ messages, tries, perFrame, seed }: Fuzz): Promise<number> {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };

  function disordered(json: string): string {
    const message: { entries?: unknown[] } = JSON.parse(json);
    if (message.entries === undefined) return json;
    const entries = [...message.entries];
    for (let changes = 1 + random(9); changes > 0 && entries.length > 0; changes--) {
      const index = random(entries.length);
      switch (random(4)) {
        case 0:
          entries.splice(index, 1);
          break;
        case 1:
          entries.splice(index, 0, entries[random(entries.length)]);
          break;
        case 2:
          entries.splice(random(entries.length), 0, ...entries.splice(index, 1 + random(20)));
          break;
        default:
          entries.reverse();
      }
    }
    return JSON.stringify({ ...message, entries });
  }

  function text(): string {
    const json = messages[random(messages.length)] ?? "";
    const kind = random(20);
    if (kind === 0) return json.slice(0, random(json.length));
    return kind < 4 ? json : disordered(json);
  }

  let posted = 0;
  while (posted < tries) {
    for (let index = 0; index < perFrame && posted < tries; index++) {
      window.dispatchEvent(new MessageEvent("message", { data: text() }));
      posted++;
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return posted;
}

describe("messages of the host that are cut off, lost, doubled or out of order", function () {
  this.timeout(180_000);
  const show = usePanel();

  it(`leave the panel up, in whatever order ${tries} of them come`, async () => {
    const panel = await show("running");
    const made = Object.values(scenes).flatMap((scene) => {
      const { messages, answers = [] } = scene();
      return [...messages, ...answers];
    });
    // Small parts as the host posts them while agents work, besides whole chats.
    const log = recording();
    const main = log.agent("main");
    const parts = ["a", "b", "c"].map((words) => {
      const from = log.lastSeq;
      log.user(main, words);
      log.streaming(main, words);
      return log.since(from);
    });
    const messages = [...made, ...parts, ...parts, ...parts].map((message) => JSON.stringify(message));
    const seed = Number(process.env.ARBOR_SOAK_SEED ?? 7);
    assert.equal(await panel.page.evaluate(post, { messages, tries, perFrame, seed }), tries);
    assert.deepEqual([...panel.problems, ...panel.dialogs, ...panel.strangeRequests], [], `seed ${seed}`);

    await panel.page.getByRole("main").waitFor();
    await panel.page.keyboard.press("Escape");
    log.host({ type: "chat_titled", title: "Still here" });
    log.answer(main, [{ type: "text", text: "And alive." }]);
    await panel.post(log.chat());
    await panel.post({ type: "focus", target: "composer" });
    await panel.drawn();
    await panel.page.getByRole("heading", { name: "Still here" }).waitFor();
    await panel.page.getByRole("article", { name: "main" }).getByText("And alive.").waitFor();
    await panel.page.getByRole("textbox", { name: "Ask Agent" }).fill("Hello");
    await panel.page.keyboard.press("Enter");
    assert.equal((await panel.intents()).findLast(({ type }) => type === "send")?.type, "send");
  });
});
