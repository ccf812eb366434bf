import assert from "node:assert/strict";
import type { AgentTree } from "../../../../src/agent/types.ts";
import { emptyUsage } from "../../../../src/agent/vocabulary/usage.ts";
import {
  emptyTranscript,
  type Transcript,
  transcriptOf,
} from "../../../../src/webview/features/conversation/transcript.ts";
import { applyHostMessage, type ChatState, emptyChatState } from "../../../../src/webview/model/chatState.ts";
import { type Recording, recording, text, toolCall } from "../../support/recording.ts";

function stateOf(log: Recording): ChatState {
  return applyHostMessage(emptyChatState(), log.chat()).state;
}

function transcript(tree: AgentTree, id: string, previous: Transcript = emptyTranscript): Transcript {
  const node = tree.nodes[id];
  assert.ok(node !== undefined);
  return transcriptOf(tree, node, previous);
}

describe("transcript of an agent", () => {
  it("has a row for each message but the results, which belong to their calls", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Read it");
    log.answer(main, [toolCall("c1", "read_file", { path: "a.ts" }), toolCall("c2", "read_file", { path: "b.ts" })]);
    log.toolStart(main, "c1", "read_file", "Read", { path: "a.ts" });
    log.toolEnd(main, "c1", "read_file", "missing", true);
    const { rows } = transcript(stateOf(log).tree, "main");
    assert.deepEqual(
      rows.map((row) => [row.author, row.message.role]),
      [
        ["You", "user"],
        ["main", "assistant"],
      ],
    );
    const calls = [...(rows[1]?.calls.values() ?? [])].map(({ status, label, result }) => ({ status, label, result }));
    assert.deepEqual(calls, [
      { status: "error", label: "Read", result: "missing" },
      { status: "pending", label: undefined, result: undefined },
    ]);
  });

  it("shows a call that never ended as interrupted once its agent is at work no more", () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [toolCall("c1", "read_file", { path: "a.ts" }), toolCall("c2", "read_file", { path: "b.ts" })]);
    log.toolStart(main, "c1", "read_file", "Read", { path: "a.ts" });
    const statuses = (shown: Transcript) => [...(shown.rows[0]?.calls.values() ?? [])].map(({ status }) => status);
    const working = transcript(stateOf(log).tree, "main");
    assert.deepEqual(statuses(working), ["running", "pending"]);
    log.event(main, { type: "agent_end", reason: "aborted", messages: [], usage: emptyUsage() });
    const ended = transcript(stateOf(log).tree, "main", working);
    assert.deepEqual(statuses(ended), ["interrupted", "interrupted"]);
    log.event(main, { type: "agent_start" });
    assert.deepEqual(statuses(transcript(stateOf(log).tree, "main", ended)), ["running", "pending"]);
  });

  it("tells what became of a call by its result where the events are gone", () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [toolCall("c1", "read_file", { path: "a.ts" })]);
    log.event(main, {
      type: "message_end",
      message: {
        role: "toolResult",
        id: "r",
        callId: "c1",
        toolName: "read_file",
        content: [
          { type: "text", text: "one" },
          { type: "image", mimeType: "image/png", data: "" },
        ],
        isError: false,
        timestamp: 0,
      },
    });
    const call = transcript(stateOf(log).tree, "main").rows[0]?.calls.get("c1");
    assert.deepEqual([call?.status, call?.result], ["done", "one\n[image]"]);
  });

  it("links a call to the agents it created", () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [toolCall("c1", "spawn_agents", {})]);
    log.toolStart(main, "c1", "spawn_agents", "Delegate", {});
    const ids = [log.agent("a", main, "c1").id, log.agent("b", main, "c1").id];
    assert.deepEqual(transcript(stateOf(log).tree, "main").rows[0]?.calls.get("c1")?.childIds, ids);
  });

  it("names the parent as author of a child's brief, and the user of what came later", () => {
    const log = recording();
    const main = log.agent("main");
    const child = log.agent("explore", main, "c1");
    log.user(child, "The brief");
    log.answer(child, [text("Found.")]);
    log.user(child, "Look in src as well");
    const authors = transcript(stateOf(log).tree, child.id).rows.map((row) => row.author);
    assert.deepEqual(authors, ["main", "explore", "You"]);
  });

  it("names an author once for turns that follow one another", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Go");
    log.answer(main, [text("One.")]);
    log.answer(main, [text("Two.")]);
    const firsts = transcript(stateOf(log).tree, "main").rows.map((row) => row.isFirstOfAuthor);
    assert.deepEqual(firsts, [true, true, false]);
  });

  it("keeps the identity of every row and group that a delta does not touch", () => {
    const log = recording();
    const main = log.agent("main");
    for (let turn = 0; turn < 120; turn++) {
      const callId = `c${turn}`;
      log.answer(main, [text(`Turn ${turn}`), toolCall(callId, "read_file", { path: "a.ts" })]);
      log.toolStart(main, callId, "read_file", "Read", { path: "a.ts" });
      log.toolEnd(main, callId, "read_file", "text");
    }
    const id = log.streaming(main, "An");
    const before = stateOf(log);
    const seq = log.lastSeq;
    log.event(main, {
      type: "message_update",
      messageId: id,
      delta: { type: "text_delta", index: 0, delta: " answer" },
    });
    const after = applyHostMessage(before, log.since(seq)).state;
    const first = transcript(before.tree, "main");
    const second = transcript(after.tree, "main", first);
    const changed = second.rows.flatMap((row, index) => (row === first.rows[index] ? [] : [index]));
    assert.deepEqual(changed, [120]);
    assert.deepEqual(
      second.groups.map((group, index) => group === first.groups[index]),
      [true, true, false],
    );
  });

  it("marks only the last message of a running agent as streaming", () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [text("One.")]);
    log.streaming(main, "Two");
    const streaming = () => transcript(stateOf(log).tree, "main").rows.map((row) => row.isStreaming);
    assert.deepEqual(streaming(), [false, true]);
    log.end(main, "done");
    assert.deepEqual(streaming(), [false, false]);
  });
});
