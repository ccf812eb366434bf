import assert from "node:assert/strict";
import { deedOf, shownProposals } from "../../../src/extension/changes/shownHunks.ts";
import { reviewing } from "./support/reviewing.ts";

const move = { path: "a.ts", movedTo: "lib/b.ts" };

describe("a reviewed move", () => {
  it("is one hunk without lines, and moves the file as it is when it is accepted", async () => {
    const { workspace, reviews, propose, pending, store, type, events } = reviewing({ "a.ts": "one\n" }, ["a.ts"]);
    const { outcome } = await propose([move]);
    const [file] = store.proposals[0]?.files ?? [];
    const [hunk] = pending();
    assert.ok(file !== undefined && hunk !== undefined);
    assert.equal(deedOf(file, hunk.hunk), "moves this file to lib/b.ts");
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

describe("a reviewed move with the imports of what is moved", () => {
  const files = { "a.ts": 'import "./x";\n', "user.ts": 'import "./a";\n' };
  const changes = [
    move,
    { path: "lib/b.ts", before: files["a.ts"], after: 'import "../x";\n', follows: "a.ts" },
    { path: "user.ts", before: files["user.ts"], after: 'import "./lib/b";\n', follows: "a.ts" },
  ];
  const hunkOf = (store: ReturnType<typeof reviewing>["store"], path: string) =>
    store.proposals[0]?.files.find((file) => file.path === path)?.hunks[0]?.id ?? "";

  it("is written with all of them when it is accepted", async () => {
    const { workspace, reviews, propose } = reviewing(files);
    const { outcome } = await propose(changes);
    assert.equal(await reviews.accept({}), 0);
    assert.deepEqual(Object.fromEntries(workspace.files), {
      "lib/b.ts": 'import "../x";\n',
      "user.ts": 'import "./lib/b";\n',
    });
    assert.ok((await outcome).files.every(({ hunks }) => hunks.every(({ accepted }) => accepted)));
  });

  it("changes no import before the move itself is accepted", async () => {
    const { workspace, reviews, propose, store } = reviewing(files);
    await propose(changes);
    const waiting = () => shownProposals(store.proposals).map(({ path, waitsForMove }) => [path, waitsForMove]);
    assert.deepEqual(waiting().slice(0, 2), [
      ["a.ts", undefined],
      ["lib/b.ts", "a.ts"],
    ]);
    await assert.rejects(reviews.accept({ hunkId: hunkOf(store, "user.ts") }), /Accept the move of a\.ts first/);
    assert.deepEqual(Object.fromEntries(workspace.files), files);
    await reviews.accept({ hunkId: hunkOf(store, "a.ts") });
    assert.ok(waiting().length > 0 && waiting().every(([, waitsFor]) => waitsFor === undefined));
    await reviews.accept({ hunkId: hunkOf(store, "user.ts") });
    assert.equal(workspace.files.get("user.ts"), 'import "./lib/b";\n');
  });

  it("takes the imports with it when it is rejected, and only itself when an import is", async () => {
    const rejected = reviewing(files);
    const { outcome } = await rejected.propose(changes);
    await rejected.reviews.reject({ hunkId: hunkOf(rejected.store, "a.ts") }, "stay");
    const reasons = (await outcome).files.map(({ hunks }) => hunks[0]?.reason);
    assert.deepEqual([reasons, Object.fromEntries(rejected.workspace.files)], [["stay", "stay", "stay"], files]);
    const partly = reviewing(files);
    await partly.propose(changes);
    await partly.reviews.reject({ path: "user.ts" });
    await partly.reviews.accept({});
    assert.deepEqual(Object.fromEntries(partly.workspace.files), {
      "lib/b.ts": 'import "../x";\n',
      "user.ts": files["user.ts"],
    });
  });
});
