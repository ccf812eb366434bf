import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { authorsOf } from "../../../src/extension/changes/model/change.ts";
import type { WrittenScope } from "../../../src/extension/changes/model/scope.ts";
import { liveText } from "../../../src/extension/changes/model/trackedLines.ts";
import { pendingEdits } from "../../../src/extension/changes/outcome.ts";
import { shownWritten } from "../../../src/extension/changes/shownHunks.ts";
import { undoConflictMessage, undoConflicts } from "../../../src/extension/changes/undoConflicts.ts";
import { WrittenReviews } from "../../../src/extension/changes/writtenReviews.ts";
import { folderWorkspace } from "../../../src/extension/workspace/folderWorkspace.ts";
import { applying } from "./support/applying.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

describe("edits that are written at once", () => {
  it("are on disk when the agent learns of them, as accepted", async () => {
    const session = applying({ "a.ts": text });
    const { files } = await session.edit("a.ts", "two", "2", "main/edit");
    assert.equal(session.textOf("a.ts"), "one\n2\nthree\nfour\nfive\n");
    assert.deepEqual(
      files[0]?.hunks.map(({ accepted }) => accepted),
      [true],
    );
    assert.deepEqual(
      session.pending().map(({ hunk }) => hunk.author.agentPath),
      [["main", "edit"]],
    );
  });

  it("30 give the old text back, and keep what the user typed above and among them", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "two\nthree\n", "2\n2.5\n3\n");
    session.type("a.ts", "typed\none\n2\ntyped too\n2.5\n3\nfour\nfive\n");
    assert.equal(await session.reviews.undo({}), 0);
    assert.equal(session.textOf("a.ts"), "typed\none\ntwo\nthree\ntyped too\nfour\nfive\n");
    assert.deepEqual(session.store.files, []);
  });

  it("are written back in one step for all hunks of a file", async () => {
    const session = applying({ "a.ts": text });
    await session.apply([{ path: "a.ts", before: text, after: "1\ntwo\nthree\nfour\n5\n" }]);
    session.workspace.writes.length = 0;
    await session.reviews.undo({});
    assert.equal(session.workspace.writes.length, 1);
    assert.equal(session.textOf("a.ts"), text);
  });

  it("stay pending when the user changed the lines, and nothing is lost", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "two", "2");
    session.type("a.ts", text.replace("two", "2 and mine"));
    assert.equal(await session.reviews.undo({}), 1);
    assert.equal(session.textOf("a.ts"), text.replace("two", "2 and mine"));
    session.type("a.ts", text.replace("two", "2"));
    assert.equal(await session.reviews.undo({}), 0);
    assert.equal(session.textOf("a.ts"), text);
  });

  it("are not pending any more once they are kept, and the rest can still be undone", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "one", "1");
    await session.edit("a.ts", "five", "5");
    const [first] = session.pending();
    await session.reviews.keep({ hunkId: first?.hunk.id ?? "" });
    await session.reviews.undo({});
    assert.equal(session.textOf("a.ts"), "1\ntwo\nthree\nfour\nfive\n");
  });

  it("leave those of a sibling when one branch is undone", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "one", "1", "main/left");
    await session.edit("a.ts", "three", "3", "main/right");
    await session.edit("a.ts", "five", "5", "main/left/deep");
    assert.equal(await session.reviews.undo({ agentId: "left" }), 0);
    assert.equal(session.textOf("a.ts"), "one\ntwo\n3\nfour\nfive\n");
    assert.deepEqual(
      session.pending().map(({ hunk }) => hunk.author.agentPath.at(-1)),
      ["right"],
    );
  });

  it("stay where a sibling built on them, and come back after that one", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "two", "2", "main/left");
    await session.edit("a.ts", "2", "two and a half", "main/right");
    assert.equal(await session.reviews.undo({ agentId: "left" }), 1);
    assert.equal(session.textOf("a.ts"), text.replace("two", "two and a half"));
    assert.deepEqual(
      session.pending().map(({ isUndoable }) => isUndoable),
      [false, true],
    );
    assert.equal(await session.reviews.undo({ agentId: "main" }), 0);
    assert.equal(session.textOf("a.ts"), text);
  });

  it("are named by the work of their agents, of which several may have one name", async () => {
    const session = applying({ "a.ts": text });
    Object.assign(session.titles, { left: "Fix the totals", right: "Round the prices" });
    await session.edit("a.ts", "one", "1", "main/left");
    await session.edit("a.ts", "three", "3", "main/right");
    await session.edit("a.ts", "five", "5", "main/left");
    await session.edit("a.ts", "four", "4");
    const [file] = session.store.files;
    assert.deepEqual(
      shownWritten(file ?? assert.fail()).map(({ agents }) => agents),
      ["main › Fix the totals", "main › Round the prices", "main › Fix the totals", "main"],
    );
    assert.deepEqual(
      authorsOf(session.store.files).map(({ label, count }) => [label, count]),
      [
        ["main", 4],
        ["main › Fix the totals", 2],
        ["main › Round the prices", 1],
      ],
    );
  });

  it("that can't be undone are named by file and line, with who built on them", async () => {
    const session = applying({ "a.ts": text, "b.ts": text });
    await session.edit("a.ts", "two", "2", "main/left");
    await session.edit("a.ts", "2", "two and a half", "main/right");
    await session.edit("b.ts", "four", "4", "main/left");
    const messageOf = async (scope: WrittenScope) =>
      undoConflictMessage(await session.reviews.undo(scope), undoConflicts(session.store.files, scope));
    assert.equal(await messageOf({ agentId: "left", path: "a.ts" }), "a.ts:2 kept: main › right built on it");
    session.type("b.ts", text.replace("four", "4 and mine"));
    assert.equal(await messageOf({ path: "b.ts" }), "b.ts:4 kept: its lines have changed since");
    assert.equal(
      await messageOf({ agentId: "left" }),
      "2 edits kept, whose lines have changed since: a.ts:2 (main › right built on it), b.ts:4",
    );
  });

  it("are one where an agent wrote over its own, and none where it put back what was there", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "two\n", "2\n2.1\n", "main/left");
    await session.edit("a.ts", "2.1\nthree", "2.5\n3", "main/left");
    assert.deepEqual(
      session.pending().map(({ hunk }) => [hunk.hunk.oldLines, hunk.hunk.newLines]),
      [
        [
          ["two", "three"],
          ["2", "2.5", "3"],
        ],
      ],
    );
    await session.edit("a.ts", "2\n2.5\n3", "two\nthree", "main/left");
    assert.deepEqual(session.pending(), []);
  });

  it("forget a hunk whose lines were all replaced by one that is kept", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "two", "2", "main/left");
    await session.edit("a.ts", "2", "II", "main/right");
    await session.reviews.keep({ agentId: "right" });
    assert.deepEqual(session.pending(), []);
    assert.equal(session.textOf("a.ts"), text.replace("two", "II"));
  });

  it("count as gone when the user takes them back by hand, and as pending again after a redo", async () => {
    const session = applying({ "a.ts": text });
    await session.edit("a.ts", "two", "2");
    session.type("a.ts", text);
    assert.equal(await session.reviews.undo({}), 0);
    await session.edit("a.ts", "two", "2");
    session.type("a.ts", text);
    session.type("a.ts", text.replace("two", "2"));
    await session.reviews.undo({});
    assert.equal(session.textOf("a.ts"), text);
  });

  it("remove an added file, bring a deleted one back and move a moved one back", async () => {
    const session = applying({ "old.ts": text, "here.ts": "x\n" });
    await session.apply([
      { path: "new.ts", after: "fresh\n" },
      { path: "old.ts", before: text },
    ]);
    await session.apply([{ path: "here.ts", movedTo: "there.ts" }]);
    assert.deepEqual([...session.workspace.files.keys()].toSorted(), ["new.ts", "there.ts"]);
    await session.reviews.undo({});
    assert.deepEqual(Object.fromEntries(session.workspace.files), { "old.ts": text, "here.ts": "x\n" });
  });

  it("are listed with what they do to whole files", async () => {
    const session = applying({ "old.ts": text, "a.ts": text });
    await session.apply([
      { path: "new.ts", after: "fresh\n" },
      { path: "old.ts", before: text },
    ]);
    await session.edit("a.ts", "two", "2");
    await session.edit("new.ts", "fresh", "fresher");
    const listed = pendingEdits(session.store.files).map(({ path, change }) => [path, change]);
    assert.deepEqual(listed.toSorted(), [
      ["a.ts", undefined],
      ["new.ts", "add"],
      ["old.ts", "delete"],
    ]);
  });

  it("take the imports of a moved file back with its move, wherever they are", async () => {
    const before = { "a.ts": 'import "./x";\n', "user.ts": 'import "./a";\n' };
    const session = applying(before);
    await session.apply([
      { path: "a.ts", movedTo: "lib/b.ts" },
      { path: "lib/b.ts", before: before["a.ts"], after: 'import "../x";\n', follows: "a.ts" },
      { path: "user.ts", before: before["user.ts"], after: 'import "./lib/b";\n', follows: "a.ts" },
    ]);
    assert.deepEqual(Object.fromEntries(session.workspace.files), {
      "lib/b.ts": 'import "../x";\n',
      "user.ts": 'import "./lib/b";\n',
    });
    await session.reviews.undo({ path: "lib/b.ts" });
    assert.deepEqual(Object.fromEntries(session.workspace.files), before);
  });

  it("stay with a move whose old place another file has, until that file is gone", async () => {
    const before = { "a.ts": 'import "./x";\n', "user.ts": 'import "./a";\n' };
    const after = { "lib/b.ts": 'import "../x";\n', "user.ts": 'import "./lib/b";\n' };
    for (const scope of [{ path: "lib/b.ts" }, {}]) {
      const session = applying(before);
      await session.apply([
        { path: "a.ts", movedTo: "lib/b.ts" },
        { path: "lib/b.ts", before: before["a.ts"], after: after["lib/b.ts"], follows: "a.ts" },
        { path: "user.ts", before: before["user.ts"], after: after["user.ts"], follows: "a.ts" },
      ]);
      session.type("a.ts", "the user's\n");
      const left = await session.reviews.undo(scope);
      assert.equal(left, scope.path === undefined ? 3 : 2);
      assert.deepEqual(Object.fromEntries(session.workspace.files), { ...after, "a.ts": "the user's\n" });
      assert.deepEqual(
        session.pending().map(({ path, hunk }) => [path, hunk.kind]),
        [
          ["lib/b.ts", "move"],
          ["lib/b.ts", "update"],
          ["user.ts", "update"],
        ],
      );
      assert.equal(
        undoConflictMessage(left, undoConflicts(session.store.files, scope)),
        "lib/b.ts was not moved back to a.ts: another file is there now. Move or delete that one, then undo again.",
      );
      session.workspace.files.delete("a.ts");
      assert.equal(await session.reviews.undo(scope), 0);
      assert.deepEqual(Object.fromEntries(session.workspace.files), before);
    }
  });

  it("say of a move that was left, and of the rest, why", async () => {
    const session = applying({ "a.ts": "x\n", "c.ts": text });
    await session.apply([{ path: "a.ts", movedTo: "b.ts" }]);
    await session.edit("c.ts", "two", "2");
    session.type("a.ts", "the user's\n");
    session.type("c.ts", text.replace("two", "zwei"));
    assert.equal(
      undoConflictMessage(await session.reviews.undo({}), undoConflicts(session.store.files, {})),
      "b.ts was not moved back to a.ts: another file is there now. Move or delete that one, then undo again. " +
        "c.ts:2 kept: its lines have changed since",
    );
    assert.deepEqual(session.store.undone, []);
  });

  it("move a file back once what an agent put in its old place is undone with it, and do both again", async () => {
    const before = { "a.ts": "export const x = 1;\n", "user.ts": 'import "./a";\n' };
    const session = applying(before);
    await session.apply([
      { path: "a.ts", movedTo: "lib/a.ts" },
      { path: "user.ts", before: before["user.ts"], after: 'import "./lib/a";\n', follows: "a.ts" },
    ]);
    await session.apply([{ path: "a.ts", after: 'export * from "./lib/a";\n' }]);
    const written = Object.fromEntries(session.workspace.files);
    assert.equal(await session.reviews.undo({}), 0);
    assert.deepEqual(Object.fromEntries(session.workspace.files), before);
    assert.deepEqual(session.pending(), []);
    assert.equal(await session.reviews.redo(), 0);
    assert.deepEqual(Object.fromEntries(session.workspace.files), written);
  });

  it("move a file that was moved twice back to where it was first, and remove one that an agent made and moved", async () => {
    const session = applying({ "a.ts": "x\n" });
    await session.apply([{ path: "a.ts", movedTo: "b.ts" }]);
    await session.apply([{ path: "b.ts", movedTo: "c.ts" }]);
    await session.apply([{ path: "new.ts", after: "new\n" }]);
    await session.apply([{ path: "new.ts", movedTo: "newer.ts" }]);
    assert.equal(await session.reviews.undo({}), 0);
    assert.deepEqual(Object.fromEntries(session.workspace.files), { "a.ts": "x\n" });
    assert.equal(await session.reviews.redo(), 0);
    assert.deepEqual(Object.fromEntries(session.workspace.files), { "c.ts": "x\n", "newer.ts": "new\n" });
  });

  it("leave a move that fails to be undone again", async () => {
    const session = applying({ "a.ts": "x\n" });
    await session.apply([{ path: "a.ts", movedTo: "b.ts" }]);
    const move = session.workspace.move.bind(session.workspace);
    session.workspace.move = () => Promise.reject(new Error("It is read-only."));
    await assert.rejects(session.reviews.undo({}), /read-only/);
    assert.equal(session.pending().length, 1);
    session.workspace.move = move;
    await session.reviews.undo({});
    assert.deepEqual(Object.fromEntries(session.workspace.files), { "a.ts": "x\n" });
  });

  it("leave an added file that the user wrote into, with what they wrote", async () => {
    const session = applying({});
    await session.apply([{ path: "new.ts", after: "fresh\n" }]);
    session.type("new.ts", "fresh\nmine\n");
    await session.reviews.undo({});
    assert.equal(session.textOf("new.ts"), "mine\n");
  });

  it("leave an added file that the user writes into while it is saved what is to be undone", async () => {
    const session = applying({});
    await session.apply([{ path: "new.ts", after: "fresh\n" }]);
    let isTyped = false;
    session.saves.onceIntended = async () => {
      if (!isTyped) session.type("new.ts", "fresh\nmine\n");
      isTyped = true;
    };
    await session.reviews.undo({});
    assert.equal(session.textOf("new.ts"), "mine\n");
  });

  it("are refused over another file in the place of a deleted one", async () => {
    const session = applying({ "a.ts": text });
    await session.apply([{ path: "a.ts", before: text }]);
    session.workspace.type("a.ts", "another\n");
    assert.equal(await session.reviews.undo({}), 1);
    assert.equal(session.textOf("a.ts"), "another\n");
  });

  it("27 are all undone when a later file of the same call can't be written", async () => {
    const session = applying({ "a.ts": text, "b.ts": text });
    const replace = session.workspace.replace.bind(session.workspace);
    session.workspace.replace = async (path, ...rest) => {
      if (path === "b.ts") throw new Error("EROFS");
      return replace(path, ...rest);
    };
    const change = (path: string) => ({ path, before: text, after: text.replace("two", "2") });
    await assert.rejects(session.apply([change("a.ts"), change("b.ts")]), /EROFS/);
    assert.equal(session.textOf("a.ts"), text);
    assert.deepEqual(session.pending(), []);
  });

  it("leave nothing to redo when they could not all be written, but what the user undid before", async () => {
    const session = applying({ "a.ts": text, "b.ts": text });
    await session.edit("b.ts", "one", "1");
    await session.reviews.undo({});
    session.workspace.replace = async () => {
      throw new Error("EROFS");
    };
    const changes = [
      { path: "new.ts", after: "new\n" },
      { path: "a.ts", before: text, after: text.replace("two", "2") },
    ];
    await assert.rejects(session.apply(changes), /EROFS/);
    assert.equal(session.textOf("new.ts"), undefined);
    const undone = session.store.undone.map((files) => files.map(({ before }) => before.path));
    assert.deepEqual(undone, [["b.ts"]]);
  });

  it("report to the agent what no longer had a place", async () => {
    const session = applying({ "a.ts": text.replace("two", "changed") });
    const { files } = await session.apply([
      { path: "a.ts", before: text, after: text.replace("two", "2").replace("five", "5") },
    ]);
    assert.equal(session.textOf("a.ts"), text.replace("two", "changed").replace("five", "5"));
    assert.deepEqual(
      files[0]?.hunks.map(({ accepted, conflicted }) => [accepted, conflicted]),
      [
        [false, true],
        [true, undefined],
      ],
    );
  });

  it("wait for nothing when no one reviews them", async () => {
    const session = applying({ "a.ts": text });
    await session.apply([{ path: "a.ts", before: text, after: text.replace("two", "2") }], "main", false);
    assert.equal(session.textOf("a.ts"), text.replace("two", "2"));
    assert.deepEqual(session.pending(), []);
  });

  it("are not written after an abort", async () => {
    const session = applying({ "a.ts": text });
    session.abort.abort();
    await assert.rejects(session.edit("a.ts", "two", "2"), { name: "AbortError" });
    assert.equal(session.textOf("a.ts"), text);
  });

  it("follow a text of which no one reports how a blank line came to its end", async () => {
    const { edit, type, store, reviews, textOf } = applying({ "a.ts": "one\ntwo\n" });
    await edit("a.ts", "two", "2");
    type("a.ts", "one\n2\nlast\n\n");
    const [file] = store.files;
    assert.equal(file && liveText(file), "one\n2\nlast\n\n");
    assert.equal(await reviews.undo({}), 0);
    assert.equal(textOf("a.ts"), "one\ntwo\nlast\n\n");
  });
});

