import assert from "node:assert/strict";
import { UserError } from "../../../src/extension/common/userError.ts";
import { reviewing } from "./support/reviewing.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "one\nTWO\nthree\nfour\nfive\nsix\n";
const change = { path: "a.ts", before, after };
const rejected = { accepted: false, conflicted: undefined, unanswered: undefined };

describe("a reviewed edit", () => {
  it("writes nothing before it is answered", async () => {
    const { workspace, propose, pending } = reviewing({ "a.ts": before });
    await propose([change]);
    assert.equal(pending().length, 2);
    assert.equal(workspace.files.get("a.ts"), before);
  });

  it("writes an accepted hunk at once and waits for the others", async () => {
    const { workspace, reviews, propose, pending, events } = reviewing({ "a.ts": before });
    const { outcome } = await propose([change]);
    const [first] = pending();
    await reviews.accept({ hunkId: first?.id ?? "" });
    assert.equal(workspace.files.get("a.ts"), "one\nTWO\nthree\nfour\nfive\n");
    assert.equal(pending().length, 1);
    await reviews.reject({}, "no six");
    assert.equal(workspace.files.get("a.ts"), "one\nTWO\nthree\nfour\nfive\n");
    const [file] = (await outcome).files;
    assert.deepEqual(
      file?.hunks.map(({ accepted, reason }) => ({ accepted, reason })),
      [
        { accepted: true, reason: undefined },
        { accepted: false, reason: "no six" },
      ],
    );
    assert.equal(file?.text, "one\nTWO\nthree\nfour\nfive\n");
    assert.deepEqual(
      events.map(({ type }) => type),
      ["approval_requested", "hunk_decided", "hunk_decided", "approval_closed"],
    );
    assert.deepEqual(events.at(-1), { type: "approval_closed", approvalId: "p1", outcome: "partly" });
  });

  it("writes all hunks of a file in one go", async () => {
    const { workspace, reviews, propose } = reviewing({ "a.ts": before });
    const { outcome } = await propose([change]);
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), after);
    assert.equal(workspace.writes.length, 1);
    assert.equal((await outcome).files[0]?.changedByUser, false);
  });

  it("keeps what was typed above, between and below its hunks", async () => {
    for (const open of [[], ["a.ts"]]) {
      const { workspace, reviews, propose, type } = reviewing({ "a.ts": before }, open);
      await propose([change]);
      type("a.ts", "zero\none\ntwo\nthree!\nfour\nfive\nlast\n");
      await reviews.accept({});
      assert.equal(workspace.files.get("a.ts"), "zero\none\nTWO\nthree!\nfour\nfive\nsix\nlast\n");
    }
  });

  it("is in conflict while its own lines are changed, and out of it when they are back", async () => {
    const { workspace, reviews, propose, type, pending } = reviewing({ "a.ts": before }, ["a.ts"]);
    const { outcome } = await propose([change]);
    const typed = before.replace("two", "two!");
    type("a.ts", typed);
    assert.deepEqual(
      pending().map(({ conflicted }) => conflicted),
      [true, false],
    );
    assert.equal(await reviews.accept({}), 1);
    assert.equal(workspace.files.get("a.ts"), `${typed}six\n`);
    type("a.ts", `${before}six\n`);
    assert.deepEqual(
      pending().map(({ conflicted }) => conflicted),
      [false],
    );
    assert.equal(await reviews.accept({}), 0);
    assert.equal(workspace.files.get("a.ts"), after);
    await outcome;
  });

  it("30 reports a rejected hunk as rejected, also when its lines had changed, and keeps those", async () => {
    const { workspace, reviews, propose, type } = reviewing({ "a.ts": before }, ["a.ts"]);
    const { outcome } = await propose([change]);
    type("a.ts", before.replace("two", "two!"));
    await reviews.reject({});
    const [file] = (await outcome).files;
    assert.deepEqual(
      file?.hunks.map(({ accepted, conflicted, unanswered }) => ({ accepted, conflicted, unanswered })),
      [rejected, rejected],
    );
    assert.equal(workspace.files.get("a.ts"), before.replace("two", "two!"));
  });

  it("fits itself to what is typed at the very moment of writing", async () => {
    const { workspace, reviews, propose } = reviewing({ "a.ts": before });
    await propose([change]);
    workspace.beforeWrite = () => {
      workspace.beforeWrite = () => {};
      workspace.type("a.ts", `zero\n${before}`);
    };
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), `zero\n${after}`);
  });

  it("stays open when the file can't be written", async () => {
    const { workspace, reviews, propose, pending } = reviewing({ "a.ts": before });
    await propose([change]);
    workspace.beforeWrite = () => {
      throw new Error("read-only");
    };
    await assert.rejects(reviews.accept({}), /read-only/);
    assert.equal(pending().length, 2);
  });

  it("names each file that can't be written when all are accepted, and writes the others", async () => {
    const names = ["a.ts", "b.ts", "c.ts", "d.ts"];
    const { workspace, reviews, propose, pending, events } = reviewing(
      Object.fromEntries(names.map((path) => [path, before])),
    );
    const { outcome } = await propose(names.map((path) => ({ ...change, path })));
    const unwritable = new Set(["b.ts", "d.ts"]);
    const replace = workspace.replace.bind(workspace);
    workspace.replace = async (path, ...rest) => {
      if (unwritable.has(path)) throw new UserError(`${path} could not be written: it is read-only.`);
      return replace(path, ...rest);
    };
    const both = "b.ts could not be written: it is read-only. d.ts could not be written: it is read-only.";
    await assert.rejects(reviews.accept({}), new UserError(both));
    assert.deepEqual([...workspace.files], names.map((path) => [path, unwritable.has(path) ? before : after]).sort());
    assert.equal(pending().length, 4, "they wait");
    assert.equal(events.filter(({ type }) => type === "approval_closed").length, 0);
    unwritable.clear();
    assert.equal(await reviews.accept({}), 0);
    assert.deepEqual(new Set(workspace.files.values()), new Set([after]));
    assert.equal((await outcome).files.length, 4);
  });

  it("is answered once by two clicks", async () => {
    const { workspace, reviews, propose, pending, events } = reviewing({ "a.ts": before });
    await propose([change]);
    const hunkId = pending()[0]?.id ?? "";
    await Promise.all([reviews.accept({ hunkId }), reviews.accept({ hunkId }), reviews.reject({ hunkId })]);
    assert.equal(workspace.writes.length, 1);
    assert.equal(events.filter(({ type }) => type === "hunk_decided").length, 1);
  });

  it("adds a file with its folders and deletes one as a whole", async () => {
    const { workspace, reviews, propose } = reviewing({ "old.ts": "x\n" });
    const { outcome } = await propose([
      { path: "new/b.ts", after: "" },
      { path: "old.ts", before: "x\n" },
    ]);
    await reviews.accept({});
    assert.deepEqual([...workspace.files], [["new/b.ts", ""]]);
    assert.deepEqual(
      (await outcome).files.map(({ text }) => text),
      ["", undefined],
    );
  });

  it("does not delete a file that got more text", async () => {
    const { workspace, reviews, propose } = reviewing({ "old.ts": "x\n" });
    await propose([{ path: "old.ts", before: "x\n" }]);
    workspace.type("old.ts", "x\ny\n");
    assert.equal(await reviews.accept({}), 1);
    assert.equal(workspace.files.get("old.ts"), "x\ny\n");
  });

  it("23 keeps CRLF, mixed line ends and a missing final newline byte for byte", async () => {
    const mixed = "a\r\nb\nc\r\nd";
    const { workspace, reviews, propose } = reviewing({ "a.ts": mixed });
    await propose([{ path: "a.ts", before: mixed, after: "a\r\nB\nc\r\nd\r\ne" }]);
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), "a\r\nB\nc\r\nd\r\ne");
  });

  it("takes the line ends the editor gave the document", async () => {
    const { workspace, reviews, propose, type } = reviewing({ "a.ts": "a\r\nb\nc\r\n" }, ["a.ts"]);
    await propose([{ path: "a.ts", before: "a\nb\nc\n", after: "a\nB\nc\nd\n" }]);
    type("a.ts", "a\r\nb\r\nc\r\n");
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), "a\r\nB\r\nc\r\nd\r\n");
  });
});

