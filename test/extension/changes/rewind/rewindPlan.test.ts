import assert from "node:assert/strict";
import * as fc from "fast-check";
import { splitPieces } from "../../../../src/extension/changes/model/pieces.ts";
import { revertSteps } from "../../../../src/extension/changes/rewind/rewindPlan.ts";
import type { FileState } from "../../../../src/extension/changes/rewind/storage.ts";

function holding(text: string | undefined, mode?: number): FileState {
  if (text === undefined) return { image: {} };
  const image = { bytes: new TextEncoder().encode(text), ...(mode === undefined ? {} : { mode }) };
  return { image, text };
}

/** Lists of changes of a text by lines: what the user puts in is unique, so that it can be looked for. */
const edit = fc.record({ by: fc.constantFrom("user", "agent"), at: fc.nat(8), removed: fc.nat(2), added: fc.nat(2) });
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function play(start: string, edits: readonly Edit[]) {
  const steps: { before: FileState; after: FileState }[] = [];
  let lines = splitPieces(start);
  for (const [index, { by, at, removed, added }] of edits.entries()) {
    const before = lines.join("");
    const put = Array.from({ length: added }, (_, line) => `${by} ${index}.${line}\n`);
    lines = lines.toSpliced(at, removed, ...put);
    if (by === "agent") steps.push({ before: holding(before), after: holding(lines.join("")) });
  }
  return { steps, now: lines.join("") };
}

describe("taking changes of a file back", () => {
  it("gives the text back as it was where the user changed nothing", () => {
    const { steps, now } = play("1\n2\n3\n", [
      { by: "agent", at: 0, removed: 1, added: 2 },
      { by: "agent", at: 3, removed: 1, added: 0 },
    ]);
    const { state, lostLines, isMerged } = revertSteps(holding(now), steps);
    assert.deepEqual([state.text, lostLines, isMerged], ["1\n2\n3\n", [], false]);
  });

  it("leaves what the user changed before, between and after", () => {
    const { steps, now } = play("1\n2\n3\n4\n5\n6\n", [
      { by: "agent", at: 0, removed: 1, added: 1 },
      { by: "user", at: 5, removed: 1, added: 1 },
      { by: "agent", at: 1, removed: 1, added: 1 },
      { by: "user", at: 3, removed: 0, added: 1 },
    ]);
    assert.equal(revertSteps(holding(now), steps).state.text, "1\n2\n3\nuser 3.0\n4\n5\nuser 1.0\n");
  });

  it("names the lines of the user that give way, by their place in the current text", () => {
    const steps = [{ before: holding("a\nb\n"), after: holding("a\nagent\nb\n") }];
    const { state, lostLines } = revertSteps(holding("new\na\nagent and me\nb\n"), steps);
    assert.deepEqual([state.text, lostLines], ["new\na\nb\n", [2]]);
  });

  it("names nothing for lines that the user already put back", () => {
    const steps = [{ before: holding("a\nb\nc\n"), after: holding("1\n2\n3\n") }];
    assert.deepEqual(revertSteps(holding("1\nb\n3\n"), steps).lostLines, []);
  });

  it("loses no line of the user that it does not name", () => {
    return fc.assert(
      fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
        const { steps, now } = play("1\n2\n3\n4\n5\n6\n", edits);
        const { state, lostLines } = revertSteps(holding(now), steps);
        const left = new Set(splitPieces(state.text ?? ""));
        for (const [line, piece] of splitPieces(now).entries()) {
          if (!piece.startsWith("user") || left.has(piece)) continue;
          assert.ok(lostLines.includes(line), `${piece.trim()} is neither there nor named`);
        }
        for (const piece of left) assert.ok(!piece.startsWith("agent"), `${piece.trim()} is still there`);
      }),
      { numRuns: 3000 },
    );
  });

  it("removes a file that agents made, and names what the user changed in it", () => {
    const steps = [{ before: holding(undefined), after: holding("a\nb\n") }];
    assert.deepEqual(revertSteps(holding("a\nb\n"), steps).state.image, {});
    const { state, lostLines } = revertSteps(holding("a\nmine\nb\n"), steps);
    assert.deepEqual([state.image, lostLines], [{}, [1]]);
  });

  it("brings a file back that agents removed, and says so where the user had made or deleted it", () => {
    const steps = [{ before: holding("a\n"), after: holding(undefined) }];
    assert.equal(revertSteps(holding(undefined), steps).state.text, "a\n");
    assert.deepEqual(revertSteps(holding("mine\n"), steps).lostLines, [0]);
    const changed = [{ before: holding("a\n"), after: holding("b\n") }];
    assert.equal(revertSteps(holding(undefined), changed).isBack, true);
  });

  it("takes a mode back unless the user changed it since", () => {
    const steps = [{ before: holding("a\n", 0o755), after: holding("a\n", 0o644) }];
    assert.equal(revertSteps(holding("a\n", 0o644), steps).state.image.mode, 0o755);
    assert.equal(revertSteps(holding("a\n", 0o600), steps).state.image.mode, 0o600);
  });

  it("replaces bytes that are no text as a whole, and says when the user changed them", () => {
    const bytes = (...of: number[]): FileState => ({ image: { bytes: Uint8Array.from(of) } });
    const steps = [{ before: bytes(1), after: bytes(2) }];
    assert.deepEqual(revertSteps(bytes(2), steps).isLostWhole, false);
    const { state, isLostWhole } = revertSteps(bytes(3), steps);
    assert.deepEqual([state.image.bytes, isLostWhole], [Uint8Array.of(1), true]);
  });
});
