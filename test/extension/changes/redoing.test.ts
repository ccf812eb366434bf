import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { editsOnDisk, PendingEditsFile } from "../../../src/extension/changes/persistedEdits.ts";
import { UndoneEditsFile } from "../../../src/extension/changes/undoneEditsFile.ts";
import { applying } from "./support/applying.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

describe("redoing what was undone", () => {
  it("brings edits back as pending, around what the user typed since", async () => {
    const session = applying({ "a.ts": text, "b.ts": text });
    const { edit, reviews, type, textOf, pending, store } = session;
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5");
    await edit("b.ts", "one", "1");
    const before = pending();
    await reviews.undo({});
    assert.deepEqual([textOf("a.ts"), textOf("b.ts"), pending()], [text, text, []]);
    assert.equal(store.undone.length, 1);
    type("a.ts", "typed\none\ntwo\nthree\nfour\nfive\nmore\n");
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), "typed\none\n2\nthree\nfour\n5\nmore\n");
    assert.equal(textOf("b.ts"), text.replace("one", "1"));
    assert.deepEqual(
      pending()
        .map(({ hunk }) => hunk.id)
        .toSorted(),
      before.map(({ hunk }) => hunk.id).toSorted(),
    );
    assert.equal(store.undone.length, 0);
    await reviews.undo({});
    assert.equal(textOf("a.ts"), "typed\none\ntwo\nthree\nfour\nfive\nmore\n");
  });

  it("and undone again puts a line back below what was typed above it", async () => {
    const { edit, reviews, type, textOf } = applying({ "a.ts": text });
    await edit("a.ts", "three\n", "");
    await reviews.undo({});
    type("a.ts", text.replace("three", "typed\nthree"));
    await reviews.redo();
    assert.equal(textOf("a.ts"), text.replace("three", "typed"));
    await reviews.undo({});
    assert.equal(textOf("a.ts"), text.replace("three", "typed\nthree"));
  });

  it("leaves the user's lines where they replaced what would come back, and says so", async () => {
    const { edit, reviews, type, textOf, pending } = applying({ "a.ts": text });
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5");
    await reviews.undo({});
    type("a.ts", "one\nmine\nthree\nfour\nfive\n");
    assert.equal(await reviews.redo(), 1);
    assert.equal(textOf("a.ts"), "one\nmine\nthree\nfour\n5\n");
    assert.deepEqual(
      pending().map(({ hunk }) => hunk.hunk.newLines),
      [["5"]],
    );
  });

  it("brings an edit back where the editor has given a file of several line ends one since", async () => {
    const { edit, reviews, type, textOf } = applying({ "a.ts": "one\ntwo\r\nthree\nfour\n" });
    await edit("a.ts", "two", "2");
    await reviews.undo({});
    type("a.ts", "one\ntwo\nthree\ntyped\n");
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), "one\n2\nthree\ntyped\n");
  });

  it("makes an edit again once, where a formatter has changed a line of it alike since the undo", async () => {
    const { edit, reviews, type, textOf, pending } = applying({ "a.ts": "one  \ntwo\nthree\n" });
    await edit("a.ts", "one  \ntwo", "one");
    await reviews.undo({});
    type("a.ts", "one\ntwo\nthree\n");
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), "one\nthree\n");
    assert.equal(pending().length, 1);
    await reviews.undo({});
    assert.equal(textOf("a.ts"), "one  \ntwo\nthree\n");
  });

  it("makes, removes and moves files again, unless the user put something in their place", async () => {
    const { apply, reviews, type, textOf, pending } = applying({ "gone.ts": text, "old.ts": "old\n" });
    await apply([{ path: "new.ts", after: "new\n" }]);
    await apply([{ path: "gone.ts", before: text }]);
    await apply([{ path: "old.ts", movedTo: "moved.ts" }]);
    await reviews.undo({});
    assert.deepEqual(["new.ts", "gone.ts", "old.ts", "moved.ts"].map(textOf), [undefined, text, "old\n", undefined]);
    assert.equal(await reviews.redo(), 0);
    assert.deepEqual(["new.ts", "gone.ts", "old.ts", "moved.ts"].map(textOf), ["new\n", undefined, undefined, "old\n"]);
    assert.equal(pending().length, 3);
    await reviews.undo({});
    type("new.ts", "mine\n");
    type("gone.ts", "mine\n");
    assert.equal(await reviews.redo(), 2);
    assert.deepEqual(["new.ts", "gone.ts", "moved.ts"].map(textOf), ["mine\n", "mine\n", "old\n"]);
  });

  it("goes back undo by undo, and ends with the next edit of an agent", async () => {
    const { edit, reviews, textOf, pending, store } = applying({ "a.ts": text });
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5");
    await reviews.undo({ hunkId: pending()[0]?.hunk.id ?? "" });
    await reviews.undo({});
    await reviews.redo();
    assert.equal(textOf("a.ts"), text.replace("five", "5"));
    await reviews.redo();
    assert.equal(textOf("a.ts"), text.replace("five", "5").replace("two", "2"));
    assert.equal(pending().length, 2);
    await reviews.undo({});
    await edit("a.ts", "three", "3");
    assert.equal(store.undone.length, 0);
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), text.replace("three", "3"));
  });

  it("and undone again loses, doubles and moves no line, whatever was typed or formatted meanwhile", async () => {
    const change = fc.constantFrom("keep", "keep", "keep", "remove", "replace", "insert", "trim");
    const plan = fc.record({ blanks: fc.boolean(), byAgent: change, byUser: change });
    const changed = (line: string, how: string, name: string) => {
      if (how === "remove") return [];
      if (how === "replace") return [name];
      if (how === "insert") return [name, line];
      return [how === "trim" ? line.trimEnd() : line];
    };
    const linesOf = (text = "") => text.split("\n").slice(0, -1);
    const textOfLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 9 }), async (plans) => {
        const lines = plans.map(({ blanks }, at) => `line ${at}${blanks ? "  " : ""}`);
        const before = textOfLines(lines);
        const after = textOfLines(plans.flatMap(({ byAgent }, at) => changed(lines[at] ?? "", byAgent, `agent ${at}`)));
        const typed = plans.flatMap(({ byUser }, at) => changed(lines[at] ?? "", byUser, `user ${at}`));
        const { apply, reviews, type, textOf, pending } = applying({ "a.ts": before });
        await apply([{ path: "a.ts", before, after }]);
        const written = pending().length;
        await reviews.undo({});
        assert.equal(textOf("a.ts"), before);
        type("a.ts", textOfLines(typed));
        const left = await reviews.redo();
        assert.equal(pending().length, written - left);
        await reviews.undo({});
        const end = linesOf(textOf("a.ts")).map((line) => line.trimEnd());
        assert.equal(new Set(end).size, end.length, `A line is there twice: ${end}`);
        // What both removed is the agent's, and comes back.
        const mine = typed.map((line) => line.trimEnd());
        assert.deepEqual(
          end.filter((line) => mine.includes(line)),
          mine,
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a redo that can't write a file", () => {
  it("brings the others back, and that one when it is asked for again", async () => {
    const { edit, reviews, workspace, textOf, pending, store } = applying({ "a.ts": text, "b.ts": text });
    await edit("a.ts", "two", "2");
    await edit("b.ts", "one", "1");
    await reviews.undo({});
    const written = workspace.writes.length;
    workspace.beforeWrite = () => {
      if (workspace.writes.length === written) {
        workspace.beforeWrite = () => {};
        throw new Error("disk full");
      }
    };
    await assert.rejects(reviews.redo(), /disk full/);
    assert.deepEqual([textOf("a.ts"), textOf("b.ts")], [text, text.replace("one", "1")]);
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), text.replace("two", "2"));
    assert.deepEqual([pending().length, store.undone.length], [2, 0]);
  });
});

