import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { EditJournal, type JournalStorage } from "../../../src/extension/changes/journal/editJournal.ts";
import type { EditProposal } from "../../../src/extension/changes/model/change.ts";
import { ProposalReviews } from "../../../src/extension/changes/proposalReviews.ts";
import { recordingWorkspace } from "../../../src/extension/changes/reviewedWorkspace.ts";
import { TextWorkspace } from "./support/textWorkspace.ts";

const author = { agentIds: ["main"], agentPath: ["main"], editId: "edit" };
const before = "one\ntwo\n";
const proposal: EditProposal = {
  ...{ callId: "call", toolName: "edit_file", agent: { id: "main", prefix: "main", depth: 0 }, agentPath: ["main"] },
  changes: [{ path: "a.ts", before, after: "ONE\ntwo\n" }],
};

describe("the work of an accepted edit", () => {
  /** A proposal that waits, with what is asked for from now on: reads of its file, and records that are flushed to the disk. */
  async function proposed() {
    const asked: string[] = [];
    const workspace = new TextWorkspace({ "a.ts": before });
    const store = new ChangeStore();
    const records: string[] = [];
    const storage: JournalStorage = {
      chats: async () => [],
      read: async () => [],
      async write(_chat, _id, json) {
        records.push(json);
        asked.push("flushed");
      },
      remove: async () => undefined,
      removeOld: async () => undefined,
    };
    const journal = new EditJournal(storage, assert.ifError);
    let count = 0;
    const newId = () => `id${++count}`;
    const reviews = new ProposalReviews({
      ...{ store, workspace, journal, newId, writeAhead: journal, isOpen: () => true },
      workspaceFor: () => recordingWorkspace({ stores: [store], workspace, author, newId }),
    });
    const origin = { chatId: "chat", agentIds: ["main"], rootCallId: "call", mode: "before" } as const;
    const review = reviews.reviewFor(
      () => undefined,
      {},
      () => origin,
    );
    const outcome = review.review(proposal, new AbortController().signal);
    while (store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const read = workspace.read.bind(workspace);
    workspace.read = (path, signal, options) => {
      asked.push(options?.asReported === true ? "read as reported" : "read, with the editor asked");
      return read(path, signal, options);
    };
    const replace = workspace.replace.bind(workspace);
    workspace.replace = async (...given) => {
      asked.push("written");
      return replace(...given);
    };
    asked.length = 0;
    return { asked, reviews, outcome, workspace, store, records };
  }

  it("is a read before the write, two after it, none of which asks the editor, and a record on each side", async () => {
    const { asked, reviews, outcome, records } = await proposed();
    await reviews.accept({});
    assert.equal((await outcome).files[0]?.text, "ONE\ntwo\n");
    const read = "read as reported";
    assert.deepEqual(asked, [read, "flushed", "written", read, "flushed", read]);
    // The second record has the answer as well.
    assert.match(records.at(-1) ?? "", /"decision":"accepted"/);
    assert.match(records.at(-1) ?? "", /"writing":\[\]/);
  });

  it("reads a file again that the editor has reported another text of since", async () => {
    const { asked, reviews, outcome, workspace, store } = await proposed();
    // An agent's earlier lines are followed in it.
    await recordingWorkspace({ stores: [store], workspace, author, newId: () => "earlier" }).replace("a.ts", [
      { start: 4, end: 7, text: "TWO" },
    ]);
    store.setProposedText("a.ts", "one\nTWO\n");
    const read = workspace.read.bind(workspace);
    workspace.read = async (path) => {
      const content = await read(path);
      // It was typed when the read was over.
      workspace.read = read;
      store.setWrittenText("a.ts", "one\nTWO\nthree\n");
      workspace.type("a.ts", "one\nTWO\nthree\n");
      return content;
    };
    asked.length = 0;
    await reviews.accept({});
    assert.equal((await outcome).files[0]?.text, "ONE\nTWO\nthree\n");
    assert.ok(asked.filter((each) => each.startsWith("read")).length > 3, asked.join(", "));
  });
});
