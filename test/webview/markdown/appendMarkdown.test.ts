import assert from "node:assert/strict";
import fc from "fast-check";
import { appendMarkdown } from "../../../src/webview/markdown/appendMarkdown.ts";
import { emptyMarkdown, type ParsedMarkdown, parseMarkdown } from "../../../src/webview/markdown/parse.ts";
import type { Block } from "../../../src/webview/markdown/structure.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";

const blocksOf = (parsed: ParsedMarkdown): Block[] => parsed.blocks.map(({ block }) => block);

/** All that can mean something, in one letter or a few, between words that mean nothing. */
const pieces = [
  ...["word", " and ", "more, or. less", "é", "(so)", "12", "1.", "- ", "* ", "+ ", "> ", "# ", " #", "=", "-", "---"],
  ...["\n", "\n\n", "  \n", " ", "  ", "    ", "\t", "`", "```", "```ts\n", "~~~", "~", "*", "**", "_", "__", "~~"],
  ...[
    "[",
    "]",
    "](",
    ")",
    ' "title")',
    "[x] ",
    "[ ] ",
    "!",
    "<",
    ">",
    "<b>",
    "<https://a.b>",
    "&",
    "amp",
    ";",
    "&amp;",
  ],
  ...["www", "www.", "http", "https:", "//", "a.b", "@", "me@", "\\", "|", "| a | b |\n|--|--|\n", ":--", "[d]: x.y\n"],
];
/** Few kinds at a time, so that each meets each in every order. */
const texts = fc
  .shuffledSubarray(pieces, { minLength: 2, maxLength: 6 })
  .chain((some) => fc.array(fc.constantFrom("word", ...some), { maxLength: 16 }));

describe("markdown that goes on by a few words", function () {
  this.timeout(timeLimitMs(60_000));

  it("is at each moment what taking the last block apart again would make of it", () => {
    fc.assert(
      fc.property(texts, (cut) => {
        let grown = emptyMarkdown;
        let parsed = emptyMarkdown;
        let text = "";
        for (const more of cut) {
          text += more;
          grown = appendMarkdown(text, more, grown).parsed;
          parsed = parseMarkdown(text, parsed);
          assert.deepEqual(blocksOf(grown), blocksOf(parsed));
        }
      }),
      tries("markdownGrowth"),
    );
  });

  it("says which words were added, so that they can be appended as they are", () => {
    const shown = new Map<string, number>();
    fc.assert(
      fc.property(texts, (cut) => {
        let parsed = emptyMarkdown;
        let text = "";
        for (const more of cut) {
          text += more;
          const grown = appendMarkdown(text, more, parsed);
          if (grown.appended !== undefined) {
            const { ending, added } = grown.appended;
            assert.ok(shownText(parsed.blocks.at(-1)?.block).endsWith(ending));
            assert.equal(shownText(grown.parsed.blocks.at(-1)?.block), shownText(parsed.blocks.at(-1)?.block) + added);
            assert.equal(grown.parsed.blocks.length, parsed.blocks.length);
            shown.set(added, 1);
          }
          parsed = grown.parsed;
        }
      }),
      { numRuns: 1_000 },
    );
    assert.ok(shown.size > 10);
  });

  it("takes nothing apart while words follow words", () => {
    let text = "# Title\n\n- first\n- the second one says";
    let parsed = parseMarkdown(text);
    for (const more of [" what", " changes,", " and (5 times)", " why", ".", " It's", " so", " "]) {
      text += more;
      const grown = appendMarkdown(text, more, parsed);
      assert.ok(grown.appended !== undefined, more);
      parsed = grown.parsed;
    }
    assert.deepEqual(blocksOf(parsed), blocksOf(parseMarkdown(text)));
  });

  it("is no heading any more where a word follows a line that underlined one", () => {
    const before = "**Title**---\n---";
    const grown = appendMarkdown(`${before}word`, "word", parseMarkdown(before)).parsed;
    assert.deepEqual(blocksOf(grown), blocksOf(parseMarkdown(`${before}word`)));
    assert.equal(grown.blocks[0]?.block.type, "paragraph");
  });

  it("belongs to an address that goes on behind marks", () => {
    const before = "www.word__!__!";
    const grown = appendMarkdown(`${before}word`, "word", parseMarkdown(before)).parsed;
    assert.deepEqual(blocksOf(grown), blocksOf(parseMarkdown(`${before}word`)));
  });

  it("appends code as it comes, also where it holds marks", () => {
    let text = "```ts\nconst a";
    let parsed = parseMarkdown(text);
    for (const more of [" = `b`;\n", "\n", "  **c**", " < d;\n", "}"]) {
      text += more;
      const grown = appendMarkdown(text, more, parsed);
      assert.ok(grown.appended !== undefined, more);
      parsed = grown.parsed;
    }
    assert.deepEqual(blocksOf(parsed), blocksOf(parseMarkdown(text)));
  });

  it("parses again when more is not the next part of the text", () => {
    const before = parseMarkdown("one two");
    const { parsed, appended } = appendMarkdown("one two three four", " four", before);
    assert.equal(appended, undefined);
    assert.deepEqual(blocksOf(parsed), blocksOf(parseMarkdown("one two three four")));
  });
});

/** The words of a block's end, as far as they are text. */
function shownText(block: Block | undefined): string {
  switch (block?.type) {
    case "code":
      return block.text;
    case "quote":
      return shownText(block.blocks.at(-1));
    case "list":
      return shownText(block.items.at(-1)?.blocks.at(-1));
    case "paragraph":
    case "heading": {
      const last = block.children.at(-1);
      return last?.type === "text" ? last.text : "";
    }
    default:
      return "";
  }
}