describe("what was undone, over a reload of the window", () => {
  /** Windows one after another on the same files and the same folder. */
  async function windows(contents: Record<string, string>) {
    const folder = await mkdtemp(join(tmpdir(), "arbor-undone-"));
    const saved = editsOnDisk(folder, undefined, "undone-edits.json");
    const pendingEdits = editsOnDisk(folder);
    const errors: unknown[] = [];
    let files = contents;
    async function open() {
      const session = applying(files);
      const { store, workspace } = session;
      const file = new UndoneEditsFile({
        ...{ store, workspace, saved, onError: (error) => errors.push(error) },
        currentTextOf: async (path) => session.textOf(path),
        onceSaved: () => pending.flush(),
      });
      const pending = new PendingEditsFile({
        ...{ store: session.store, saved: pendingEdits, typingRestsMs: 0 },
        currentTextOf: async (path) => session.textOf(path),
        onDropped: () => assert.fail("Something was dropped."),
        onError: (error) => errors.push(error),
      });
      const loaded = [await pending.load(), await file.load()];
      const close = async () => {
        for (const each of loaded) each.dispose();
        await Promise.all([file.flush(), pending.flush()]);
        files = Object.fromEntries(session.workspace.files);
      };
      return { ...session, pendingFile: pending, file, close };
    }
    return { open, folder, saved, pendingEdits, errors, close: () => rm(folder, { recursive: true, maxRetries: 5 }) };
  }

  it("can be redone byte for byte, the latest first: lines, and files that were made, deleted and moved", async () => {
    const given = await windows({ "a.ts": text.replaceAll("\n", "\r\n"), "gone.ts": text, "old.ts": "old" });
    const first = await given.open();
    await first.edit("a.ts", "two", "2", "main/left");
    await first.apply([{ path: "new.ts", after: "new\n" }]);
    await first.apply([{ path: "gone.ts", before: text }]);
    await first.apply([{ path: "old.ts", movedTo: "moved.ts" }]);
    await first.edit("a.ts", "five", "5", "main/right");
    const [written, pending] = [Object.fromEntries(first.workspace.files), first.pending()];
    await first.reviews.undo({ agentId: "right" });
    await first.reviews.undo({});
    await first.close();

    const second = await given.open();
    assert.equal(second.store.undone.length, 2);
    assert.equal(await second.reviews.redo(), 0);
    await second.close();
    const third = await given.open();
    assert.equal(await third.reviews.redo(), 0);
    assert.deepEqual(
      Object.fromEntries([...third.workspace.files].toSorted()),
      Object.fromEntries(Object.entries(written).toSorted()),
    );
    // A file that is moved again comes back with its move alone.
    const authors = (list: typeof pending) => list.map(({ hunk }) => `${hunk.id} ${hunk.author.agentPath}`).toSorted();
    assert.deepEqual(authors(third.pending()), authors(pending));
    assert.deepEqual(third.store.undone, []);
    await third.close();
    await given.close();
  });

  it("leaves what the user typed meanwhile, while the window was closed too", async () => {
    const given = await windows({ "a.ts": text });
    const first = await given.open();
    await first.edit("a.ts", "two", "2");
    await first.edit("a.ts", "five", "5");
    await first.reviews.undo({});
    first.type("a.ts", "one\nmine\nthree\nfour\nfive\n");
    await first.close();
    const second = await given.open();
    assert.equal(await second.reviews.redo(), 1);
    assert.equal(second.textOf("a.ts"), "one\nmine\nthree\nfour\n5\n");
    await given.close();
  });

  it("is bounded: the oldest is left out where all is too much", async () => {
    const big = `${"x".repeat(1_000)}\n`.repeat(3_000);
    const given = await windows({ "a.ts": `1\n${big}`, "b.ts": `1\n${big}`, "c.ts": "1\n" });
    const first = await given.open();
    for (const path of ["a.ts", "b.ts", "c.ts"]) {
      await first.edit(path, "1", "2");
    }
    for (const path of ["a.ts", "b.ts", "c.ts"]) await first.reviews.undo({ path });
    await first.close();
    const { store } = await given.open();
    assert.deepEqual(
      store.undone.map((files) => files.map(({ before }) => before.path)),
      [["b.ts"], ["c.ts"]],
    );
    await given.close();
  });

  it("is set aside where it can't be read, and none where an older version was", async () => {
    const given = await windows({ "a.ts": text });
    await (await given.open()).close();
    await given.saved.write('{"version":1,"undone":[[{"pathAfter":');
    const { store, edit, reviews, file } = await given.open();
    assert.deepEqual(store.undone, []);
    await edit("a.ts", "two", "2");
    await reviews.undo({});
    await file.flush();
    assert.equal((await readdir(given.folder)).filter((name) => name.includes("undone")).length, 2);
    assert.deepEqual(given.errors, []);
    await given.close();
  });

  it("stays where the window left it as long as it can't be saved here", async () => {
    const given = await windows({ "a.ts": text });
    const first = await given.open();
    await first.edit("a.ts", "two", "2");
    await first.reviews.undo({});
    await first.close();
    const { store, workspace } = applying({ "a.ts": text });
    const full = { ...given.saved, read: async () => undefined, write: () => Promise.reject(new Error("disk full")) };
    const unread = { currentTextOf: async () => undefined, onceSaved: async () => {} };
    const file = new UndoneEditsFile({ ...unread, store, workspace, saved: full, onError: () => {} });
    await file.adopt(given.saved);
    assert.deepEqual(store.undone, [], "what is here has not been read yet");
    await file.load();
    await assert.rejects(file.adopt(given.saved), /disk full/);
    assert.match((await given.saved.read()) ?? "", /a\.ts/);
    await given.close();
  });

  it("is not called lost where another window takes it over, as long as it can be redone", async () => {
    const given = await windows({ "a.ts": text });
    const first = await given.open();
    await first.edit("a.ts", "two", "2");
    await first.close();
    const waiting = (await given.pendingEdits.read()) ?? assert.fail("Nothing waits.");
    const ending = await given.open();
    await ending.reviews.undo({});
    await ending.close();
    // It ended before it was saved that nothing waits any more.
    await given.pendingEdits.write(waiting);
    const other = await windows({ "a.ts": text });
    const { pendingFile, file, reviews, textOf } = await other.open();
    const dropped = await pendingFile.adopt(given.pendingEdits);
    assert.deepEqual(
      dropped.map(({ path }) => path),
      ["a.ts"],
    );
    assert.deepEqual(await file.lostOf(dropped, given.saved), []);
    await file.adopt(given.saved);
    assert.deepEqual(await file.lostOf(dropped, given.saved), []);
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), text.replace("two", "2"));
    assert.deepEqual(await file.lostOf(dropped, given.saved), dropped);
    await Promise.all([given.close(), other.close()]);
  });

  it("is taken over from a window that is gone, unless something was undone here", async () => {
    const given = await windows({ "a.ts": text, "b.ts": text });
    const first = await given.open();
    await first.edit("a.ts", "two", "2");
    await first.reviews.undo({});
    await first.close();
    const other = await windows({ "a.ts": text, "b.ts": text });
    const busy = await other.open();
    await busy.edit("b.ts", "two", "2");
    await busy.reviews.undo({});
    await busy.file.adopt(given.saved);
    assert.deepEqual(
      busy.store.undone.flat().map(({ before }) => before.path),
      ["b.ts"],
    );
    assert.equal(await busy.reviews.redo(), 0);
    await busy.file.adopt(given.saved);
    assert.deepEqual(
      busy.store.undone.flat().map(({ before }) => before.path),
      ["a.ts"],
    );
    assert.equal(await given.saved.read(), undefined);
    await Promise.all([given.close(), other.close()]);
  });
});
