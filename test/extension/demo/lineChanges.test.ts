import assert from "node:assert/strict";
import fc from "fast-check";
import { editsFor, type LineChange } from "../../../src/extension/demo/lineChanges.ts";
import { wordEdits } from "../../../src/extension/demo/wordEdits.ts";
import { applyEdits } from "../../../src/extension/tools/text/replace.ts";

/** The edits as the tool makes them. */
function edited(text: string, edits: ReturnType<typeof editsFor>): string {
  const given = edits.map(({ old_text, new_text, replace_all }) => ({
    oldText: old_text,
    newText: new_text,
    replaceAll: replace_all ?? false,
  }));
  return applyEdits(text, given).text;
}

// Few different lines, so that hardly any of them is unique.
const line = fc.constantFrom("", "a", "b", "  a", "ab", "}");

describe("edits of lines", () => {
  it("change exactly the lines they are for, however much the lines repeat", () => {
    const sites = fc.array(line, { minLength: 1, maxLength: 12 }).chain((lines) =>
      fc.record({
        lines: fc.constant(lines),
        picked: fc.uniqueArray(fc.integer({ min: 1, max: lines.length }), { minLength: 1, maxLength: 3 }),
        added: fc.array(fc.constantFrom("new", "a", "other"), { minLength: 1, maxLength: 2 }),
      }),
    );
    fc.assert(
      fc.property(sites, ({ lines, picked, added }) => {
        const changes = picked.map((start): LineChange => ({ start, end: start, lines: added }));
        const expected = lines.flatMap((text, index) => (picked.includes(index + 1) ? added : [text]));
        const text = lines.join("\n");
        if (expected.join("\n") === text || text.trim() === "") return;
        assert.equal(edited(text, editsFor(lines, changes)), expected.join("\n"));
      }),
      { numRuns: 500 },
    );
  });

  it("take a removed line away with its line end", () => {
    const lines = ["one", "two", "three"];
    for (const start of [1, 2, 3]) {
      const rest = lines.filter((_, index) => index !== start - 1).join("\n");
      assert.equal(edited(lines.join("\n"), editsFor(lines, [{ start, end: start, lines: [] }])), rest);
    }
  });

  it("insert ahead of a line", () => {
    const lines = ["{", "}", "{", "}"];
    const edits = editsFor(lines, [{ start: 4, end: 3, lines: ["  x"] }]);
    assert.equal(edited(lines.join("\n"), edits), "{\n}\n{\n  x\n}");
  });
});

describe("edits of words", () => {
  it("replace each word of that name and leave the rest byte for byte", () => {
    const token = fc.constantFrom("sum", "sums", "subsum", "sum2", "$sum", "sum.x", "(sum)", " ", "=", "\n");
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 30 }), (tokens) => {
        const text = tokens.join(" ");
        const edits = wordEdits(text.split("\n"), { from: "sum", to: "total", insideWords: false });
        const expected = text.replace(/(?<![\p{L}\p{N}_$])sum(?![\p{L}\p{N}_$])/gu, "total");
        assert.equal(edits.length === 0 ? text : edited(text, edits), expected);
      }),
      { numRuns: 500 },
    );
  });
});
