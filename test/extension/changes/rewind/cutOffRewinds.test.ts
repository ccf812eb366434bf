import assert from "node:assert/strict";
import { user } from "../../../support/events.ts";
import { closed, cutOffs, type KeptWindow, keptFiles, windowOn, withOpenings } from "../support/keptWindow.ts";

type State = ReturnType<KeptWindow["state"]>;

/** After two messages in which agents changed, created and deleted files. */
async function afterTwoMessages() {
  const window = await windowOn(keptFiles({ "a.ts": "one\ntwo\nthree\n", "c.ts": "old\n" }));
  const { session, checkpoints, chat, write } = window;
  checkpoints.begin("u1");
  await chat.send(user("u1", "first"), "queue");
  await write("a.ts", () => session.edit("a.ts", "two", "2"));
  checkpoints.begin("u2");
  await chat.send(user("u2", "second"), "queue");
  const tests = ["main", "tests"];
  await write("a.ts", () => session.edit("a.ts", "three", "3", "main/tests"), tests);
  await write("b.ts", () => session.apply([{ path: "b.ts", after: "new\n" }], "main/tests"), tests);
  await write("c.ts", () => session.apply([{ path: "c.ts", before: "old\n" }], "main/tests"), tests);
  return closed(window);
}

const changed = (one: State, other: State) =>
  [...new Set([...Object.keys(one.files), ...Object.keys(other.files)])]
    .filter((path) => one.files[path] !== other.files[path])
    .toSorted();

const actions = {
  "a rewind of files and conversation": (window: KeptWindow) => window.rewinds.rewind(window.chat, "u2", "both"),
  "a rewind of files": (window: KeptWindow) => window.rewinds.rewind(window.chat, "u2", "files"),
  "a rewind of the conversation": (window: KeptWindow) => window.rewinds.rewind(window.chat, "u2", "conversation"),
  "the undo of an agent's changes": (window: KeptWindow) =>
    window.rewinds.undoBranch(window.chat, () => ({ agentId: "tests", name: "tests" })),
};

