import assert from "node:assert/strict";
import type { HostEvent } from "../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../src/protocol/hostState.ts";
import { intentSchema } from "../../src/protocol/intents.ts";

const fold = (...events: HostEvent[]) => events.reduce(reduceHost, emptyHostState()).runs;
const question = {
  ...{ id: "q", agentId: "m", agentPath: ["main"], waitingId: "m" },
  ...{ figure: "turns" as const, used: 2, allowed: 2, step: 2 },
};

describe("what the log holds of runs", () => {
  it("keeps the latest budget of each target", () => {
    const state = fold(
      { type: "budget_changed", target: { scope: "tree" }, limits: { turns: 5 } },
      { type: "budget_changed", target: { scope: "agent", agentId: "a" }, limits: { cost: 1 } },
      { type: "budget_changed", target: { scope: "tree" }, limits: { turns: 7 } },
    );
    assert.deepEqual(state.budgets, { tree: { turns: 7 }, "agent:a": { cost: 1 } });
  });

  it("shows a question until it is answered, also when it is asked again after a reload", () => {
    assert.deepEqual(fold({ type: "budget_asked", question }).questions, [question]);
    assert.deepEqual(
      fold({ type: "budget_asked", question }, { type: "budget_answered", questionId: "q" }).questions,
      [],
    );
    const again = { ...question, used: 3 };
    const cutOff = fold(
      { type: "budget_asked", question },
      { type: "interrupted", agentIds: ["m"] },
      { type: "budget_asked", question: again },
    );
    assert.deepEqual(cutOff.questions, [again]);
  });

  it("knows who is being summarised, and by how much a summary shortened a context", () => {
    const result = { messageId: "s", before: 900, after: 90 };
    const started: HostEvent = { type: "compaction_started", agentId: "m" };
    assert.deepEqual(fold(started, started).compacting, ["m"]);
    const ended = fold(started, { type: "compaction_ended", agentId: "m", result });
    assert.deepEqual([ended.compacting, ended.compactions], [[], { s: result }]);
    assert.deepEqual(fold(started, { type: "compaction_ended", agentId: "m" }).compactions, {});
  });
});

describe("intents about runs", () => {
  const accepts = (intent: unknown) => intentSchema.safeParse(intent).success;

  it("set budgets of known targets to amounts", () => {
    assert.ok(accepts({ type: "setBudget", target: { scope: "tree" }, limits: { turns: 5, cost: 0.5 } }));
    assert.ok(accepts({ type: "setBudget", target: { scope: "agent", agentId: "a" }, limits: {} }));
    assert.ok(!accepts({ type: "setBudget", target: { scope: "agent" }, limits: {} }));
    assert.ok(!accepts({ type: "setBudget", target: { scope: "tree" }, limits: { turns: -1 } }));
    assert.ok(!accepts({ type: "setBudget", target: { scope: "tree" }, limits: { turns: "5" } }));
  });

  it("answer with one of three decisions", () => {
    assert.ok(accepts({ type: "answerBudget", questionId: "q", decision: "wrapUp" }));
    assert.ok(!accepts({ type: "answerBudget", questionId: "q", decision: "ignore" }));
  });
});