describe("several proposals", () => {
  it("share the answer to the same change", async () => {
    const { workspace, reviews, propose, events } = reviewing({ "a.ts": before });
    const one = await propose([change], "one");
    const other = await propose([change], "other");
    await reviews.accept({ proposalId: "p1" });
    const outcomes = await Promise.all([one.outcome, other.outcome]);
    assert.equal(workspace.files.get("a.ts"), after);
    assert.ok(outcomes.every(({ files }) => files[0]?.hunks.every(({ accepted }) => accepted)));
    assert.equal(events.filter(({ type }) => type === "approval_closed").length, 2);
  });

  it("never write over each other", async () => {
    const { workspace, reviews, propose, pending } = reviewing({ "a.ts": before });
    await propose([{ path: "a.ts", before, after: before.replace("two\nthree", "one agent") }], "one");
    await propose([{ path: "a.ts", before, after: before.replace("three\nfour", "other agent") }], "other");
    assert.equal(await reviews.accept({}), 1);
    assert.equal(workspace.files.get("a.ts"), "one\none agent\nfour\nfive\n");
    assert.deepEqual(
      pending().map(({ conflicted }) => conflicted),
      [true],
    );
  });
});

describe("an aborted review", () => {
  it("is withdrawn and reports what had been accepted", async () => {
    const { reviews, propose, pending, abort, events, workspace } = reviewing({ "a.ts": before });
    const { outcome } = await propose([change]);
    await reviews.accept({ hunkId: pending()[0]?.id ?? "" });
    abort.abort();
    const [file] = (await outcome).files;
    assert.deepEqual(
      file?.hunks.map(({ accepted, unanswered }) => [accepted, unanswered]),
      [
        [true, undefined],
        [false, true],
      ],
    );
    assert.deepEqual(events.at(-1), { type: "approval_closed", approvalId: "p1", outcome: "canceled" });
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), before.replace("two", "TWO"));
  });

  it("asks nothing when it was aborted before", async () => {
    const { propose, abort, events } = reviewing({ "a.ts": before });
    abort.abort();
    const { outcome } = await propose([change]);
    assert.equal((await outcome).files[0]?.text, before);
    assert.deepEqual(events, []);
  });
});

