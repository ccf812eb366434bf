import assert from "node:assert/strict";
import fc from "fast-check";
import { applyHunks, diffLines } from "../../../../src/extension/changes/model/diffLines.ts";
import { applyEdits, EditError } from "../../../../src/extension/tools/text/replace.ts";
import { tries } from "../../../support/soak.ts";

const line = fc.constantFrom("", "a", "b", "  a", "\tb", "a  ", "$&", "é", "😀", "x\u0000y", "\u2028", "foo(bar)", "}");
const ending = fc.constantFrom("\n", "\r\n", "\r");
const mark = fc.constantFrom("", "\uFEFF");

/** A file whose lines each have an end of their own; the last has one or none. */
const file = fc
  .record({ mark, lines: fc.array(fc.tuple(line, ending), { maxLength: 12 }), last: line })
  .map(({ mark, lines, last }) => mark + lines.map(([text, end]) => text + end).join("") + last);

const change = fc.record({
  from: fc.nat(40),
  length: fc.nat(20),
  lines: fc.array(line, { maxLength: 4 }),
  replaceAll: fc.boolean(),
});

function normalized(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

describe("Random edits", () => {
  it("change no byte outside their hunks and make the text that was asked for", () => {
    const edits = tries("edits");
    let applied = 0;
    fc.assert(
      fc.property(file, change, (original, { from, length, lines, replaceAll }) => {
        const body = normalized(original.replace(/^\uFEFF/, ""));
        const oldText = body.slice(from, from + length);
        const newText = lines.join("\n");
        let text: string;
        try {
          text = applyEdits(original, [{ oldText, newText, replaceAll }]).text;
        } catch (error) {
          assert.ok(error instanceof EditError, String(error));
          return;
        }
        applied++;
        const plain = newText.replace(/^\uFEFF/, "");
        assert.equal(normalized(text.replace(/^\uFEFF/, "")), oldText === "" ? plain : body.split(oldText).join(plain));
        assert.equal(text.startsWith("\uFEFF"), original.startsWith("\uFEFF"));
        assert.equal(applyHunks(original, diffLines(original, text)), text);
      }),
      edits,
    );
    assert.ok(applied > edits.numRuns / 10, `only ${applied} of ${edits.numRuns} edits were applied`);
  });

  it("keep every byte before and after the text they replace", () => {
    fc.assert(
      fc.property(file, file, line, (before, tail, next) => {
        const after = tail.replace(/^\uFEFF/, "");
        const edits = [{ oldText: "unique", newText: `first${next}\nlast` }];
        const { text } = applyEdits(`${before}unique${after}`, edits);
        assert.ok(text.startsWith(`${before}first${next}`), "the bytes before");
        assert.ok(text.endsWith(`last${after}`), "the bytes after");
      }),
      tries("surroundings"),
    );
  });
});
