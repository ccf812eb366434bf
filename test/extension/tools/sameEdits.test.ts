import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { ProposalReviews } from "../../../src/extension/changes/proposalReviews.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { runTool } from "../../support/toolContext.ts";

/** Agents of one chat and of another, whose edits are asked for as they are in the editor. */
function askingChats(files: Record<string, string> = { "src/auth.ts": "const t = get()\n" }) {
  const workspace = memoryWorkspace({ files });
  const store = new ChangeStore();
  let ids = 0;
  const reviews = new ProposalReviews({ store, workspace, isOpen: () => false, newId: () => `p${++ids}` });
  const reads = createReadVersions();
  const newChat = (chat: object) => {
    const events: HostEvent[] = [];
    const review = reviews.reviewFor((event) => events.push(event), chat);
    const dependencies = { workspace, review, reads, agentPath: (agentId: string) => ["main", agentId] };
    const all = [...editorTools(dependencies).all, ...editorTools(dependencies, { patches: true }).all];
    const call = (name: string, args: object, agent: string, signal = new AbortController().signal) => {
      const tool = all.find((each) => each.name === name) ?? assert.fail(name);
      return runTool(tool, args, { agent, signal, callId: `call of ${agent}` });
    };
    const edit = (agent: string, to = "await get()", signal?: AbortSignal) =>
      call("edit_file", { path: "src/auth.ts", edits: [{ old_text: "get()", new_text: to }] }, agent, signal);
    const read = (...agents: string[]) =>
      Promise.all(agents.map((agent) => call("read_file", { path: "src/auth.ts" }, agent)));
    const open = () => events.reduce(reduceHost, emptyHostState()).approvals;
    return { call, edit, read, open, events };
  };
  return { workspace, reviews, store, newChat, ...newChat({}) };
}

/** Lets whatever is under way come to where it waits. */
async function settled(): Promise<void> {
  for (let step = 0; step < 30; step++) await new Promise((resolve) => setImmediate(resolve));
}

describe("The same edit of two agents", () => {
  it("is one question that names both, and its answer is for both", async () => {
    const { workspace, reviews, edit, read, open, events } = askingChats();
    await read("edit-1", "edit-2");
    const runs = [edit("edit-1"), edit("edit-2")];
    await settled();
    assert.deepEqual(
      open().map(({ agentPath, callId, others }) => ({ agentPath, callId, others })),
      [
        {
          agentPath: ["main", "edit-1"],
          callId: "call of edit-1",
          others: [{ agentId: "edit-2", agentPath: ["main", "edit-2"], callId: "call of edit-2" }],
        },
      ],
    );
    await reviews.accept({ proposalId: "p1" });
    for (const { text, result } of await Promise.all(runs)) {
      assert.match(text, /^Edited src\/auth\.ts: 1 change/);
      assert.notEqual(result.isError, true);
    }
    assert.equal(workspace.files.get("src/auth.ts"), "const t = await get()\n");
    assert.deepEqual(open(), []);
    assert.equal(events.filter(({ type }) => type === "approval_closed").length, 1);
    // Both have seen what was written: neither has to read it again.
    const next = [edit("edit-1", "get(1)"), edit("edit-2", "get(1)")];
    await settled();
    await reviews.accept({});
    for (const { text } of await Promise.all(next)) assert.match(text, /^Edited/);
  });

  it("is asked once although the second comes later, by another tool", async () => {
    const { reviews, edit, read, call, open } = askingChats();
    await read("edit-1", "edit-2");
    const first = edit("edit-1");
    await settled();
    const second = call("write_file", { path: "src/auth.ts", content: "const t = await get()\n" }, "edit-2");
    await settled();
    assert.equal(open().length, 1);
    assert.equal(open()[0]?.others?.length, 1);
    await reviews.reject({ proposalId: "p1" }, "not here");
    for (const { text } of await Promise.all([first, second])) assert.match(text, /saying: "not here"/);
    assert.deepEqual(open(), []);
  });

  it("stays asked for the one when the other is stopped, whichever came first", async () => {
    for (const stopped of ["edit-1", "edit-2"]) {
      const { reviews, edit, read, open, workspace } = askingChats();
      await read("edit-1", "edit-2");
      const stop = new AbortController();
      const runs = ["edit-1", "edit-2"].map((agent) =>
        edit(agent, undefined, agent === stopped ? stop.signal : undefined),
      );
      await settled();
      stop.abort();
      await settled();
      const staying = stopped === "edit-1" ? "edit-2" : "edit-1";
      assert.deepEqual(
        open().map(({ id, agentId, others }) => [id, agentId, others]),
        [["p1", staying, undefined]],
      );
      await reviews.accept({ proposalId: "p1" });
      const texts = (await Promise.all(runs)).map(({ text }) => text);
      assert.equal(texts.filter((text) => text.startsWith("Edited src/auth.ts: 1 change")).length, 1);
      assert.equal(workspace.files.get("src/auth.ts"), "const t = await get()\n");
    }
  });

  it("is withdrawn when both are stopped", async () => {
    const { edit, read, open, events } = askingChats();
    await read("edit-1", "edit-2");
    const stop = new AbortController();
    const runs = [edit("edit-1", undefined, stop.signal), edit("edit-2", undefined, stop.signal)];
    await settled();
    stop.abort();
    await Promise.allSettled(runs);
    assert.deepEqual(open(), []);
    assert.deepEqual(events.at(-1), { type: "approval_closed", approvalId: "p1", outcome: "canceled" });
  });

  it("is another question for another text, asked once the first is answered", async () => {
    const { reviews, edit, read, open } = askingChats();
    await read("edit-1", "edit-2");
    const runs = [edit("edit-1"), edit("edit-2", "getLater()")];
    await settled();
    assert.deepEqual(
      open().map(({ others }) => others),
      [undefined],
    );
    await reviews.reject({});
    await settled();
    assert.deepEqual(
      open().map(({ agentId }) => agentId),
      ["edit-2"],
    );
    await reviews.accept({});
    await Promise.all(runs);
  });

  it("is a question of its own in another chat", async () => {
    const { reviews, edit, read, open, newChat } = askingChats();
    const other = newChat({});
    await read("edit-1", "edit-2");
    const runs = [edit("edit-1"), other.edit("edit-2")];
    await settled();
    assert.equal(open()[0]?.others, undefined);
    assert.deepEqual(other.open(), []);
    await reviews.reject({});
    await settled();
    assert.equal(other.open().length, 1);
    await reviews.reject({});
    await Promise.all(runs);
  });

  it("is one question for a patch of several files", async () => {
    const { reviews, call, read, open, workspace } = askingChats({ "src/auth.ts": "get()\n", "b.ts": "b\n" });
    await read("edit-1", "edit-2");
    for (const agent of ["edit-1", "edit-2"]) await call("read_file", { path: "b.ts" }, agent);
    const sections = ["*** Delete File: b.ts", "*** Update File: src/auth.ts", "@@", "-get()", "+getLater()"];
    const patch = ["*** Begin Patch", ...sections, "*** End Patch"].join("\n");
    const runs = ["edit-1", "edit-2"].map((agent) => call("apply_patch", { patch }, agent));
    await settled();
    assert.deepEqual(
      open().map(({ files, others }) => [files.length, others?.length]),
      [[2, 1]],
    );
    await reviews.accept({});
    for (const { result } of await Promise.all(runs)) assert.notEqual(result.isError, true);
    assert.deepEqual([...workspace.files], [["src/auth.ts", "getLater()\n"]]);
  });
});
