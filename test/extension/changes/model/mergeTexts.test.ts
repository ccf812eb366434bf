import assert from "node:assert/strict";
import * as fc from "fast-check";
import { mergeTexts } from "../../../../src/extension/changes/model/mergeTexts.ts";
import { lineEndsIn, lineOf, splitPieces } from "../../../../src/extension/changes/model/pieces.ts";
import { diffSequences } from "../../../../src/extension/changes/model/sequenceDiff.ts";

const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r", "");
const line = fc.tuple(fc.constantFrom("", "a", "b", "  c", "}", "d", "e"), lineEnd).map(([text, end]) => text + end);
const text = fc.array(line, { maxLength: 20 }).map((lines) => lines.join(""));

/** Texts of which two are made from the first by some edits of lines, like what people and agents do. */
const edited = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c", "}", ""), { minLength: 1, maxLength: 12 }),
    fc.array(fc.tuple(fc.nat(11), fc.nat(2), fc.constantFrom("", "X\n", "X\nY\n", "a\n")), { maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(11), fc.nat(2), fc.constantFrom("", "P\n", "P\nQ\n", "a\n")), { maxLength: 3 }),
  )
  .map(([lines, one, other]) => {
    const base = lines.map((each) => `${each}\n`);
    const changed = (edits: readonly (readonly [number, number, string])[]) =>
      edits.reduce((now, [at, removed, put]) => now.toSpliced(at, removed, ...splitPieces(put)), base).join("");
    return [base.join(""), changed(one), changed(other)] as const;
  });

const anyTexts = fc.oneof(edited, fc.tuple(text, text, text));

