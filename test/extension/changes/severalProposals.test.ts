import assert from "node:assert/strict";
import { reviewing } from "./support/reviewing.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "one\nTWO\nthree\nfour\nfive\nsix\n";

describe("an answer to several proposals", () => {
  const edits = ["a.ts", "b.ts", "c.ts"].map((path) => ({ path, before, after }));
  const proposed = async () => {
    const review = reviewing(Object.fromEntries(edits.map(({ path }) => [path, before])));
    for (const edit of edits) await review.propose([edit], edit.path);
    return review;
  };
  const closed = ({ events }: Awaited<ReturnType<typeof proposed>>) =>
    events.flatMap((event) => (event.type === "approval_closed" ? [`${event.approvalId} ${event.outcome}`] : []));

  it("accepts them and leaves what it does not name", async () => {
    const review = await proposed();
    const { reviews, workspace } = review;
    assert.equal(await reviews.accept({ proposalIds: ["p1", "p2", "a command"] }), 0);
    assert.deepEqual(closed(review), ["p1 accepted", "p2 accepted"]);
    assert.equal(workspace.files.get("b.ts"), after);
    assert.equal(workspace.files.get("c.ts"), before);
  });

  it("rejects them with its words and leaves what it does not name", async () => {
    const review = await proposed();
    const { reviews, pending, events } = review;
    await reviews.reject({ proposalIds: ["p2", "p3"] }, "use the adapter");
    assert.deepEqual(closed(review), ["p2 rejected", "p3 rejected"]);
    const reasons = events.flatMap((event) => (event.type === "hunk_decided" ? [event.reason] : []));
    assert.deepEqual(new Set(reasons), new Set(["use the adapter"]));
    assert.equal(pending().length, 2);
  });

  it("writes the others when one is in conflict, and leaves that one open", async () => {
    const review = await proposed();
    const { reviews, workspace, type } = review;
    type("a.ts", before.replace("two", "mine"));
    assert.equal(await reviews.accept({ proposalIds: ["p1", "p2"] }), 1);
    assert.deepEqual(closed(review), ["p2 accepted"]);
    assert.equal(workspace.files.get("b.ts"), after);
  });

  it("closes those of them that the user emptied, and no other", async () => {
    const review = await proposed();
    const { reviews } = review;
    reviews.editProposed("p1", "a.ts", { edited: before, currentText: before });
    reviews.editProposed("p3", "c.ts", { edited: before, currentText: before });
    await reviews.accept({ proposalIds: ["p1", "p2"] });
    const ids = review.events.flatMap((event) => (event.type === "approval_closed" ? [event.approvalId] : []));
    assert.deepEqual(ids.sort(), ["p1", "p2"]);
  });
});
