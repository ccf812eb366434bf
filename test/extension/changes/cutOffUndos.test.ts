import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { UndoneEditsFile } from "../../../src/extension/changes/undoneEditsFile.ts";
import {
  closed,
  cutOffs,
  type Kept,
  type KeptWindow,
  keptFiles,
  windowOn,
  withOpenings,
} from "./support/keptWindow.ts";
import { TextWorkspace } from "./support/textWorkspace.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

/** Agents have changed, moved, created and deleted files, and all of it waits for Keep or Undo. */
async function afterEdits() {
  const window = await windowOn(keptFiles({ "a.ts": text, "c.ts": "old\n", "m.ts": text, "n.ts": text }));
  const { edit, apply } = window.session;
  await edit("a.ts", "two", "2");
  await edit("a.ts", "five", "5", "main/tests");
  await apply([{ path: "b.ts", after: "new\n" }]);
  await apply([{ path: "c.ts", before: "old\n" }]);
  await apply([{ path: "m.ts", before: text, after: text, movedTo: "moved.ts" }]);
  await edit("moved.ts", "three", "3");
  await apply([{ path: "n.ts", before: text, after: text, movedTo: "renamed.ts" }]);
  return closed(window);
}

async function redoAll({ session }: KeptWindow): Promise<void> {
  while (session.store.undone.length > 0) assert.equal(await session.reviews.redo(), 0);
}

describe("the end of the editor in the middle of an undo of all edits", () => {
  it("leaves each edit either waiting or to be redone, as its file says, at each step", async () => {
    const { kept, before } = await afterEdits();
    const { left, after } = await cutOffs(kept, ({ session }) => session.reviews.undo({}));
    assert.deepEqual(after.files, { "a.ts": text, "c.ts": "old\n", "m.ts": text, "n.ts": text });
    assert.ok(left.length > 8, `${left.length} steps`);
    for (const [step, cutOff] of (await withOpenings(left)).entries()) {
      const at = `step ${step} of ${left.length}`;
      const window = await windowOn(cutOff);
      const found = window.state();
      assert.deepEqual([...found.pending, ...window.undone()].toSorted(), before.pending, at);
      assert.equal(await window.session.reviews.undo({}), 0, at);
      assert.deepEqual(window.state().files, after.files, at);
      assert.deepEqual(window.state().pending, [], at);
      await redoAll(window);
      assert.deepEqual(window.state(), before, at);
      assert.deepEqual(window.problems, [], at);
      await window.close();
    }
  });

  it("keeps what the user types before the undo or the redo goes on", async () => {
    const { kept, before } = await afterEdits();
    const { left, after } = await cutOffs(kept, ({ session }) => session.reviews.undo({}));
    for (const cutOff of left) {
      const window = await windowOn(cutOff);
      const type = () => window.session.type("a.ts", `typed\n${window.session.textOf("a.ts")}`);
      type();
      await window.session.reviews.undo({});
      assert.equal(window.session.textOf("a.ts"), `typed\n${after.files["a.ts"]}`);
      await redoAll(window);
      assert.equal(window.session.textOf("a.ts"), `typed\n${before.files["a.ts"]}`);
      await window.close();
    }
  });
});

describe("what is left of an undo that was cut off", () => {
  /** Over what the first of the steps left that is meant. */
  async function loading(isMeant: (left: Kept) => boolean) {
    const { kept } = await afterEdits();
    const { left } = await cutOffs(kept, ({ session }) => session.reviews.undo({}));
    const { files, undone } = left.find(isMeant) ?? assert.fail();
    const disk = { isFull: false, saved: undone, problems: [] as string[] };
    const store = new ChangeStore();
    const workspace = new TextWorkspace(files);
    const file = new UndoneEditsFile({
      ...{ store, workspace },
      saved: {
        read: async () => disk.saved,
        async write(json) {
          if (disk.isFull) throw new Error("The disk is full.");
          disk.saved = json;
        },
        setAside: () => assert.fail(),
      },
      currentTextOf: async (path) => files[path],
      onceSaved: async () => {},
      onError: (error) => void disk.problems.push(String(error)),
    });
    return { disk, store, workspace, file };
  }

  it("is there also where a move can't be made up for, which waits to be undone again", async () => {
    const { disk, store, workspace, file } = await loading(({ files }) => files["moved.ts"] === text);
    workspace.move = () => Promise.reject(new Error("It is read-only."));
    await file.load();
    assert.deepEqual(disk.problems, ["Error: It is read-only."]);
    assert.deepEqual(
      store.find("moved.ts")?.hunks.map(({ kind }) => kind),
      ["move"],
    );
    assert.equal(store.underWay.length, 0);
    assert.ok(!disk.saved?.includes("underWay"));
  });

  it("is saved with the next change where the disk is full as it is loaded", async () => {
    const { disk, store, file } = await loading(({ undone }) => undone?.includes("underWay") === true);
    disk.isFull = true;
    await file.load();
    assert.deepEqual(disk.problems, ["Error: The disk is full."]);
    disk.isFull = false;
    store.setUndone(store.undone.length > 0 ? [] : [[]]);
    await file.flush();
    assert.ok(disk.saved !== undefined && !disk.saved.includes("underWay"), disk.saved);
  });
});

describe("the end of the editor in the middle of a redo", () => {
  it("leaves each edit either waiting or to be redone, as its file says, at each step", async () => {
    const { kept, before } = await afterEdits();
    const first = await windowOn(kept);
    await first.session.reviews.undo({});
    const { kept: undone, before: from } = await closed(first);
    const { left, after } = await cutOffs(undone, redoAll);
    assert.deepEqual(after, before);
    assert.ok(left.length > 8, `${left.length} steps`);
    for (const [step, cutOff] of (await withOpenings(left)).entries()) {
      const at = `step ${step} of ${left.length}`;
      const window = await windowOn(cutOff);
      assert.deepEqual([...window.state().pending, ...window.undone()].toSorted(), before.pending, at);
      await redoAll(window);
      assert.deepEqual(window.state(), before, at);
      assert.equal(await window.session.reviews.undo({}), 0, at);
      assert.deepEqual(window.state().files, from.files, at);
      assert.deepEqual(window.problems, [], at);
      await window.close();
    }
  });
});
