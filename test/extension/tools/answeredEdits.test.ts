import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { pendingHunks } from "../../../src/extension/changes/model/change.ts";
import { ProposalReviews } from "../../../src/extension/changes/proposalReviews.ts";
import { UserStop } from "../../../src/extension/common/userError.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { runTool } from "../../support/toolContext.ts";

const original = "one\ntwo\nthree\nfour\nfive\n";

/** An edit of lines two and four that waits for the user's answers. */
async function proposed() {
  const workspace = memoryWorkspace({ files: { "a.ts": original } });
  const store = new ChangeStore();
  const reviews = new ProposalReviews({ store, workspace, isOpen: () => false, newId: () => "p" });
  const stop = new AbortController();
  const { all } = editorTools({
    workspace,
    review: reviews.reviewFor(() => {}),
    reads: createReadVersions(),
    agentPath: () => ["main"],
  });
  const tool = all.find(({ name }) => name === "edit_file") ?? assert.fail();
  const edits = [
    { old_text: "two", new_text: "TWO" },
    { old_text: "four", new_text: "FOUR" },
  ];
  const asked = Promise.withResolvers<void>();
  const listening = store.onDidChange(() => asked.resolve());
  const running = runTool(tool, { path: "a.ts", edits }, { signal: stop.signal });
  await asked.promise;
  listening.dispose();
  const hunkIds = store.proposals.flatMap(({ files }) => files.flatMap(pendingHunks)).map(({ id }) => id);
  const [first = "", second = ""] = hunkIds;
  const edit = (edited: string) => reviews.editProposed("p", "a.ts", { edited, currentText: textNow() });
  const textNow = () => String(workspace.files.get("a.ts"));
  const type = (from: string, to: string) => {
    const text = textNow().replace(from, to);
    workspace.files.set("a.ts", text);
    store.setText("a.ts", text);
  };
  const report = async () => (await running).text;
  return { reviews, stop: () => stop.abort(new UserStop()), abort: stop, first, second, edit, type, textNow, report };
}

describe("What the model gets to know of an edit, compared with the file", () => {
  it("names the user who stopped the run before answering, not a rejection", async () => {
    const { stop, report, textNow } = await proposed();
    stop();
    assert.equal(
      await report(),
      [
        "The edit of a.ts was not answered, because the user stopped the run: nothing was written.",
        "Not answered: the user stopped the run\n@@ -2,1 +2,1 @@\n-two\n+TWO",
        "Not answered: the user stopped the run\n@@ -4,1 +4,1 @@\n-four\n+FOUR",
      ].join("\n"),
    );
    assert.equal(textNow(), original);
  });

  it("does not name the user when something else ended the run", async () => {
    const { abort, report } = await proposed();
    abort.abort(new Error("A sibling failed."));
    assert.match(
      await report(),
      /^The edit of a\.ts was not answered, because the run was stopped: nothing was written/,
    );
  });

  it("reports what was accepted and what was rejected before the stop from what was left open", async () => {
    const { reviews, first, stop, report, textNow } = await proposed();
    await reviews.accept({ hunkId: first });
    stop();
    assert.match(await report(), /^Edited a\.ts: kept 1 change \(\+1 −1\), not answered 1\.\n@@ -2,1 \+2,1 @@/);
    assert.equal(textNow(), original.replace("two", "TWO"));

    const other = await proposed();
    await other.reviews.reject({ hunkId: other.first }, "keep two");
    other.stop();
    const report2 = await other.report();
    assert.match(report2, /^Nothing of the edit of a\.ts was written: rejected 1, not answered 1\.\n/);
    assert.match(
      report2,
      /\nRejected by the user saying: "keep two"\n@@ -2,1.*\nNot answered: the user stopped the run\n@@ -4,1/s,
    );
  });

  it("calls a hunk whose lines the user changed unanswered when the run is stopped", async () => {
    const { type, stop, report, textNow } = await proposed();
    type("two", "two, typed");
    stop();
    const text = await report();
    assert.doesNotMatch(text, /lines changed|[Rr]ejected/);
    assert.equal(textNow(), original.replace("two", "two, typed"));
  });

  it("gives the words of a rejection, also where the lines had changed meanwhile", async () => {
    const { reviews, type, report, textNow } = await proposed();
    type("two", "two, typed");
    await reviews.reject({}, "I do this myself");
    const text = await report();
    assert.match(text, /^The user rejected the edit of a\.ts: nothing was written\./);
    assert.equal(text.split('Rejected by the user saying: "I do this myself"').length, 3);
    assert.doesNotMatch(text, /lines changed/);
    assert.equal(textNow(), original.replace("two", "two, typed"));
  });

  it("calls a rejection without words a rejection, also where the lines had changed meanwhile", async () => {
    const { reviews, type, first, second, report } = await proposed();
    type("two", "two, typed");
    await reviews.accept({ hunkId: second });
    await reviews.reject({ hunkId: first });
    const text = await report();
    assert.match(text, /^Edited a\.ts: kept 1 change \(\+1 −1\), rejected 1\.\n@@ -4,1/);
    assert.match(text, /\nRejected by the user without a reason\n@@ -2,1/);
  });

  it("shows what the user made of the proposal, whole or in part", async () => {
    const { reviews, edit, report, textNow } = await proposed();
    edit(original.replace("four", "FOUR"));
    await reviews.accept({});
    assert.match(
      await report(),
      /^Edited a\.ts: 1 change \(\+1 −1\)\.\n@@ -4,1.*\nThe user changed your proposal before accepting it; compared with it the file now has:\n@@ -2,1 \+2,1 @@\n-TWO\n\+two$/s,
    );
    assert.equal(textNow(), original.replace("four", "FOUR"));

    const other = await proposed();
    other.edit(original.replace("two", "2").replace("four", "FOUR"));
    await other.reviews.reject({ hunkId: other.second }, "keep four");
    await other.reviews.accept({});
    assert.match(
      await other.report(),
      /^Edited a\.ts: kept 1 change \(\+1 −1\), rejected 1\.\n@@ -2,1 \+2,1 @@\n-two\n\+2\nRejected by the user saying: "keep four"\n.*\nThe user changed your proposal before accepting it: the changes above are as the user left them\.$/s,
    );
    assert.equal(other.textNow(), original.replace("two", "2"));
  });

  it("gives the words of a rejection after the user had edited every change away", async () => {
    const { reviews, edit, report, textNow } = await proposed();
    edit(original);
    await reviews.reject({ proposalId: "p" }, "none of it");
    assert.equal((await report()).split('saying: "none of it"').length, 3);
    assert.equal(textNow(), original);

    const other = await proposed();
    other.edit(original);
    other.stop();
    assert.match(await other.report(), /^The edit of a\.ts was not answered, because the user stopped the run/);
  });
});