describe("mergeTexts", () => {
  it("makes changes of different lines, also of neighbours", () => {
    const base = "1\n2\n3\n4\n";
    assert.deepEqual(mergeTexts(base, "1\nmine\n3\n4\n", "1\n2\ntheirs\n4\n").text, "1\nmine\ntheirs\n4\n");
    assert.deepEqual(mergeTexts(base, "1\n2\n3\n4\nmine\n", "1\n2\n3\n").text, "1\n2\n3\nmine\n");
    assert.deepEqual(mergeTexts(base, "1\n2\n3\nmine\n4\n", "1\ntheirs\n4\n").text, "1\ntheirs\nmine\n4\n");
  });

  it("makes the change of one side where both changed the lines beside it alike, as formatters do", () => {
    const base = "1 \n2 \n3 \n4 \n5 \n";
    const mine = "1\nnew\n5\n";
    const formatted = "1\n2 \n3 \n4 \n5\n";
    for (const [one, other] of [[mine, formatted] as const, [formatted, mine] as const]) {
      const { text: merged, conflicts } = mergeTexts(base, one, other);
      assert.deepEqual([merged, conflicts], [mine, []]);
    }
    assert.deepEqual(mergeTexts(base, mine, formatted).origins, [0, 1, 2]);
    assert.deepEqual(mergeTexts(base, formatted, mine).origins, [0, undefined, 4]);
    // What one of them changed within is another matter.
    assert.equal(mergeTexts(base, mine, "1\n2 \nother\n4 \n5\n").conflicts.length, 1);
    assert.equal(mergeTexts("a\n", "b\nc\n", "b\n").conflicts.length, 1);
  });

  it("has theirs without what mine changed alike", () => {
    const onlyTheirs = (base: string, mine: string, theirs: string) => mergeTexts(base, mine, theirs).onlyTheirs;
    assert.equal(onlyTheirs("1 \n2 \n3 \n4\n", "1\nmine\n3 \n4\n", "1\n2 \n3 \ntheirs\n"), "1 \n2 \n3 \ntheirs\n");
    assert.equal(onlyTheirs("1 \n2 \n3 \n", "1\n2 \n3\n", "1\ntheirs\n3\n"), "1 \ntheirs\n3 \n");
    assert.equal(onlyTheirs("1\n2\n3\n", "1\n", "1\n"), "1\n2\n3\n");
    assert.equal(onlyTheirs("1\n2\n", "mine\n2\n", "theirs\n2\nmore"), "theirs\n2\nmore");
  });

  it("merges texts of very many lines", () => {
    const base = Array.from({ length: 300_000 }, (_, line) => `${line}\n`).join("");
    const merged = mergeTexts(base, `${base}mine\n`, `theirs\n${base}`);
    assert.ok(merged.text === `theirs\n${base}mine\n` && merged.onlyTheirs === `theirs\n${base}`);
  });

  it("names the lines of mine that give way, by their place in mine", () => {
    const merged = mergeTexts("1\n2\n3\n", "new\n1\nmine\nmore\n3\n", "1\ntheirs\n3\n");
    assert.equal(merged.text, "new\n1\ntheirs\n3\n");
    assert.deepEqual(merged.conflicts, [{ mine: { start: 2, end: 4 }, theirs: { start: 1, end: 2 } }]);
    assert.deepEqual(merged.origins, [0, 1, undefined, 4]);
  });

  it("leaves the order of different lines at one place open", () => {
    const { text: merged, conflicts } = mergeTexts("1\n2\n", "1\nmine\n2\n", "1\ntheirs\n2\n");
    assert.deepEqual([merged, conflicts.length], ["1\ntheirs\n2\n", 1]);
    assert.deepEqual(mergeTexts("1\n2\n", "1\nsame\n2\n", "1\nsame\n2\n").conflicts, []);
  });

  it("follows the side that converted all line ends", () => {
    assert.equal(mergeTexts("1\n2\n", "1\n2\nmine\n", "1\r\n2\r\n").text, "1\r\n2\r\nmine\r\n");
    assert.equal(mergeTexts("1\r\n2\r\n", "1\n2\nmine\n", "0\r\n1\r\n2\r\n").text, "0\n1\n2\nmine\n");
  });

  it("follows the side that gave a text of several line ends one", () => {
    assert.deepEqual(mergeTexts("1\r\n2\n3\n", "mine\n2\n3\n", "1\n2\ntheirs\n"), {
      ...{ text: "mine\n2\ntheirs\n", conflicts: [], onlyTheirs: "1\n2\ntheirs\n", origins: [0, 1, undefined] },
    });
    assert.equal(mergeTexts("1\r\n2\n3\n", "1\n2\nmine\n", "0\n1\r\n2\n3\n").text, "0\n1\n2\nmine\n");
    assert.equal(mergeTexts("1\n2\n", "1\n2\nmine\r\n", "0\n1\n2\n").text, "0\n1\n2\nmine\r\n");
  });

  it("keeps the missing line end at the end, and lines apart", () => {
    assert.equal(mergeTexts("1\n2\n3", "mine\n2\n3", "1\n2\ntheirs").text, "mine\n2\ntheirs");
    assert.equal(mergeTexts("1\n2\n", "1\n2\nmine", "1\ntheirs").text, "1\ntheirs\nmine");
  });

  it("gives one side where the other changed nothing, byte for byte", () => {
    return fc.assert(
      fc.property(text, text, (base, changed) => {
        assert.deepEqual(mergeTexts(base, changed, base).text, changed);
        assert.deepEqual(mergeTexts(base, base, changed).text, changed);
        assert.deepEqual(mergeTexts(base, changed, changed).text, changed);
        for (const [mine, theirs] of [
          [changed, base],
          [base, changed],
          [changed, changed],
        ] as const) {
          assert.deepEqual(mergeTexts(base, mine, theirs).conflicts, []);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("loses no line that mine changed without naming it", () => {
    return fc.assert(
      fc.property(anyTexts, ([base, mine, theirs]) => {
        const { conflicts, origins } = mergeTexts(base, mine, theirs);
        const known = new Set(origins);
        for (const { mine: extent } of conflicts) {
          for (let index = extent.start; index < extent.end; index++) known.add(index);
        }
        // A side that gave the text one kind of line ends converts the others.
        const ofBase = lineEndsIn(base);
        const isConverted = [mine, theirs].some((side) => {
          const [end, ...others] = lineEndsIn(side);
          return end !== undefined && others.length === 0 && ofBase.some((other) => other !== end);
        });
        const linesOf = (each: string) => (isConverted ? each.replace(/\r\n?/g, "\n") : each);
        for (const { bStart, bEnd } of diffSequences(splitPieces(linesOf(base)), splitPieces(linesOf(mine)))) {
          for (let index = bStart; index < bEnd; index++) assert.ok(known.has(index), `line ${index} is not named`);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("puts every line of mine that it has where it says, in order", () => {
    return fc.assert(
      fc.property(anyTexts, ([base, mine, theirs]) => {
        const merged = mergeTexts(base, mine, theirs);
        const pieces = splitPieces(merged.text);
        const myPieces = splitPieces(mine);
        assert.equal(merged.origins.length, pieces.length);
        let last = -1;
        for (const [index, origin] of merged.origins.entries()) {
          if (origin === undefined) continue;
          assert.ok(origin > last);
          last = origin;
          assert.equal(lineOf(pieces[index] ?? ""), lineOf(myPieces[origin] ?? ""));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("is the same from both sides where nothing conflicts", () => {
    return fc.assert(
      fc.property(edited, ([base, mine, theirs]) => {
        const merged = mergeTexts(base, mine, theirs);
        const turned = mergeTexts(base, theirs, mine);
        assert.equal(merged.conflicts.length === 0, turned.conflicts.length === 0);
        if (merged.conflicts.length === 0) assert.equal(merged.text, turned.text);
      }),
      { numRuns: 2000 },
    );
  });
});