describe("a proposal the user edits", () => {
  it("is what is written, and says who changed it", async () => {
    const { workspace, reviews, propose, pending, events } = reviewing({ "a.ts": before });
    const { outcome } = await propose([change]);
    const ids = pending().map(({ id }) => id);
    reviews.editProposed("p1", "a.ts", { edited: after.replace("TWO", "2"), currentText: before });
    assert.deepEqual(
      pending().map(({ id }) => id),
      ids,
    );
    reviews.showEdits();
    reviews.showEdits();
    assert.equal(events.filter(({ type }) => type === "approval_requested").length, 2);
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), after.replace("TWO", "2"));
    assert.equal((await outcome).files[0]?.changedByUser, true);
  });

  it("is unchanged by an editor that only holds other line ends", async () => {
    const mixed = "a\r\nb\nc\n";
    const { reviews, propose, events } = reviewing({ "a.ts": mixed });
    await propose([{ path: "a.ts", before: mixed, after: "a\r\nB\nc\n" }]);
    reviews.editProposed("p1", "a.ts", { edited: "a\nB\nc\n", currentText: mixed });
    assert.equal(events.length, 1);
  });

  it("keeps the line ends of the lines the user left alone", async () => {
    const mixed = "a\r\nb\nc\n";
    const { workspace, reviews, propose } = reviewing({ "a.ts": mixed });
    await propose([{ path: "a.ts", before: mixed, after: "a\r\nB\nc\n" }]);
    reviews.editProposed("p1", "a.ts", { edited: "a\nB\nc\nd\n", currentText: mixed });
    await reviews.accept({});
    assert.equal(workspace.files.get("a.ts"), "a\r\nB\nc\nd\n");
  });

  it("still waits for an answer when every change was edited away", async () => {
    const { workspace, reviews, propose, store } = reviewing({ "a.ts": before });
    const { outcome } = await propose([change]);
    reviews.editProposed("p1", "a.ts", { edited: before, currentText: before });
    assert.equal(store.proposals.length, 1);
    await reviews.accept({ proposalId: "p1" });
    assert.deepEqual(
      (await outcome).files[0]?.hunks.map(({ accepted }) => accepted),
      [false, false],
    );
    assert.equal(workspace.files.get("a.ts"), before);
  });
});
