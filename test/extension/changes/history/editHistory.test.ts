import assert from "node:assert/strict";
import { EditHistory } from "../../../../src/extension/changes/history/editHistory.ts";
import { editsBetween } from "../../../../src/extension/changes/model/lineEdit.ts";
import { editorLines } from "../../../../src/extension/changes/model/pieces.ts";
import type { LeftEdits, PersistedEdits } from "../../../../src/extension/changes/persistedEdits.ts";
import { applying } from "../support/applying.ts";
import { TextWorkspace } from "../support/textWorkspace.ts";

/** No two windows give the same id. */
let count = 0;

const text = "one\ntwo\nthree\nfour\nfive\n";

function writing(files: Record<string, string> = { "a.ts": text, "b.ts": text }) {
  const workspace = new TextWorkspace(files);
  const kept: { json?: string; aside?: string } = {};
  const saved: PersistedEdits = {
    read: async () => kept.json,
    write: async (json) => {
      kept.json = json;
    },
    setAside: async () => assert.fail("it can be read"),
  };
  const open = () => new EditHistory({ workspace, saved, newId: () => `w${++count}`, onError: assert.ifError });
  const written = open();
  const session = applying(files, workspace, written);
  const noteOf = async (agentId = "main", of = written) => {
    await of.refresh();
    return of.takeNote(agentId);
  };
  /** As after the window was opened again. */
  const reopened = async () => {
    written.dispose();
    await Promise.resolve();
    return open();
  };
  return { ...session, written, noteOf, reopened, kept };
}

const body = (note: string | undefined) => (note ?? "").split("\n").slice(2, -2);

