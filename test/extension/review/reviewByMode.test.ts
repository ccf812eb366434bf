import assert from "node:assert/strict";
import { type ReviewMode, reviewByMode } from "../../../src/extension/review/reviewByMode.ts";
import { applying } from "./support/applying.ts";
import { reviewing } from "./support/reviewing.ts";

describe("the review mode", () => {
  it("counts at the time of each edit", async () => {
    const text = "one\ntwo\n";
    const asking = reviewing({ "a.ts": text });
    const session = applying({ "a.ts": text }, asking.workspace);
    let mode: ReviewMode = "after";
    const review = reviewByMode(
      { mode: () => mode, before: asking.reviews, after: session.reviews },
      { emit: () => {}, lineage: (agentId) => ["main", agentId] },
    );
    const edit = (before: string, after: string) => ({
      callId: "c",
      toolName: "edit_file",
      agent: { id: "a", prefix: "a", depth: 1 },
      agentPath: ["main", "a"],
      changes: [{ path: "a.ts", before, after }],
    });
    const { signal } = new AbortController();
    await review.review(edit(text, "1\ntwo\n"), signal);
    assert.deepEqual(
      session.pending().map(({ hunk }) => hunk.author.agentIds),
      [["main", "a"]],
    );
    mode = "off";
    await review.review(edit("1\ntwo\n", "1\n2\n"), signal);
    assert.equal(session.textOf("a.ts"), "1\n2\n");
    assert.equal(session.pending().length, 1);
    mode = "before";
    const waiting = review.review(edit("1\n2\n", "1\n2\n3\n"), signal);
    while (asking.pending().length === 0) await Promise.resolve();
    assert.equal(session.textOf("a.ts"), "1\n2\n");
    await asking.reviews.reject({});
    assert.equal((await waiting).files[0]?.hunks[0]?.accepted, false);
  });
});
