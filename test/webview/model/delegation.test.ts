import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { applyHostMessage, emptyChatState } from "../../../src/webview/model/chat.ts";
import { type Delegated, delegatedTo } from "../../../src/webview/model/delegation.ts";
import { type Recording, recording, toolCall } from "../support/recording.ts";

function toldTo(log: Recording, agent: AgentMeta): Delegated | undefined {
  const { tree } = applyHostMessage(emptyChatState(), log.chat()).state;
  const node = tree.nodes[agent.id];
  assert.ok(node !== undefined);
  return delegatedTo(tree, node);
}

function call(log: Recording, main: AgentMeta, name: string, args: unknown): void {
  log.answer(main, [toolCall("c1", name, args)]);
  log.toolStart(main, "c1", name, "Delegate", args);
}

describe("what was delegated", () => {
  it("is the task with its context, and the result of the call once that has ended", () => {
    const log = recording();
    const main = log.agent("main");
    call(log, main, "delegate_to_agent", { agent: "docs", task: "Read them", context: "They are in docs/." });
    const docs = log.agent("docs", main, "c1");
    assert.deepEqual(toldTo(log, docs), {
      brief: "Read them\n\nThey are in docs/.",
      answer: undefined,
      call: "running",
    });
    log.toolEnd(main, "c1", "delegate_to_agent", "Three callers.");
    assert.equal(toldTo(log, docs)?.answer, "Three callers.");
  });

  it("is each agent's own part of a call for several", () => {
    const log = recording();
    const main = log.agent("main");
    const tasks = ["one", "two"].map((task) => ({ agent: "docs", task, context: "" }));
    call(log, main, "spawn_agents", { tasks });
    const first = log.agent("docs", main, "c1");
    const second = log.agent("docs", main, "c1");
    const ended = [
      { agent: "docs", result: "found" },
      { agent: "docs", error: "canceled" },
    ];
    log.toolEnd(main, "c1", "spawn_agents", JSON.stringify(ended));
    assert.deepEqual(toldTo(log, first), { brief: "one", answer: "found", call: "ended" });
    assert.deepEqual(toldTo(log, second), { brief: "two", answer: "canceled", call: "ended" });
  });

  it("is the first message to the agent where the call has none, and all of an answer of another form", () => {
    const log = recording();
    const main = log.agent("main");
    call(log, main, "research", { depth: 2 });
    const child = log.agent("research", main, "c1");
    log.user(child, "The background");
    log.user(child, "The task");
    log.answer(child, [{ type: "text", text: "Done" }]);
    log.user(child, "A word of the user's");
    log.toolEnd(main, "c1", "research", "[not a list");
    assert.deepEqual(toldTo(log, child), { brief: "The background\n\nThe task", answer: "[not a list", call: "ended" });
  });

  it("is nothing for the root agent", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    assert.equal(toldTo(log, main), undefined);
  });
});
