import assert from "node:assert/strict";
import { Questions } from "../../../src/extension/chat/notices.ts";
import { askUserTool } from "../../../src/extension/tools/askUser.ts";
import type { PanelAccess } from "../../../src/extension/tools/dependencies.ts";
import { updatePlanTool } from "../../../src/extension/tools/updatePlan.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { runTool } from "../../support/toolContext.ts";

function panel() {
  const events: HostEvent[] = [];
  const emit = (event: HostEvent) => void events.push(event);
  let count = 0;
  const questions = new Questions(emit, () => `q${++count}`);
  const dependencies: PanelAccess = {
    showPlan: (agentId, items) => emit({ type: "plan_changed", agentId, items: [...items] }),
    ask: ({ agent, options, ...asked }, signal) =>
      questions.ask({ agentId: agent.id, agentPath: ["main"], ...asked, options: [...options] }, signal),
  };
  return { events, questions, dependencies, state: () => events.reduce(reduceHost, emptyHostState()) };
}

describe("update_plan", () => {
  it("shows the whole plan of its agent, and takes it away when it is empty", async () => {
    const { dependencies, state } = panel();
    const tool = updatePlanTool.create(dependencies);
    const items = [
      { text: "Read", status: "completed" },
      { text: "Write", status: "in_progress" },
    ];
    assert.equal((await runTool(tool, { items })).text, "The plan is shown: 1 of 2 done.");
    await runTool(tool, { items: [{ text: "Test", status: "pending" }] }, { agent: "edit" });
    assert.deepEqual(state().plans, { main: items, edit: [{ text: "Test", status: "pending" }] });
    assert.equal((await runTool(tool, { items: [] })).text, "The plan is cleared.");
    assert.deepEqual(Object.keys(state().plans), ["edit"]);
  });

  it("takes what models write for one of the three statuses, and nothing else", () => {
    const { schema } = updatePlanTool.create(panel().dependencies);
    const statusOf = (status: string) => schema.parse({ items: [{ text: "a", status }] }).items[0]?.status;
    assert.deepEqual(["done", "Completed", "todo", "in progress", "in-progress"].map(statusOf), [
      ...["completed", "completed", "pending", "in_progress", "in_progress"],
    ]);
    for (const status of ["toString", "dropped", ""]) assert.throws(() => statusOf(status));
    assert.equal(schema.safeParse({ items: [{ text: " ", status: "pending" }] }).success, false);
  });
});

describe("ask_user", () => {
  it("waits for the answer and reports the user's words", async () => {
    const { dependencies, questions, state } = panel();
    const run = runTool(
      askUserTool.create(dependencies),
      { question: "Which?", options: ["a", "b", "a"] },
      { callId: "c1" },
    );
    assert.deepEqual(state().questions, [
      {
        ...{ id: "q1", agentId: "main", agentPath: ["main"], callId: "c1", text: "Which?", options: ["a", "b"] },
        mayAskAgain: true,
      },
    ]);
    assert.equal(questions.answer("q1", " b \n"), true);
    assert.equal((await run).text, "The user answered: b");
    assert.deepEqual(state().questions, []);
  });

  it("shows no answers that look like the buttons of an approval", async () => {
    const { dependencies, state } = panel();
    for (const option of ["Run", "accept", "Allow once", "Ａｌｌｏｗ", "\u200bReject!"]) {
      const asked = runTool(askUserTool.create(dependencies), { question: "rm -rf ~ ?", options: ["No", option] });
      await assert.rejects(asked, /reads like the button of an approval/);
    }
    assert.deepEqual(state().questions, []);
  });

  it("takes an empty answer as leave to decide", async () => {
    const { dependencies, questions } = panel();
    const run = runTool(askUserTool.create(dependencies), { question: "Which?" });
    questions.answer("q1", "");
    assert.equal((await run).text, "The user gave no answer: decide yourself.");
  });

  it("withdraws the question when its agent is stopped, and answers no other one with it", async () => {
    const { dependencies, questions, events, state } = panel();
    const abort = new AbortController();
    const tool = askUserTool.create(dependencies);
    const stopped = runTool(tool, { question: "One?" }, { signal: abort.signal });
    const other = runTool(tool, { question: "Two?" });
    abort.abort(new Error("stopped"));
    await assert.rejects(stopped, /stopped/);
    assert.deepEqual(events.at(-1), { type: "question_answered", questionId: "q1" });
    assert.equal(questions.answer("q1", "late"), false);
    assert.deepEqual(
      state().questions.map(({ id }) => id),
      ["q2"],
    );
    questions.answer("q2", "yes");
    assert.equal((await other).text, "The user answered: yes");
  });

  it("asks nothing once its agent is stopped", async () => {
    const { dependencies, events } = panel();
    const run = runTool(
      askUserTool.create(dependencies),
      { question: "One?" },
      { signal: AbortSignal.abort(new Error("stopped")) },
    );
    await assert.rejects(run, /stopped/);
    assert.deepEqual(events, []);
  });
});