describe("the end of the editor in the middle of", () => {
  for (const [name, act] of Object.entries(actions)) {
    it(`${name}: at each step, what was done is named and can be undone`, async () => {
      const { kept, before } = await afterTwoMessages();
      const { left, after } = await cutOffs(kept, act);
      assert.ok(left.length >= (name.includes("conversation") ? 2 : 6), `${left.length} steps`);
      let named = 0;
      for (const [step, cutOff] of (await withOpenings(left)).entries()) {
        const window = await windowOn(cutOff);
        const found = window.state();
        const at = `step ${step} of ${left.length}`;
        const done = changed(before, found);
        const isRemoved = found.said.length < before.said.length;
        if (done.length === 0 && !isRemoved) {
          assert.equal(found.undoable, undefined, at);
        } else {
          assert.ok(found.undoable !== undefined && found.undoable.underWay === undefined, at);
          const { interrupted } = found.undoable;
          const missing = changed(found, after);
          if (missing.length > 0 || found.said.length !== after.said.length) {
            assert.deepEqual([interrupted?.in, interrupted?.done.toSorted()], ["rewind", done], at);
            assert.deepEqual(interrupted?.left.toSorted(), missing, at);
            named += 1;
          } else assert.equal(interrupted, undefined, at);
          await window.rewinds.undo(window.chat);
        }
        const { undoable, ...undone } = window.state();
        const { undoable: _, ...was } = before;
        assert.deepEqual(undone, was, at);
        assert.equal(undoable, undefined, at);
        assert.deepEqual(window.problems, [], at);
        await window.close();
      }
      if (after.said.length === before.said.length) assert.ok(named > 0, "some step is between two files");
    });

    it(`the undo of ${name}: at each step, what was done is named and the rest can be done`, async () => {
      const { kept, before } = await afterTwoMessages();
      const rewound = await windowOn(kept);
      await act(rewound);
      rewound.checkpoints.begin("u3");
      await rewound.chat.send(user("u3", "third"), "queue");
      const { kept: again, before: from } = await closed(rewound);
      const { left, after } = await cutOffs(again, (window) => window.rewinds.undo(window.chat));
      assert.deepEqual(after.files, before.files);
      for (const [step, cutOff] of (await withOpenings(left)).entries()) {
        const window = await windowOn(cutOff);
        const found = window.state();
        const at = `step ${step} of ${left.length}`;
        const isSaid = found.said.length === after.said.length;
        const [done, missing] = [changed(from, found), changed(found, after)];
        if (missing.length === 0 && isSaid) {
          if (found.undoable !== undefined) await window.rewinds.undo(window.chat);
        } else {
          assert.ok(found.undoable !== undefined, at);
          const { interrupted } = found.undoable;
          if (done.length > 0) {
            assert.deepEqual([interrupted?.in, interrupted?.done.toSorted()], ["undo", done], at);
            assert.deepEqual(interrupted?.left.toSorted(), missing, at);
          } else assert.equal(interrupted, undefined, at);
          await window.rewinds.undo(window.chat);
        }
        assert.deepEqual(window.state(), after, at);
        assert.deepEqual(window.problems, [], at);
        await window.close();
      }
    });
  }

  it("a rewind: lines that are typed since stay, whether it is undone or made again", async () => {
    const { kept, before } = await afterTwoMessages();
    const { left, after } = await cutOffs(kept, actions["a rewind of files"]);
    for (const cutOff of left) {
      const window = await windowOn(cutOff);
      const { "a.ts": now = "" } = window.state().files;
      window.session.type("a.ts", `typed\n${now.replace("one", "one, typed")}`);
      if (window.chat.host.undoableRewind !== undefined) await window.rewinds.undo(window.chat);
      const typedInto = (text = "") => `typed\n${text.replace("one", "one, typed")}`;
      assert.equal(window.state().files["a.ts"], typedInto(before.files["a.ts"]));
      await actions["a rewind of files"](window);
      assert.equal(window.state().files["a.ts"], typedInto(after.files["a.ts"]));
      assert.doesNotMatch(window.asked.join(), /that you changed/);
      await window.close();
    }
  });

  it("a rewind: what it had not reached can be undone with its agent's other changes", async () => {
    const { kept } = await afterTwoMessages();
    const { left, after } = await cutOffs(kept, actions["a rewind of files"]);
    for (const [step, cutOff] of left.entries()) {
      const window = await windowOn(cutOff);
      if (changed(window.state(), after).length > 0) await actions["the undo of an agent's changes"](window);
      assert.deepEqual(window.state().files, after.files, `step ${step} of ${left.length}`);
      await window.close();
    }
  });

  it("the undo of a rewind: a file that the user has restored before is not named as one that is not restored", async () => {
    const { kept, before } = await afterTwoMessages();
    const rewound = await windowOn(kept);
    await actions["a rewind of files"](rewound);
    rewound.session.type("a.ts", before.files["a.ts"] ?? "");
    const { kept: again } = await closed(rewound);
    const { left } = await cutOffs(again, (window) => window.rewinds.undo(window.chat));
    const named: string[][] = [];
    for (const cutOff of left) {
      const window = await windowOn(cutOff);
      const { interrupted } = window.state().undoable ?? {};
      if (interrupted !== undefined) named.push([...interrupted.done, ...interrupted.left].toSorted());
      await window.close();
    }
    assert.ok(named.length > 0);
    for (const paths of named) assert.deepEqual(paths, ["b.ts", "c.ts"]);
  });

  it("a rewind: what it had not reached is not taken for a part of it when it is made again", async () => {
    const { kept, before } = await afterTwoMessages();
    const { left } = await cutOffs(kept, actions["a rewind of files"]);
    const untouched = left.filter(({ files, index }) => files["a.ts"] === before.files["a.ts"] && index !== kept.index);
    assert.ok(untouched.length > 0);
    for (const cutOff of untouched) {
      const window = await windowOn(cutOff);
      window.session.type("a.ts", "one\n2\n3, typed\n");
      await actions["a rewind of files"](window);
      assert.match(window.asked.join(), /a\.ts: line 3 that you changed/);
      assert.equal(window.state().files["a.ts"], "one\n2\nthree\n");
      await window.rewinds.undo(window.chat);
      assert.equal(window.state().files["a.ts"], "one\n2\n3, typed\n");
      await window.close();
    }
  });

  it("a rewind: a file that it had not reached is found where the user moved it since", async () => {
    const { kept } = await afterTwoMessages();
    const { left, after } = await cutOffs(kept, actions["a rewind of files"]);
    const untouched = left.filter(({ files, index }) => files["b.ts"] !== undefined && index !== kept.index);
    assert.ok(untouched.length > 0);
    for (const cutOff of untouched) {
      const window = await windowOn(cutOff);
      await window.session.workspace.move("b.ts", "moved.ts");
      await window.checkpoints.followRename("b.ts", "moved.ts");
      await actions["a rewind of files"](window);
      assert.deepEqual(window.state().files, after.files);
      await window.close();
    }
  });

  it("a rewind: what waits in another window for lines that it removed is not offered there any more", async () => {
    const { kept, before } = await afterTwoMessages();
    const { left } = await cutOffs(kept, actions["a rewind of files"]);
    let removed = 0;
    for (const cutOff of left) {
      const [fresh, other] = [await windowOn(cutOff), await windowOn(cutOff, undefined, before.files)];
      assert.deepEqual(other.state().pending, fresh.state().pending);
      if (fresh.state().pending.length < before.pending.length) removed += 1;
      for (const window of [fresh, other]) await window.close();
    }
    assert.ok(removed > 1, `${removed} steps`);
  });

  it("the undo of a rewind: messages that are there again are not added twice, though a file has changed since", async () => {
    const { kept } = await afterTwoMessages();
    const rewound = await windowOn(kept);
    await actions["a rewind of files and conversation"](rewound);
    const { kept: again, before: from } = await closed(rewound);
    const { left, after } = await cutOffs(again, (window) => window.rewinds.undo(window.chat));
    let found = 0;
    for (const cutOff of left) {
      const window = await windowOn({ ...cutOff, files: { ...cutOff.files, "a.ts": from.files["a.ts"] ?? "" } });
      const { said, undoable } = window.state();
      if (undoable !== undefined) {
        if (said.length === after.said.length) found += 1;
        await window.rewinds.undo(window.chat);
        const { files, said: now } = window.state();
        assert.deepEqual([files, now], [after.files, after.said]);
      }
      await window.close();
    }
    assert.ok(found > 0, "some step is behind the messages");
  });

  it("the undo of an agent's changes: what others built on is shown when the chat is opened again", async () => {
    const window = await windowOn(keptFiles({ "a.ts": "one\ntwo\nthree\n" }));
    const { session, checkpoints, chat, write } = window;
    checkpoints.begin("u1");
    await chat.send(user("u1", "first"), "queue");
    const tests = ["main", "tests"];
    await write("a.ts", () => session.edit("a.ts", "two", "2", "main/tests"), tests);
    for (const path of ["b.ts", "c.ts"])
      await write(path, () => session.apply([{ path, after: "new\n" }], "main/tests"), tests);
    await write("a.ts", () => session.edit("a.ts", "2", "2 and more"));
    const { kept, before } = await closed(window);
    const { left } = await cutOffs(kept, actions["the undo of an agent's changes"]);
    let shown = 0;
    for (const cutOff of left) {
      const again = await windowOn(cutOff);
      const { undoable, files } = again.state();
      if (undoable?.interrupted !== undefined) assert.deepEqual(again.conflicts, ["tests: a.ts"]);
      if (again.conflicts.length > 0) {
        assert.deepEqual(again.conflicts, ["tests: a.ts"]);
        assert.notDeepEqual(files, before.files);
        shown += 1;
      }
      await again.close();
    }
    assert.ok(shown > 1, `${shown} steps`);
  });
});
