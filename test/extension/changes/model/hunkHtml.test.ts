import assert from "node:assert/strict";
import { parse } from "marked";
import { changedWords } from "../../../../src/extension/changes/model/changedWords.ts";
import { hunkHtml, maxShownLines } from "../../../../src/extension/changes/model/hunkHtml.ts";

/** The texts that are marked. */
function marked(oldLines: string[], newLines: string[]) {
  const words = changedWords(oldLines, newLines);
  return {
    old: words.old.map(({ line, start, end }) => oldLines[line]?.slice(start, end)),
    new: words.new.map(({ line, start, end }) => newLines[line]?.slice(start, end)),
  };
}

/** What a reader sees of HTML. */
const textOf = (html: string) =>
  html
    .replaceAll("<br>", "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

const htmlOf = (oldLines: string[], newLines: string[], isHighContrast = false) =>
  hunkHtml(newLines, { words: changedWords(oldLines, newLines), isHighContrast });

describe("the words that a hunk changes", () => {
  it("are those that differ on either side", () => {
    assert.deepEqual(marked(["const width = 48;"], ["const width = 60;"]), { old: ["48"], new: ["60"] });
  });

  it("are one range with the blanks between them", () => {
    assert.deepEqual(marked(["return the old sum of it;"], ["return a new total of it;"]), {
      old: ["the old sum"],
      new: ["a new total"],
    });
  });

  it("are found in the line that they moved to", () => {
    assert.deepEqual(marked(["a(one, two);"], ["a(", "  one,", "  three", ");"]).new.includes("three"), true);
  });

  it("are none where lines are only added or removed", () => {
    assert.deepEqual(marked([], ["one two"]), { old: [], new: [] });
    assert.deepEqual(marked(["one two"], []), { old: [], new: [] });
  });

  it("are none where the lines have little in common", () => {
    assert.deepEqual(marked(["let sum = 0;"], ["return cart.items.reduce(add)"]), { old: [], new: [] });
  });
});

describe("the new lines of a hunk in the editor", () => {
  it("have a plus, and are all of the text as it is", () => {
    const lines = ["  if (a < b && c) {", '    $(document).say("<b>");', "", "  }"];
    assert.equal(textOf(htmlOf([], lines)), lines.map((line) => `+ ${line}`).join("\n"));
  });

  it("have nothing in them that markdown, HTML or an icon could be made of", () => {
    const html = htmlOf([], ["</code>**x** $(check) `y` <img src=x>", "", "# __z__ https://x.org \\* [a](b)"]);
    assert.doesNotMatch(html, /<(?!\/?(?:div|code|span)\b|wbr|br)|\$\(/);
    assert.equal(parse(html), html);
  });

  it("14 have nothing in them that can't be seen", () => {
    const html = htmlOf([], ["isAdmin\u202e\u2066 \u200b// x", "\treturn;"]);
    assert.equal(textOf(html), "+ isAdmin⟨U+202E⟩⟨U+2066⟩ ⟨U+200B⟩// x\n+     return;");
  });

  it("have a background, and their changed words another one", () => {
    const html = htmlOf(["const width = 48;"], ["const width = 60;"]);
    assert.match(html, /insertedTextBackground\);">60<\/span>/);
    assert.match(html, /insertedLineBackground\);">width <\/span>/);
  });

  it("have their changed words underlined where the theme has no such background", () => {
    assert.match(htmlOf(["const width = 48;"], ["const width = 60;"], true), /<ins><span [^>]*>60<\/span>/);
  });

  it("can be broken within a word that no width has room for", () => {
    const long = "x".repeat(200);
    const html = htmlOf([], [long]);
    const longest = Math.max(...[...html.matchAll(/>(x+)</g)].map(([, piece = ""]) => piece.length));
    assert.ok(longest <= 24, `${longest}`);
    assert.equal(textOf(html), `+ ${long}`);
  });

  it("are at most a dozen, each of a length that can be read", () => {
    const html = htmlOf([], [..."a".repeat(60)]);
    assert.equal(textOf(html).split("\n").length, maxShownLines);
    assert.ok(textOf(htmlOf([], ["y".repeat(10_000)])).length < 500);
  });
});
