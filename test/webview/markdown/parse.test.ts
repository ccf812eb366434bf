import assert from "node:assert/strict";
import fc from "fast-check";
import { emptyMarkdown, type ParsedMarkdown, parseMarkdown } from "../../../src/webview/markdown/parse.ts";
import type { Block } from "../../../src/webview/markdown/structure.ts";
import { longAnswer } from "../gallery/longAnswer.ts";

const blocksOf = (parsed: ParsedMarkdown): Block[] => parsed.blocks.map(({ block }) => block);

/** As a panel does it: every piece is one more frame. */
function parseInPieces(text: string, sizes: readonly number[]): ParsedMarkdown {
  let parsed = emptyMarkdown;
  let end = 0;
  for (let turn = 0; end < text.length; turn++) {
    end = Math.min(text.length, end + (sizes[turn % sizes.length] ?? 1));
    parsed = parseMarkdown(text.slice(0, end), parsed);
  }
  return parsed;
}

const piece = fc.constantFrom(
  "word ",
  "\n",
  "\n\n",
  "- item\n",
  "  more\n",
  "1. one\n",
  "> quote\n",
  "# Title\n",
  "```ts\n",
  "```\n",
  "const a = `b`;\n",
  "---\n",
  "| a | b |\n|--|--|\n| 1 | 2 |\n",
  "**bold** ",
  "`code` ",
  "<div>\n",
  "[link](src/a.ts) ",
  "    indented\n",
  "- [x] done\n",
);

function partsOf(block: Block | undefined): readonly unknown[] {
  switch (block?.type) {
    case "list":
      return block.items;
    case "table":
      return block.rows;
    case "paragraph":
      return block.children;
    default:
      return [];
  }
}

describe("markdown that streams in", function () {
  this.timeout(120_000);

  it("ends as the same blocks as the whole text at once, however it was cut", () => {
    const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(texts, sizes, (text, cuts) => {
        assert.deepEqual(blocksOf(parseInPieces(text, cuts)), blocksOf(parseMarkdown(text)));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the identity of every block that is finished", () => {
    const before = parseMarkdown("# One\n\nfirst\n\nsecond grows");
    const after = parseMarkdown("# One\n\nfirst\n\nsecond grows on", before);
    assert.deepEqual(
      after.blocks.map((block, index) => block === before.blocks[index]),
      [true, true, false],
    );
  });

  it("keeps the identity of each part of the block that is written, too, as long as it stays the same", () => {
    for (const [text, more] of [
      ["- one **item**\n- two `items`\n- thr", "ee *it"],
      ["Some **bold** and `code` wor", "ds _and"],
      ["| a | b |\n|---|---|\n| **1** | 2 |\n| 3 | 4", " `5` |\n| 6"],
    ] as const) {
      const before = parseMarkdown(text);
      const after = parseMarkdown(text + more, before);
      const [known, now] = [partsOf(before.blocks.at(-1)?.block), partsOf(after.blocks.at(-1)?.block)];
      assert.ok(known.length > 1 && now.length >= known.length);
      for (const [index, part] of known.slice(0, -1).entries()) assert.equal(now[index], part, text);
      assert.notEqual(now[known.length - 1], known.at(-1));
      assert.deepEqual(after.blocks, parseMarkdown(text + more).blocks);
    }
  });

  it("appends to an open fence without lexing what is there", () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `const line${index} = ${index};\n`);
    let parsed = parseMarkdown(`Here it is:\n\n\`\`\`ts\n`);
    let text = parsed.text;
    for (const line of lines) {
      text += line;
      parsed = parseMarkdown(text, parsed);
    }
    parsed = parseMarkdown(`${text}\`\`\`\n\nDone.`, parsed);
    const [words, code, end] = blocksOf(parsed);
    assert.equal(words?.type, "paragraph");
    assert.deepEqual(code, { type: "code", language: "ts", text: lines.join("").trimEnd() });
    assert.equal(end?.type, "paragraph");
  });

  it("starts afresh when the text is not a continuation", () => {
    const parsed = parseMarkdown("other", parseMarkdown("# One\n\ntwo"));
    assert.deepEqual(blocksOf(parsed), [{ type: "paragraph", children: [{ type: "text", text: "other" }] }]);
  });

  it("resolves a reference whose address comes at the end", () => {
    const parsed = parseInPieces("See [the docs][d].\n\nMore words.\n\n[d]: https://example.com/docs\n", [7]);
    const [first] = blocksOf(parsed);
    assert.ok(first?.type === "paragraph");
    const target = { kind: "url", href: "https://example.com/docs" };
    assert.deepEqual(first.children[1], { type: "link", target, children: [{ type: "text", text: "the docs" }] });
  });

  it("takes everything apart that an answer usually holds", () => {
    const types = blocksOf(parseMarkdown(longAnswer)).map((block) => block.type);
    const expected = "heading paragraph list code heading quote table list rule paragraph";
    assert.equal(types.join(" "), expected);
  });

  it("leaves out no level of the outline, however deep its headings are written", () => {
    const levels = blocksOf(parseInPieces("### a\n\n# b\n\n#### c\n\n###### d\n\n## e\n\n> # f\n", [3])).map((block) =>
      block.type === "heading" ? block.level : block.type,
    );
    assert.deepEqual(levels, [1, 1, 2, 3, 2, "quote"]);
  });

  it("survives what defeats a parser", () => {
    const hostile = [
      ">".repeat(20_000),
      "[".repeat(20_000),
      "*".repeat(50_000),
      "- ".repeat(5_000),
      `${"a".repeat(1_000_000)}`,
      "`".repeat(8_000),
      "<".repeat(30_000),
      "| ".repeat(5_000),
      "\u0000\ud800\n\r\r\n",
    ];
    for (const text of hostile) {
      assert.ok(blocksOf(parseMarkdown(text)).length > 0, text.slice(0, 10));
    }
  });
});
