import assert from "node:assert/strict";
import { diffLines } from "../../../src/extension/changes/model/diffLines.ts";
import { shownLines } from "../../../src/extension/changes/outcome.ts";
import { deedOf, shownProposals } from "../../../src/extension/changes/shownHunks.ts";
import { reviewing } from "./support/reviewing.ts";

async function words(before: string | undefined, after: string | undefined): Promise<string[]> {
  const { store, propose } = reviewing(before === undefined ? {} : { "a.ts": before });
  await propose([
    { path: "a.ts", ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) },
  ]);
  return shownProposals(store.proposals).map(({ file, hunk, count }) => `${deedOf(file, hunk)} (${count})`);
}

describe("what a hunk is said to do", () => {
  it("counts the lines on both sides", async () => {
    assert.deepEqual(await words("a\nb\nc\n", "x\nc\n"), ["replaces 2 lines with 1 (+1 −2)"]);
    assert.deepEqual(await words("a\nb\n", "a\nx\nb\n"), ["inserts 1 line (+1 −0)"]);
    assert.deepEqual(await words("a\n", "x\na\n"), ["inserts 1 line at the top (+1 −0)"]);
    assert.deepEqual(await words("a\nb\nc\n", "c\n"), ["deletes 2 lines (+0 −2)"]);
  });

  it("names what happens to whole files", async () => {
    assert.deepEqual(await words(undefined, "a\nb\n"), ["adds this file with 2 lines (+2 −0)"]);
    assert.deepEqual(await words("a\n", undefined), ["deletes this file (+0 −1)"]);
  });

  it("shows line ends, which can't be seen otherwise", async () => {
    assert.deepEqual(await words("a\r\nb\n", "a\nb"), ["changes the line ends of 2 lines (+2 −2)"]);
    const [hunk] = diffLines("a\r\nb\n", "a\nb");
    assert.deepEqual(hunk && shownLines(hunk), { oldLines: ["a␍␊", "b␊"], newLines: ["a␊", "b"] });
  });

  it("is said once when two agents ask for the same", async () => {
    const { store, propose } = reviewing({ "a.ts": "a\n" });
    await propose([{ path: "a.ts", before: "a\n", after: "b\n" }], "one");
    await propose([{ path: "a.ts", before: "a\n", after: "b\n" }], "other");
    assert.deepEqual(
      shownProposals(store.proposals).map(({ agents }) => agents),
      ["main › one, main › other"],
    );
  });
});
