import assert from "node:assert/strict";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { longAnswer } from "../gallery/longAnswer.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { type Recording, recording, text } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** Marks that are undone, done and mistaken for others while they arrive in parts. */
const restless = [
  "See http://a.b/c?d and www.example.com, me@a.b too.",
  "foo *bar* baz **b** `c` ~~d~~ &amp; <b>e</b> [f](g.ts) \\* _h_i",
  "title\n---\n\nnext\n===\n\n1. one\n2. two\n\n   still two\n- [x] done\n- [ ] not\n> quoted\nlazily\n\n---",
  "```ts\nconst a = `b`;\n\n\nlet c;\n```\n\nafter ```js no``` and\n\n~~~\n```\n~~~\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n| **c** | `d` |\n\nSee [the docs][d].\n\n[d]: https://example.com/docs\n\nEnd.",
].join("\n\n");

/** An answer's deltas, one post each. */
function deltas(log: Recording, main: ReturnType<Recording["agent"]>, words: string, size: number): HostMessage[] {
  const messageId = log.streaming(main, "");
  const posts: HostMessage[] = [];
  for (let start = 0; start < words.length; start += size) {
    const seq = log.lastSeq;
    const delta = words.slice(start, start + size);
    log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } });
    posts.push(log.since(seq));
  }
  return posts;
}

/** Each in a frame of its own, as they come from a model. */
async function postByFrame(panel: PanelPage, posts: readonly HostMessage[]): Promise<void> {
  await panel.page.evaluate(
    async (texts) => {
      for (const data of texts) {
        window.dispatchEvent(new MessageEvent("message", { data }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    },
    posts.map((post) => JSON.stringify(post)),
  );
  await panel.drawn();
}

/** Without the colours of code, which come in idle moments. */
async function htmlOf({ page }: PanelPage): Promise<string> {
  const html = await page.locator("[role=log] .markdown").evaluate((element) => element.innerHTML);
  return html.replace(/<span class="token-[a-z]+">([^<]*)<\/span>/g, "$1");
}

describe("an answer that streams in", function () {
  this.timeout(60_000);
  const show = usePanel();

  for (const size of [1, 7, 40]) {
    it(`looks like the whole answer, in pieces of ${size}`, async () => {
      const words = size === 1 ? restless : `${restless}\n\n${longAnswer}`;
      const log = recording();
      const main = log.agent("main");
      const posts = deltas(log, main, words, size);
      const first = log.entries.length - posts.length;
      const panel = await show([
        { ...log.chat(), upToSeq: first, entries: log.entries.slice(0, first) } as HostMessage,
      ]);
      await postByFrame(panel, posts);
      const whole = recording();
      whole.answer(whole.agent("main"), [text(words)]);
      const expected = await htmlOf(await show([whole.chat()]));
      assert.equal(await htmlOf(panel), expected);
    });
  }
});

describe("an edit that streams in", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("shows what the model has written so far, until the call is whole", async () => {
    const log = recording();
    const main = log.agent("main");
    const messageId = log.streaming(main, "I change it.");
    const panel = await show([log.chat()]);
    const post = async (...bodies: Parameters<typeof log.event>[1][]) => {
      const seq = log.lastSeq;
      for (const body of bodies) log.event(main, body);
      await panel.post(log.since(seq));
      await panel.drawn();
    };
    const update = (delta: object) => ({ type: "message_update", messageId, delta }) as Parameters<typeof log.event>[1];
    const args = { path: "src/a.ts", edits: [{ old_text: "let a;", new_text: "const a = 1;\nconst b = 2;" }] };
    const json = JSON.stringify(args);
    const upTo = (part: string) => json.indexOf(part) + part.length;
    const written = panel.page.locator(".written-so-far");
    await post(update({ type: "toolcall_start", index: 1, callId: "c1", toolName: "edit_file" }));
    await post(update({ type: "toolcall_delta", index: 1, delta: json.slice(0, upTo("let")) }));
    await written.filter({ hasText: /^let$/ }).waitFor();
    assert.match((await written.getAttribute("class")) ?? "", /removed/);
    await post(update({ type: "toolcall_delta", index: 1, delta: json.slice(upTo("let"), upTo("const b")) }));
    assert.equal(await written.textContent(), "const a = 1;\nconst b");
    await panel.page.getByRole("group", { name: "Edit file src/a.ts" }).waitFor();
    await post(
      update({ type: "toolcall_delta", index: 1, delta: json.slice(upTo("const b")) }),
      update({
        type: "toolcall_end",
        index: 1,
        call: { type: "toolCall", id: "c1", name: "edit_file", arguments: args },
      }),
    );
    assert.equal(await written.count(), 0);
  });
});

describe("words that are being written", function () {
  this.timeout(60_000);
  const show = usePanel();

  for (const [what, list] of [
    ["a list", "- one\n- two"],
    ["a list within one", "- one\n  - two"],
    ["a list of tasks", "- [x] one\n- [ ] two"],
  ] as const) {
    it(`have their caret in the line of the last word of ${what}, and each mark beside its words`, async () => {
      const log = recording();
      log.streaming(log.agent("main"), list);
      const { page } = await show([log.chat()]);
      const items = page.locator(".markdown.growing li:not(:has(li))");
      await items.filter({ hasText: "two" }).waitFor();
      const lines = await items.evaluateAll((all) =>
        all.map((item) => {
          const box = item.getBoundingClientRect();
          const mark = item.querySelector(".task-mark")?.getBoundingClientRect();
          const middle = box.top + box.height / 2;
          const lineHeight = Number.parseFloat(getComputedStyle(item).lineHeight);
          const besides = mark === undefined ? 0 : Math.abs(mark.top + mark.height / 2 - middle);
          return { isOneLine: box.height < 1.5 * lineHeight, besides };
        }),
      );
      const caret = await items.last().evaluate((item) => getComputedStyle(item, "::after").width);
      assert.equal(caret, "2px");
      assert.ok(lines.length > 0);
      for (const { isOneLine, besides } of lines) assert.ok(isOneLine && besides <= 2, JSON.stringify(lines));
    });
  }
});
