import assert from "node:assert/strict";
import * as fc from "fast-check";
import { applyHunks, diffLines } from "../../../../src/extension/changes/model/diffLines.ts";
import { splitPieces } from "../../../../src/extension/changes/model/pieces.ts";

const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "");
const line = fc.tuple(fc.constantFrom("", "a", "b", "  c", "}", "long line"), lineEnd).map(([text, end]) => text + end);
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join(""));

describe("diffLines", () => {
  it("gives hunks that turn one text into the other byte for byte", () => {
    return fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(applyHunks(before, diffLines(before, after)), after);
      }),
      { numRuns: 1000 },
    );
  });

  it("changes nothing when no hunk is applied", () => {
    return fc.assert(
      fc.property(text, (before) => {
        assert.equal(applyHunks(before, []), before);
      }),
    );
  });

  it("lets any subset of hunks change its own lines only", () => {
    return fc.assert(
      fc.property(text, text, fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), (before, after, picks) => {
        const hunks = diffLines(before, after);
        const pieces = splitPieces(before);
        let done = 0;
        let expected = "";
        for (const [index, hunk] of hunks.entries()) {
          expected += pieces.slice(done, hunk.oldStart - 1).join("");
          expected += picks[index] ? hunk.newText : hunk.oldText;
          done = hunk.oldStart - 1 + hunk.oldLines.length;
        }
        expected += pieces.slice(done).join("");
        assert.equal(
          applyHunks(
            before,
            hunks.filter((_, index) => picks[index]),
          ),
          expected,
        );
      }),
      { numRuns: 500 },
    );
  });

  it("keeps an equal line between two hunks and counts the lines of both sides", () => {
    return fc.assert(
      fc.property(text, text, (before, after) => {
        const [old, now] = [splitPieces(before), splitPieces(after)];
        let previous = { oldEnd: 0, newEnd: 0 };
        for (const [index, hunk] of diffLines(before, after).entries()) {
          assert.ok(hunk.oldLines.length + hunk.newLines.length > 0);
          assert.equal(hunk.oldStart - previous.oldEnd, hunk.newStart - previous.newEnd);
          if (index > 0) assert.ok(hunk.oldStart - previous.oldEnd > 1);
          assert.equal(old.slice(hunk.oldStart - 1, hunk.oldStart - 1 + hunk.oldLines.length).join(""), hunk.oldText);
          assert.equal(now.slice(hunk.newStart - 1, hunk.newStart - 1 + hunk.newLines.length).join(""), hunk.newText);
          previous = {
            oldEnd: hunk.oldStart - 1 + hunk.oldLines.length,
            newEnd: hunk.newStart - 1 + hunk.newLines.length,
          };
        }
      }),
      { numRuns: 500 },
    );
  });

  it("touches no more lines than a shortest edit", () => {
    return fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffLines(before, after);
        const touched = hunks.reduce((sum, hunk) => sum + hunk.oldLines.length + hunk.newLines.length, 0);
        assert.equal(touched, shortestEdit(splitPieces(before), splitPieces(after)));
      }),
      { numRuns: 500 },
    );
  });

  it("shows a changed line end as a hunk whose lines are equal", () => {
    const [hunk, ...others] = diffLines("a\r\nb\r\nc\r\n", "a\r\nb\nc\r\n");
    assert.deepEqual(others, []);
    assert.deepEqual(hunk, {
      oldStart: 2,
      oldLines: ["b"],
      oldText: "b\r\n",
      newStart: 2,
      newLines: ["b"],
      newText: "b\n",
    });
  });

  it("shows a final newline that goes", () => {
    const [hunk] = diffLines("a\nb\n", "a\nb");
    assert.equal(hunk?.oldText, "b\n");
    assert.equal(hunk?.newText, "b");
  });

  it("places an added function between its neighbours, not across them", () => {
    const before = "function a() {\n  one();\n}\n\nfunction b() {\n  two();\n}\n";
    const after = "function a() {\n  one();\n}\n\nfunction n() {\n  new();\n}\n\nfunction b() {\n  two();\n}\n";
    const [hunk, ...others] = diffLines(before, after);
    assert.deepEqual(others, []);
    assert.deepEqual(hunk?.newLines, ["function n() {", "  new();", "}", ""]);
    assert.equal(hunk?.oldStart, 5);
  });

  it("places an added statement inside its block", () => {
    const before = "if (a) {\n  one();\n}\nlast();\n";
    const after = "if (a) {\n  one();\n}\nif (b) {\n  two();\n}\nlast();\n";
    assert.deepEqual(diffLines(before, after)[0]?.newLines, ["if (b) {", "  two();", "}"]);
  });

  it("refuses a hunk on a text it was not made for", () => {
    assert.throws(() => applyHunks("other\n", diffLines("a\n", "b\n")), /line 1/);
  });
});

describe("diffLines on a file of 50,000 lines", () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index % 20_000} of ${index}\n`);
  const whole = lines.join("");
  const cases: [string, string, number][] = [
    ["one changed line", lines.with(25_000, "changed\n").join(""), 1],
    ["every hundredth line changed", lines.map((item, index) => (index % 100 ? item : `new ${index}\n`)).join(""), 500],
    ["nothing in common", lines.map((item) => `other ${item}`).join(""), 1],
  ];
  for (const [name, after, hunks] of cases) {
    it(`finds ${hunks} hunk(s) with ${name}`, () => {
      assert.equal(diffLines(whole, after).length, hunks);
    });
  }

  it("turns a shuffled file into the other within the search limit", () => {
    const shuffled = lines.map((_, index) => lines[(index * 30_011) % lines.length]).join("");
    assert.equal(applyHunks(whole, diffLines(whole, shuffled)), shuffled);
  }).timeout(120_000);
});

/** Length of a shortest edit by the table everyone trusts: inserted plus removed. */
function shortestEdit(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, item] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries()) {
      const least = Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next.push(item === other ? Math.min(least, row[j] ?? 0) : least);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
