import assert from "node:assert/strict";
import { deedOf } from "../../../src/extension/review/shownHunks.ts";
import { reviewing } from "./support/reviewing.ts";

const move = { path: "a.ts", movedTo: "lib/b.ts" };

describe("a reviewed move", () => {
  it("is one hunk without lines, and moves the file as it is when it is accepted", async () => {
    const { workspace, reviews, propose, pending, store, type, events } = reviewing({ "a.ts": "one\n" }, ["a.ts"]);
    const { outcome } = await propose([move]);
    const [file] = store.proposals[0]?.files ?? [];
    const [hunk] = pending();
    assert.ok(file !== undefined && hunk !== undefined);
    assert.equal(deedOf(file, hunk), "moves this file to lib/b.ts");
    type("a.ts", "typed\n");
    assert.equal(await reviews.accept({}), 0);
    assert.deepEqual([...workspace.files], [["lib/b.ts", "typed\n"]]);
    const [moved] = (await outcome).files;
    assert.deepEqual([moved?.path, moved?.followed, moved?.hunks[0]?.accepted], ["a.ts", [], true]);
    const [requested] = events;
    assert.equal(requested?.type === "approval_requested" && requested.approval.files[0]?.movedTo, "lib/b.ts");
  });

  it("moves nothing when it is rejected", async () => {
    const { workspace, reviews, propose } = reviewing({ "a.ts": "one\n" });
    const { outcome } = await propose([move]);
    await reviews.reject({}, "stay");
    assert.deepEqual([...workspace.files.keys()], ["a.ts"]);
    assert.equal((await outcome).files[0]?.hunks[0]?.reason, "stay");
  });

  it("is another question than a move elsewhere, and than a deletion", async () => {
    const { reviews, propose, pending, workspace } = reviewing({ "a.ts": "" });
    await propose([move], "one");
    await propose([{ path: "a.ts", movedTo: "c.ts" }], "two");
    await propose([{ path: "a.ts", before: "" }], "three");
    await reviews.accept({ proposalId: "p1" });
    assert.equal(pending().length, 2);
    assert.deepEqual([...workspace.files.keys()], ["lib/b.ts"]);
  });
});
