import assert from "node:assert/strict";
import type { LineEdit } from "../../../src/extension/changes/model/lineEdit.ts";
import { reviewing } from "./support/reviewing.ts";

const before = "a\nb\nc\nd\ne\n";

/** Proposes another line for `c` and one more before `e`, and types edits with the text each leads to. */
async function tracked(...steps: [text: string, edit: LineEdit][]) {
  const { store, propose, pending } = reviewing({ "a.ts": before }, ["a.ts"]);
  await propose([{ path: "a.ts", before, after: "a\nb\nC\nd\nmore\ne\n" }]);
  for (const [text, edit] of steps) store.setText("a.ts", text, [edit]);
  return pending().map(({ extent, conflicted }) => [extent.start, extent.end, conflicted]);
}

function edit(start: [number, number], end: [number, number], text: string): LineEdit {
  const [[startLine, startCharacter], [endLine, endCharacter]] = [start, end];
  return { startLine, startCharacter, endLine, endCharacter, lines: text.split("\n") };
}

describe("a hunk's lines", () => {
  it("move down under a line that is put above them", async () => {
    assert.deepEqual(await tracked(["x\na\nb\nc\nd\ne\n", edit([0, 0], [0, 0], "x\n")]), [
      [3, 4, false],
      [5, 5, false],
    ]);
  });

  it("stay when the line above gets an end by Enter, and when theirs does", async () => {
    assert.deepEqual(await tracked(["a\nb\n\nc\nd\ne\n", edit([1, 1], [1, 1], "\n")]), [
      [3, 4, false],
      [5, 5, false],
    ]);
    assert.deepEqual(await tracked(["a\nb\nc\n\nd\ne\n", edit([2, 1], [2, 1], "\n")]), [
      [2, 3, false],
      [5, 5, false],
    ]);
  });

  it("are in conflict when one is joined to the line above, and come back with an undo", async () => {
    const join: [string, LineEdit] = ["a\nbc\nd\ne\n", edit([1, 1], [2, 0], "")];
    assert.deepEqual((await tracked(join))[0], [1, 2, true]);
    assert.deepEqual(await tracked(join, [before, edit([1, 1], [1, 1], "\n")]), [
      [2, 3, false],
      [4, 4, false],
    ]);
  });

  it("are in conflict when they are removed, and come back with an undo", async () => {
    const remove: [string, LineEdit] = ["a\nb\nd\ne\n", edit([2, 0], [3, 0], "")];
    assert.deepEqual((await tracked(remove))[0], [2, 2, true]);
    assert.deepEqual((await tracked(remove, [before, edit([2, 0], [2, 0], "c\n")]))[0], [2, 3, false]);
  });

  it("fit when the user made the change already", async () => {
    assert.deepEqual((await tracked(["a\nb\nC\nd\ne\n", edit([2, 0], [2, 1], "C")]))[0], [2, 3, false]);
  });

  it("put an insertion in conflict when the lines around its place become one", async () => {
    assert.deepEqual((await tracked(["a\nb\nc\nde\n", edit([3, 1], [4, 0], "")]))[1], [3, 4, true]);
  });

  it("are found again in a text whose edits were not reported", async () => {
    assert.deepEqual(await tracked(["x\na\nb\nc\nd\ny\ne\n", edit([9, 0], [9, 0], "elsewhere")]), [
      [3, 4, false],
      [5, 5, false],
    ]);
  });
});