describe("an edit that would make a text a binary file", () => {
  it("is refused with all that belongs to it: nothing is written, and nothing waits", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-nul-"));
    try {
      await writeFile(join(folder, "a.ts"), text);
      await writeFile(join(folder, "b.ts"), text);
      const store = new ChangeStore();
      let count = 0;
      const reviews = new WrittenReviews({
        ...{ store, workspace: folderWorkspace(folder, "project"), newId: () => `e${++count}` },
        inTurn: (step) => step(),
      });
      const changes = [
        { path: "a.ts", before: text, after: text.replace("two", "2") },
        { path: "b.ts", before: text, after: text.replace("two", "\0") },
        { path: "c.ts", after: "c\n" },
      ];
      const agent = { id: "main", prefix: "main", depth: 0 };
      const proposal = { callId: "call", toolName: "apply_patch", agent, agentPath: ["main"], changes };
      const { signal } = new AbortController();
      const written = reviews.apply(proposal, { agentIds: ["main"], isPending: true }, signal);
      await assert.rejects(written, /NUL character/);
      assert.deepEqual((await readdir(folder)).toSorted(), ["a.ts", "b.ts"]);
      for (const path of ["a.ts", "b.ts"]) assert.equal(await readFile(join(folder, path), "utf8"), text);
      assert.deepEqual(store.files, []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