describe("what agents learn of their edits", () => {
  it("is nothing while they are as they were written, wherever else is typed", async () => {
    const { edit, workspace, noteOf } = writing();
    await edit("a.ts", "three", "3");
    workspace.type("a.ts", "typed\none\ntwo\n3\nfour\nmore\nfive\n");
    assert.equal(await noteOf(), undefined);
  });

  it("is nothing of the lines around what an agent wrote that the user had removed elsewhere, and redid", async () => {
    const { edit, reviews, workspace, written, noteOf } = writing();
    await edit("a.ts", "two", "a line of the agent's");
    workspace.type("a.ts", text.replace("two\n", ""));
    await noteOf();
    const replace = workspace.replace.bind(workspace);
    // The editor reports the change before the write is over.
    workspace.replace = async (path, ...how) => {
      const before = workspace.files.get(path) ?? "";
      const result = await replace(path, ...how);
      const edits = editsBetween(editorLines(before), editorLines(result.text));
      if (!written.has(path)) written.typedElsewhere({ path, languageId: "", textNow: () => result.text, edits });
      return result;
    };
    await edit("b.ts", "two", "two\na line of the agent's");
    await reviews.undo({});
    assert.match((await noteOf()) ?? "", /b\.ts, before line 3: undone/);
    await reviews.redo();
    assert.match((await noteOf()) ?? "", /b\.ts, line 3: there again as it was written/);
  });

  it("is what the user undid, once, with what was kept", async () => {
    const { edit, reviews, pending, noteOf } = writing();
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5\n6");
    await edit("b.ts", "one", "1");
    await reviews.undo({ hunkId: pending()[1]?.hunk.id ?? "" });
    assert.deepEqual(body(await noteOf()), [
      "- a.ts, line 5: undone by the user. The former text is back.",
      "Kept as written: a.ts (1), b.ts (1)",
    ]);
    assert.equal(await noteOf(), undefined);
    await reviews.undo({});
    assert.deepEqual(body(await noteOf()), [
      "- a.ts, line 2: undone by the user. The former text is back.",
      "- b.ts, line 1: undone by the user. The former text is back.",
    ]);
  });

  it("is what the user changed by hand in their lines, as it reads now", async () => {
    const { edit, workspace, noteOf } = writing();
    await edit("a.ts", "two", "2\n2.5");
    await edit("a.ts", "four\n", "four\nadded\n");
    workspace.type("a.ts", "one\n2\n2.7\nthree\nfour\nadded by both\nfive\n");
    assert.deepEqual(body(await noteOf()), [
      "- a.ts, lines 2–3: changed by the user, now:",
      "  2| 2",
      "  3| 2.7",
      "- a.ts, line 6: changed by the user, now:",
      "  6| added by both",
    ]);
    workspace.type("a.ts", "one\n2\n2.8\nthree\nfour\nadded by both\nfive\n");
    assert.deepEqual(body(await noteOf()), ["- a.ts, lines 2–3: changed by the user, now:", "  2| 2", "  3| 2.8"]);
  });

  it("follows files that the user moves, alone or with their folder, and says so", async () => {
    const { edit, apply, workspace, noteOf, written, reopened, store, reviews, textOf } = writing({
      ...{ "src/a.ts": text, "src/gone.ts": text },
    });
    await edit("src/a.ts", "two", "2");
    await apply([{ path: "src/gone.ts", before: text }]);
    await workspace.move("src/a.ts", "lib/a.ts");
    for (const each of [written, store]) each.followRename("src", "lib");
    await workspace.move("lib/a.ts", "lib/b.ts");
    for (const each of [written, store]) each.followRename("lib/a.ts", "lib/b.ts");
    const paths = (of: EditHistory) => of.all.map(({ path, exists }) => [path, exists]).toSorted();
    const moved = [
      ["lib/b.ts", true],
      ["src/gone.ts", false],
    ];
    assert.deepEqual(paths(written), moved);
    assert.deepEqual(store.files.map(({ path }) => path).toSorted(), ["lib/b.ts", "src/gone.ts"]);
    const again = await reopened();
    await again.refresh();
    assert.deepEqual(paths(again), moved);
    const note = await noteOf();
    assert.match(note ?? "", /The user moved src to lib\.\nThe user moved lib\/a\.ts to lib\/b\.ts\.\n/);
    assert.doesNotMatch(note ?? "", /does not exist/);
    await reviews.undo({});
    assert.equal(textOf("lib/b.ts"), text);
  });

  it("names files that are gone, and edits that are there again", async () => {
    const { apply, reviews, textOf, workspace, noteOf } = writing();
    await apply([{ path: "new.ts", after: "new\n" }]);
    await reviews.undo({});
    assert.equal(textOf("new.ts"), undefined);
    assert.deepEqual(body(await noteOf()), ["- new.ts: the file does not exist any more"]);
    workspace.type("new.ts", "new\n");
    assert.deepEqual(body(await noteOf()), ["- new.ts, line 1: there again as it was written"]);
  });

  it("is what the user made of a line that the agent had deleted, once it was back", async () => {
    const { edit, workspace, written, noteOf } = writing();
    await edit("a.ts", "two\n", "");
    workspace.type("a.ts", text);
    await written.refresh();
    workspace.type("a.ts", text.replace("two", "two and more"));
    assert.deepEqual(body(await noteOf()), ["- a.ts, line 2: changed by the user, now:", "  2| two and more"]);
    workspace.type("a.ts", text);
    assert.deepEqual(body(await noteOf()), ["- a.ts, line 2: undone by the user. The former text is back."]);
    workspace.type("a.ts", text.replace("two\n", ""));
    assert.deepEqual(body(await noteOf()), ["- a.ts, before line 2: there again as it was written"]);
  });

  it("is that a removed line is back, above or below what somebody typed where it had been", async () => {
    for (const there of ["typed\ntwo", "two\ntyped"]) {
      const { edit, workspace, noteOf } = writing();
      await edit("a.ts", "two\n", "");
      workspace.type("a.ts", text.replace("two", "typed"));
      assert.equal(await noteOf(), undefined);
      workspace.type("a.ts", text.replace("two", there));
      const line = there.split("\n").indexOf("two") + 2;
      assert.deepEqual(body(await noteOf()), [`- a.ts, line ${line}: undone by the user. The former text is back.`]);
    }
  });

  it("is nothing of a line like a removed one that somebody typed elsewhere", async () => {
    const { edit, workspace, noteOf } = writing();
    await edit("a.ts", "two\n", "");
    workspace.type("a.ts", `${text.replace("two\n", "")}two\n`);
    assert.equal(await noteOf(), undefined);
  });

  it("is what the user made of a line of the agent that was undone and redone", async () => {
    const { edit, workspace, reviews, textOf, noteOf } = writing();
    await edit("a.ts", "one", "first line");
    await reviews.undo({});
    await noteOf();
    workspace.type("a.ts", `typed\n${text}`);
    await noteOf();
    await reviews.redo();
    await noteOf();
    workspace.type("a.ts", textOf("a.ts")?.replace("first line", "first line by hand") ?? "");
    assert.deepEqual(body(await noteOf()), ["- a.ts, line 2: changed by the user, now:", "  2| first line by hand"]);
  });

  it("is nothing of a line that was undone and redone above one that an agent removed", async () => {
    const { edit, reviews, pending, noteOf } = writing();
    await edit("a.ts", "two\n", "two\nadded\n");
    await edit("a.ts", "three\n", "");
    await reviews.undo({ hunkId: pending()[0]?.hunk.id ?? "" });
    await noteOf();
    await reviews.redo();
    assert.deepEqual(body(await noteOf()), [
      "- a.ts, line 3: there again as it was written",
      "Kept as written: a.ts (1)",
    ]);
  });

  it("is reported to the agent that wrote and by those above it, each once", async () => {
    const { edit, reviews, noteOf } = writing();
    await edit("a.ts", "two", "2", "main/edit");
    await edit("b.ts", "two", "2", "main/other");
    await reviews.undo({ path: "a.ts" });
    assert.deepEqual(body(await noteOf("edit")), ["- a.ts, line 2: undone by the user. The former text is back."]);
    assert.equal(await noteOf("other"), undefined);
    assert.deepEqual(body(await noteOf("main")), [
      "- a.ts, line 2 (written by main › edit): undone by the user. The former text is back.",
      "Kept as written: b.ts (1)",
    ]);
  });

  it("names what an agent wrote that was stopped, to those it worked for, once", async () => {
    const { edit, reviews, pending, written, noteOf, reopened } = writing();
    await edit("a.ts", "two", "2", "main/edit");
    await edit("a.ts", "four\n", "", "main/edit/deep");
    await edit("b.ts", "five", "5", "main/other");
    written.leaveUnreported("edit");
    // It was being written when the agent was stopped.
    await edit("b.ts", "one", "1", "main/edit");
    const again = await reopened();
    await reviews.undo({ hunkId: pending().at(-1)?.hunk.id ?? "" });
    assert.deepEqual((await noteOf("main", again))?.split("\n").slice(1, -1), [
      "Agents wrote this before they were stopped, and could not tell you (lines as they are now):",
      "- a.ts, line 2 (written by main › edit):",
      "  2| 2",
      "- a.ts, before line 4: lines were deleted (written by main › edit › deep)",
      "What the user did since with edits that you or your agents wrote (lines as they are now):",
      "- b.ts, line 1 (written by main › edit): undone by the user. The former text is back.",
      "Kept as written: b.ts (1)",
      "Don't redo what the user undid, unless they ask for it. Read these files again before you edit them.",
    ]);
    assert.equal(await noteOf("main", again), undefined);
    assert.doesNotMatch((await noteOf("edit", again)) ?? "", /Agents wrote/, "it knows of its own");
  });

  it("says nothing of what a later edit of an agent replaced", async () => {
    const { edit, noteOf } = writing();
    await edit("a.ts", "two", "2", "main/edit");
    await edit("a.ts", "2\n", "zwei\n", "main/other");
    assert.equal(await noteOf("main"), undefined);
    assert.equal(await noteOf("edit"), undefined);
  });

  it("says nothing of what commands of agents did, and says other events", async () => {
    const { edit, workspace, written, noteOf } = writing();
    await edit("a.ts", "two", "2");
    workspace.type("a.ts", text);
    await written.absorb(["a.ts"]);
    assert.equal(await noteOf(), undefined);
    // Once more after the editor ended in the middle.
    for (let time = 0; time < 2; time++) written.addEvent("main", "The user rewound files.");
    assert.match((await noteOf()) ?? "", /^<review>\nThe user rewound files\.\n(?!The user rewound)/);
    assert.equal(await noteOf(), undefined);
  });

  it("is known after the window was opened again, what was reported too", async () => {
    const { edit, reviews, noteOf, reopened } = writing();
    await edit("a.ts", "two", "2");
    await edit("b.ts", "two", "2");
    await reviews.undo({ path: "b.ts" });
    await noteOf();
    await reviews.undo({});
    const again = await reopened();
    assert.deepEqual(body(await noteOf("main", again)), [
      "- a.ts, line 2: undone by the user. The former text is back.",
    ]);
  });

  it("is known in a window that takes up what one that is gone wrote, with what it wrote itself", async () => {
    const gone = writing({ "a.ts": text, "b.ts": text, "c.ts": text });
    await gone.edit("b.ts", "one", "1", "left");
    await gone.edit("a.ts", "one", "1", "left");
    await gone.reviews.undo({ path: "b.ts" });
    await gone.noteOf("left");
    gone.written.addEvent("left", "The user rewound files.");
    gone.written.dispose();
    await Promise.resolve();
    const here = writing(Object.fromEntries(gone.workspace.files));
    await here.edit("a.ts", "five", "5", "right");
    await here.edit("c.ts", "five", "5", "right");
    const left = leftEdits(gone.kept);
    await here.written.adopt(left);
    assert.equal(gone.kept.json, undefined, "removed there");
    assert.equal((await here.noteOf("left"))?.split("\n")[1], "The user rewound files.");
    for (const [path, now] of here.workspace.files)
      here.workspace.type(path, now.replace("1\n", "one\n").replace("5\n", "five\n"));
    const again = await here.reopened();
    assert.deepEqual(body(await here.noteOf("left", again)), [
      "- a.ts, line 1: undone by the user. The former text is back.",
    ]);
    assert.deepEqual(body(await here.noteOf("right", again)), [
      "- a.ts, line 5: undone by the user. The former text is back.",
      "- c.ts, line 5: undone by the user. The former text is back.",
    ]);
  });

  it("is said once when what a window left could not be removed there, and damage is set aside", async () => {
    const gone = writing();
    await gone.edit("a.ts", "one", "1", "left");
    gone.written.addEvent("left", "The user rewound files.");
    gone.written.dispose();
    await Promise.resolve();
    const here = writing(Object.fromEntries(gone.workspace.files));
    const left = leftEdits(gone.kept);
    await assert.rejects(here.written.adopt({ ...left, remove: () => Promise.reject(new Error("EBUSY")) }), /EBUSY/);
    await here.written.adopt(left);
    here.workspace.type("a.ts", text);
    assert.deepEqual((await here.noteOf("left"))?.split("\n").slice(1, 4), [
      "The user rewound files.",
      "What the user did since with edits that you or your agents wrote (lines as they are now):",
      "- a.ts, line 1: undone by the user. The former text is back.",
    ]);
    gone.kept.json = '{"version":1,"ed';
    await here.written.adopt(left);
    assert.equal(gone.kept.aside, '{"version":1,"ed');
  });
});

function leftEdits(kept: { json?: string; aside?: string }): LeftEdits {
  return {
    read: async () => kept.json,
    write: async (json) => {
      kept.json = json;
    },
    setAside: async () => {
      kept.aside = kept.json ?? "";
      delete kept.json;
    },
    remove: async () => {
      delete kept.json;
    },
  };
}
