import assert from "node:assert/strict";
import type { AgentEvent, AgentMeta, EventBody } from "../../../../src/agent/types.ts";
import { EventLog } from "../../../../src/extension/chat/log/eventLog.ts";
import { ActivityBoard, statusText } from "../../../../src/extension/panel/status/activityBoard.ts";
import type { Approval } from "../../../../src/protocol/hostEvents.ts";

const meta = (id: string): AgentMeta => ({ id, name: id, prefix: "", depth: id === "main" ? 0 : 1 });

function event(id: string, body: EventBody): AgentEvent {
  const base = { agent: meta(id), sessionId: "s", runId: "r", seq: 1, timestamp: 0 };
  // A body with its base is an event; the union does not distribute over the spread.
  return { ...base, ...body } as AgentEvent;
}

const approval = (id: string, command: string): Approval => ({
  ...{ id, agentId: "tests", agentPath: ["main", "tests"], callId: "c", toolName: "run_command", files: [] },
  request: { kind: "command", text: command },
});

function arrange() {
  let changes = 0;
  const board = new ActivityBoard<{ log: EventLog }>(() => {
    changes++;
  });
  const chatOf = () => {
    const chat = { log: new EventLog() };
    return { chat, log: chat.log, following: board.follow(chat) };
  };
  return { board, chatOf, changes: () => changes };
}

describe("the activity of all chats", () => {
  it("names the agents that run and what waits, oldest first, over all chats", () => {
    const { board, chatOf } = arrange();
    const [one, two] = [chatOf(), chatOf()];
    one.log.appendAgent(event("main", { type: "agent_start" }));
    two.log.appendAgent(event("tests", { type: "agent_start" }));
    two.log.appendHost({ type: "approval_requested", approval: approval("a1", "npm test") });
    const question = { id: "q1", agentId: "main", agentPath: ["main"], callId: "c", text: "Which?", options: [] };
    one.log.appendHost({ type: "question_asked", question });
    assert.deepEqual(board.running, [], "who waits for the user does not run");
    assert.deepEqual(
      board.waiting.map(({ chat, id, what }) => [chat === two.chat, id, what]),
      [
        [true, "a1", "npm test"],
        [false, "q1", "Which?"],
      ],
    );
    two.log.appendHost({ type: "approval_closed", approvalId: "a1", outcome: "accepted" });
    one.log.appendHost({ type: "question_answered", questionId: "q1" });
    assert.deepEqual(board.running, ["main", "tests"]);
    two.log.appendAgent(event("tests", { type: "agent_end", reason: "done", messages: [], usage: noUsage }));
    assert.deepEqual(board.running, ["main"]);
    assert.deepEqual(board.waiting, []);
  });

  it("names agents by the titles of their work, as the panel does", () => {
    const { board, chatOf } = arrange();
    const { log } = chatOf();
    const start = (agent: AgentMeta) => log.appendAgent({ ...event(agent.id, { type: "agent_start" }), agent });
    start(meta("main"));
    start({ ...meta("edit"), parentId: "main", label: "Fix the totals" });
    start({ ...meta("tests"), depth: 2, parentId: "edit", label: "Run the tests" });
    assert.deepEqual(board.running, ["main", "Fix the totals", "Run the tests"]);
    const agentPath = ["main", "edit", "tests"];
    log.appendHost({ type: "approval_requested", approval: { ...approval("a1", "npm test"), agentPath } });
    assert.deepEqual(board.running, ["main", "Fix the totals"], "without the one that waits");
    assert.deepEqual(board.waiting[0]?.agentPaths, [["Fix the totals", "Run the tests"]]);
  });

  it("names what waits in a chat that it begins to follow, until that chat is closed", () => {
    const { board, changes } = arrange();
    const log = new EventLog();
    log.appendHost({ type: "approval_requested", approval: approval("a1", "npm test") });
    const following = board.follow({ log });
    assert.deepEqual([board.waiting.map(({ what }) => what), changes()], [["npm test"], 1]);
    following.dispose();
    assert.deepEqual(board.waiting, []);
  });

  it("counts an agent whose budget is used up among what waits", () => {
    const { board, chatOf } = arrange();
    const { log } = chatOf();
    const whose = { id: "b1", agentId: "main", agentPath: ["main"], waitingId: "main" };
    const question = { ...whose, figure: "turns", used: 9, allowed: 9, step: 9 } as const;
    log.appendHost({ type: "budget_asked", question });
    assert.deepEqual(
      board.waiting.map(({ agentPaths, what }) => [...agentPaths.flat(), what]),
      [["main", "budget reached"]],
    );
    log.appendHost({ type: "budget_answered", questionId: "b1", decision: "stop" });
    assert.deepEqual(board.waiting, []);
  });

  it("notifies of nothing that does not change it", () => {
    const { chatOf, changes } = arrange();
    const { log } = chatOf();
    log.appendAgent(event("main", { type: "turn_start", index: 0 }));
    log.appendHost({ type: "chat_titled", title: "x" });
    log.appendHost({ type: "approval_closed", approvalId: "unknown", outcome: "canceled" });
    assert.equal(changes(), 0);
  });

  it("forgets a chat with its end", () => {
    const { board, chatOf } = arrange();
    const { log, following } = chatOf();
    log.appendAgent(event("main", { type: "agent_start" }));
    log.appendHost({ type: "approval_requested", approval: approval("a1", "npm test") });
    following.dispose();
    log.appendAgent(event("late", { type: "agent_start" }));
    assert.deepEqual([board.running, board.waiting], [[], []]);
  });
});

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };

describe("the words of the status bar", () => {
  const waiting = [{ agentPaths: [["main", "tests"]], what: "npm\u202e test" }];

  it("count who runs and what waits", () => {
    assert.equal(
      statusText({ running: ["main", "explore", "tests"], waiting })?.text,
      "$(hubot) 3 running · 1 waiting",
    );
    assert.equal(statusText({ running: ["main"], waiting: [] })?.text, "$(hubot) 1 running");
    assert.equal(statusText({ running: [], waiting })?.label, "Arbor: 1 waiting");
  });

  it("are none when nothing goes on", () => {
    assert.equal(statusText({ running: [], waiting: [] }), undefined);
  });

  it("say in the tooltip who waits for what, with nothing hidden, and who runs", () => {
    const words = statusText({ running: ["main", "tests"], waiting });
    assert.equal(words?.tooltip, "main › tests waits for you: npm⟨U+202E⟩ test\nRunning: main, tests");
  });

  it("name the first few of very many", () => {
    const running = Array.from({ length: 200 }, (_, index) => `a${index}`);
    assert.match(statusText({ running, waiting: [] })?.tooltip ?? "", /^Running: a0, .*a7, and 192 more$/);
  });
});
