import assert from "node:assert/strict";
import fc from "fast-check";
import type { PanelPage } from "../support/panelPage.ts";
import { recording, text as textPart } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const cases = 25;
const maxDeltas = 14;
const pieces = [
  ...[
    "word ",
    "and more, ",
    "**",
    "*",
    "`",
    "```ts\n",
    "```\n",
    "const a = 1;\n",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "# ",
  ],
  ...[
    "[x](https://a.b) ",
    "<b>",
    "&amp; ",
    "| a | b |\n|--|--|\n",
    "| 1 | 2 |\n",
    "  - ",
    "---\n",
    "~~",
    "\\*",
    "src/a.ts:3 ",
  ],
];
/** A text, and at which of a thousand places it is cut. */
const texts = fc.record({
  words: fc.array(fc.constantFrom(...pieces), { minLength: 4, maxLength: 40 }),
  cuts: fc.array(fc.nat(1_000), { minLength: 1, maxLength: maxDeltas - 1 }),
});

function cutUp({ words, cuts }: { words: string[]; cuts: number[] }): string[] {
  const text = `Begins. ${words.join("")}`;
  const at = [...new Set(cuts.map((cut) => Math.floor((cut * text.length) / 1_000)))].sort((one, other) => one - other);
  return [0, ...at].map((start, index) => text.slice(start, at[index])).filter((delta) => delta !== "");
}

/** The posts of an answer that is written in these pieces. */
function posts(deltas: readonly string[]): string[] {
  const log = recording();
  const main = log.agent("main");
  const [first = "", ...more] = deltas;
  const messageId = log.streaming(main, first);
  const all = [JSON.stringify(log.chat())];
  for (const delta of more) {
    const before = log.lastSeq;
    log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } });
    all.push(JSON.stringify(log.since(before)));
  }
  return all;
}

/** Shows each post, and gives the text as it is drawn in the end, with the blocks that were drawn again without need. */
function shown(
  { page }: PanelPage,
  empty: string,
  all: readonly string[],
): Promise<{ html: string; redrawn: string[] }> {
  return page.evaluate(
    async ({ empty, all }) => {
      const post = async (data: string) => {
        window.dispatchEvent(new MessageEvent("message", { data }));
        for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      };
      const blocks = () => [...(document.querySelector(".markdown")?.children ?? [])];
      const redrawn: string[] = [];
      await post(empty);
      for (const data of all) {
        const before = blocks().map((block) => ({ block, html: block.outerHTML }));
        await post(data);
        for (const [index, block] of blocks().entries()) {
          const known = before[index];
          if (known?.html === block.outerHTML && known.block !== block) redrawn.push(known.html);
        }
      }
      return { html: document.querySelector(".markdown")?.innerHTML ?? "", redrawn };
    },
    { empty, all },
  );
}

describe("markdown that is written piece by piece", function () {
  this.timeout(120_000);
  const show = usePanel();

  it("looks in the end as if it had come at once, and no finished block is drawn again on the way", async () => {
    const empty = JSON.stringify(recording().chat());
    const [streamed, whole] = [await show(), await show()];
    let compared = 0;
    for (const sample of fc.sample(texts, { numRuns: cases, seed: 7 })) {
      const deltas = cutUp(sample);
      const { html, redrawn } = await shown(streamed, empty, posts(deltas));
      assert.equal(html, (await shown(whole, empty, posts([deltas.join("")]))).html, JSON.stringify(deltas));
      assert.deepEqual(redrawn, [], JSON.stringify(deltas));
      compared += html === "" ? 0 : 1;
    }
    assert.equal(compared, cases);
    assert.deepEqual([...streamed.problems, ...whole.problems], []);
  });

  it("comes in a long chat whose older messages are drawn a few at a time, several times in each pause", async () => {
    const log = recording();
    const main = log.agent("main");
    for (let turn = 0; turn < 300; turn++) {
      log.user(main, `Question ${turn}`);
      log.answer(main, [textPart(`Part **${turn}** in \`file.ts\`.`)]);
    }
    const panel = await show();
    const { most, pauses } = await panel.page.evaluate(async (data) => {
      let most = 0;
      let pauses = 0;
      const real = window.requestIdleCallback.bind(window);
      window.requestIdleCallback = (run, options) => {
        pauses++;
        return real(run, options);
      };
      window.dispatchEvent(new MessageEvent("message", { data }));
      const count = () => document.querySelectorAll("[role=log] article").length;
      while (count() === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
      const near = count();
      // What is near the view is drawn whole; the rest in the pauses.
      let isNear = true;
      new MutationObserver((records) => {
        const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
        const rows = added.filter((node) => node instanceof HTMLElement && node.tagName === "ARTICLE").length;
        if (!isNear) most = Math.max(most, rows);
        if (rows > 0 && count() > near + 100) isNear = false;
      }).observe(document.querySelector("[role=log]") ?? document.body, { childList: true, subtree: true });
      while (count() < 600) await new Promise((resolve) => setTimeout(resolve, 5));
      return { most, pauses };
    }, JSON.stringify(log.chat()));
    assert.ok(most > 0 && most <= 5, `${most} rows at once`);
    assert.ok(pauses < 120, `${pauses} pauses were taken for 600 rows`);
    assert.deepEqual(panel.problems, []);
  });
});
