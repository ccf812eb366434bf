import assert from "node:assert/strict";
import type { ProposedChange, ReviewOutcome } from "../../../src/extension/changes/model/change.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import { reviewing } from "./support/reviewing.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "one\nTWO\nthree\nfour\nfive\nsix\n";
const change = { path: "a.ts", before, after };

/** An edit that its agent writes on its own once all of it is accepted. */
function asking(files: Record<string, string> = { "a.ts": before }) {
  const arranged = reviewing(files);
  const { reviews, store, events, abort } = arranged;
  const ask = async (changes: ProposedChange[]) => {
    const outcome = reviews
      .reviewFor((event) => events.push(event))
      .review(
        {
          ...{ callId: "c", toolName: "agent:Edit", agent: { id: "x", prefix: "x", depth: 0 }, agentPath: ["x"] },
          ...{ changes, writesItself: true },
        },
        abort.signal,
      );
    const known = store.proposals.length;
    while (store.proposals.length === known) await new Promise((resolve) => setImmediate(resolve));
    return { outcome };
  };
  const answers = async (outcome: Promise<ReviewOutcome>) =>
    (await outcome).files.map(({ hunks }) => hunks.map(({ accepted }) => accepted));
  return { ...arranged, ask, answers };
}

describe("an edit that its agent writes on its own", () => {
  it("is not written where all of it is accepted, nor where nothing is", async () => {
    for (const answer of ["accept", "reject"] as const) {
      const { workspace, reviews, ask, answers, events } = asking();
      const { outcome } = await ask([change]);
      await reviews[answer]({});
      assert.deepEqual(await answers(outcome), [[answer === "accept", answer === "accept"]]);
      assert.equal(workspace.files.get("a.ts"), before);
      assert.equal(workspace.writes.length, 0);
      assert.equal((await outcome).isWritten, undefined);
      assert.equal(events.at(-1)?.type, "approval_closed");
    }
  });

  it("is written as far as it is accepted once every hunk is answered, and not before", async () => {
    const { workspace, reviews, ask, answers, pending } = asking();
    const { outcome } = await ask([change]);
    const [first] = pending();
    await reviews.accept({ hunkId: first?.id ?? "" });
    assert.equal(workspace.files.get("a.ts"), before, "the others are open");
    await reviews.reject({}, "no six");
    assert.deepEqual(await answers(outcome), [[true, false]]);
    assert.equal(workspace.files.get("a.ts"), "one\nTWO\nthree\nfour\nfive\n");
    assert.equal((await outcome).files[0]?.hunks[1]?.reason, "no six");
  });

  it("is written as the user changed it", async () => {
    const { workspace, reviews, ask, store } = asking();
    const { outcome } = await ask([change]);
    const edited = "one\nTwo\nthree\nfour\nfive\nsix\n";
    const [{ id } = assert.fail()] = store.proposals;
    await reviews.inTurn(async () => reviews.editProposed(id, "a.ts", { edited, currentText: before }));
    await reviews.accept({});
    assert.equal((await outcome).files[0]?.changedByUser, true);
    assert.equal(workspace.files.get("a.ts"), edited);
  });

  it("goes on where the user typed meanwhile", async () => {
    const { workspace, reviews, ask, pending, type } = asking();
    const { outcome } = await ask([change]);
    type("a.ts", `zero\n${before}`);
    await reviews.reject({ hunkId: pending()[1]?.id ?? "" });
    await reviews.accept({});
    await outcome;
    assert.equal(workspace.files.get("a.ts"), "zero\none\nTWO\nthree\nfour\nfive\n");
  });

  it("is written here where all of it is accepted and a file is not as the agent saw it", async () => {
    for (const isOpen of [true, false]) {
      const { workspace, reviews, ask, answers, type, store } = asking();
      const { outcome } = await ask([change]);
      type("a.ts", `zero\n${before}`);
      if (isOpen) store.setText("a.ts", `zero\n${before}`);
      assert.equal(await reviews.accept({}), 0);
      assert.deepEqual(await answers(outcome), [[true, true]]);
      assert.equal((await outcome).isWritten, true);
      assert.equal(workspace.files.get("a.ts"), `zero\n${after}`, "the agent would have overwritten it");
    }
  });

  it("can be rejected where a file can't be read any more", async () => {
    const { workspace, reviews, ask, events } = asking();
    await ask([change]);
    workspace.read = () => Promise.reject(new UserError("It is an image now."));
    await reviews.reject({});
    assert.equal(events.at(-1)?.type, "approval_closed");
  });

  it("is written here where the editor has unsaved text", async () => {
    const { workspace, reviews, ask } = asking();
    const read = workspace.read.bind(workspace);
    workspace.read = async (path) => ({ ...(await read(path)), unsaved: true });
    const { outcome } = await ask([change]);
    await reviews.accept({});
    assert.equal((await outcome).isWritten, true);
    assert.equal(workspace.files.get("a.ts"), after);
  });

  it("of new files is left to its agent only while none of them is there", async () => {
    const { workspace, reviews, ask } = asking({});
    const { outcome } = await ask([{ path: "new.ts", after: "new\n" }]);
    workspace.type("new.ts", "the user's\n");
    await assert.rejects(reviews.accept({}), /already exists/);
    assert.equal(workspace.files.get("new.ts"), "the user's\n");
    workspace.files.delete("new.ts");
    await reviews.accept({});
    assert.equal((await outcome).isWritten, undefined, "the agent may write it");
    assert.equal(workspace.files.size, 0);
  });

  it("is not written where it is withdrawn with answers missing", async () => {
    const { workspace, reviews, ask, pending, abort } = asking();
    const { outcome } = await ask([change]);
    await reviews.accept({ hunkId: pending()[0]?.id ?? "" });
    abort.abort();
    assert.equal((await outcome).files[0]?.hunks[1]?.unanswered, true);
    assert.equal(workspace.files.get("a.ts"), before);
  });

  it("waits for another answer where a file can't be written, and writes none twice", async () => {
    const { workspace, reviews, ask, answers, pending } = asking({ "a.ts": before, "b.ts": before });
    const { outcome } = await ask([change, { ...change, path: "b.ts" }]);
    let isFull = true;
    workspace.beforeWrite = () => {
      if (isFull && workspace.writes.length === 1) throw new UserError("The disk is full.");
    };
    await reviews.reject({ path: "a.ts", hunkId: pending()[1]?.id ?? "" });
    await assert.rejects(reviews.accept({}), /The disk is full/);
    assert.deepEqual(
      pending().map(({ decision }) => decision),
      ["pending", "pending"],
    );
    isFull = false;
    await reviews.accept({});
    assert.deepEqual(await answers(outcome), [
      [true, false],
      [true, true],
    ]);
    assert.equal(workspace.files.get("a.ts"), "one\nTWO\nthree\nfour\nfive\n");
    assert.equal(workspace.files.get("b.ts"), after);
    assert.equal(workspace.writes.length, 2);
  });

  it("shares no answer with the same edit of an agent of ours, which is written here", async () => {
    const { workspace, reviews, ask, propose, pending, store } = asking();
    const { outcome } = await ask([change]);
    const other = await propose([change], "ours");
    assert.equal(store.proposals.length, 2);
    const [own] = store.proposals;
    await reviews.accept({ proposalId: own?.id ?? "" });
    await outcome;
    assert.equal(workspace.files.get("a.ts"), before);
    assert.equal(pending().length, 2, "the other one is open");
    await reviews.accept({});
    await other.outcome;
    assert.equal(workspace.files.get("a.ts"), after);
  });
});
