import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import type { EditProposal } from "../../../src/extension/changes/model/change.ts";
import { openProposal } from "../../../src/extension/changes/model/openProposal.ts";
import { recordWrite, untouched } from "../../../src/extension/changes/model/trackedLines.ts";
import { recordingWorkspace } from "../../../src/extension/changes/reviewedWorkspace.ts";
import { shownIn } from "../../../src/extension/changes/shownHunks.ts";
import { TextWorkspace } from "./support/textWorkspace.ts";

const path = "a.ts";
const author = { agentIds: ["main"], agentPath: ["main"], editId: "e" };

/** A store in which the third line is written and the first is proposed to be changed. */
function storeWithBoth(): ChangeStore {
  const store = new ChangeStore();
  const written = "one\ntwo\n3\n";
  store.put(
    recordWrite(untouched(path, "typescript", "one\ntwo\nthree\n"), {
      before: "one\ntwo\nthree\n",
      after: written,
      author,
      newId: () => "written",
    }),
  );
  const proposal: EditProposal = {
    callId: "call",
    toolName: "edit_file",
    agent: { id: "other", prefix: "other", depth: 1 },
    agentPath: ["main", "other"],
    changes: [{ path, before: written, after: "1\ntwo\n3\n" }],
  };
  store.addProposal(openProposal("p", proposal, new Map([[path, { text: written, languageId: "typescript" }]])));
  return store;
}

const shown = (store: ChangeStore) => shownIn(store, path).map(({ id, state, range }) => [id, state, range.start]);

describe("the store of what waits for the user", () => {
  it("moves what is proposed and what is written with the lines that are typed", () => {
    const store = storeWithBoth();
    const typed = { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, lines: ["zero", ""] };
    store.setText(path, "zero\none\ntwo\n3\n", [typed]);
    assert.deepEqual(shown(store), [
      ["p.1", "proposed", 1],
      ["written", "written", 3],
    ]);
  });

  it("shows a hunk whose lines were changed as what it has become", () => {
    const store = storeWithBoth();
    store.setText(path, "ONE\ntwo\n3!\n");
    assert.deepEqual(shown(store), [
      ["p.1", "conflicted", 0],
      ["written", "overwritten", 2],
    ]);
  });

  it("leaves what is proposed alone when a text was read for what is written", () => {
    const store = storeWithBoth();
    store.setWrittenText(path, "zero\none\ntwo\n3\n");
    assert.deepEqual(shown(store), [
      ["p.1", "proposed", 0],
      ["written", "written", 3],
    ]);
    store.setProposedText(path, "zero\none\ntwo\n3\n");
    assert.deepEqual(shown(store)[0], ["p.1", "proposed", 1]);
  });

  it("calls those who follow a part for changes of that part alone", () => {
    const store = storeWithBoth();
    const calls: string[] = [];
    store.onDidChange(() => calls.push("proposals"), "proposals");
    store.onDidChange(() => calls.push("files"), "files");
    const all = store.onDidChange(() => calls.push("all"));
    store.decide(new Set(["p.1"]), "rejected");
    assert.deepEqual(calls.splice(0), ["proposals", "all"]);
    store.setUndone([[]]);
    assert.deepEqual(calls.splice(0), ["all"]);
    all.dispose();
    store.put({ path, languageId: "", lines: [], hunks: [] });
    assert.deepEqual(calls, ["files"]);
    assert.equal(store.has(path), false, "neither answered nor forgotten hunks wait");
  });

  it("gives a write the same ids in all stores that record it", async () => {
    const workspace = new TextWorkspace({ [path]: "one\ntwo\nthree\n" });
    const stores = [new ChangeStore(), new ChangeStore()];
    let count = 0;
    const recording = recordingWorkspace({ stores, workspace, author, newId: () => `h${++count}` });
    const content = await workspace.read(path);
    assert.ok(content.kind === "text");
    const replacements = [
      { start: 0, end: 3, text: "1" },
      { start: 8, end: 13, text: "3" },
    ];
    await recording.replace(path, replacements, content.version);
    const ids = stores.map((store) => store.find(path)?.hunks.map(({ id }) => id));
    assert.deepEqual(ids, [
      ["h1", "h2"],
      ["h1", "h2"],
    ]);
  });
});
