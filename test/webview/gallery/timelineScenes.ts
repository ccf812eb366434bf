import type { AgentEvent, AgentMeta } from "../../../src/agent/types.ts";
import type { Approval } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage, TimedEntry } from "../../../src/protocol/messages.ts";
import { chatId, type Recording, recording, startTime, text, toolCall } from "../support/recording.ts";
import type { Scene } from "./scenes.ts";

/** The timeline of a run, and the moments of its replay. */
export const timelineScenes: Readonly<Record<string, () => Scene>> = {
  timeline: () => scene(),
  "timeline-table": () => scene(".timeline-buttons .link"),
};

const tab = ".tree-tabs .tree-tab:nth-child(2)";

function scene(...clicksAfter: string[]): Scene {
  const rec = fourMinutes();
  return { messages: [rec.chat()], clicks: [tab], answers: [recordingOf(rec)], clicksAfter };
}

/** What the host answers when the whole log is asked for. */
export function recordingOf({ entries }: Recording): HostMessage {
  let at = startTime;
  const timed = entries.map((entry): TimedEntry => {
    if ("agent" in entry) at = entry.agent.timestamp;
    return { at, entry };
  });
  return { type: "recording", chatId, isFirst: true, isWhole: true, entries: timed };
}

/** Three agents in a run of four minutes, of which the user took one. */
export function fourMinutes(): Recording {
  const rec = recording();
  let after = 0;
  /** What is recorded takes so long, in seconds; parallel work is recorded in turns. */
  const wait = (seconds: number) => {
    after += seconds * 1_000;
  };
  const stamp = (from: number) => {
    for (const entry of rec.entries.slice(from)) {
      if ("agent" in entry) Object.assign(entry.agent, { timestamp: startTime + after } satisfies Partial<AgentEvent>);
    }
  };
  const now = <Value>(act: () => Value): Value => {
    const from = rec.entries.length;
    const value = act();
    stamp(from);
    return value;
  };
  const turn = (agent: AgentMeta) => now(() => rec.event(agent, { type: "turn_start", index: 0 }));
  /** The provider has begun to answer. */
  const firstWord = (agent: AgentMeta) =>
    now(() => rec.event(agent, { type: "message_update", messageId: "", delta: { type: "text_start", index: 0 } }));

  const main = now(() => rec.agent("main"));
  now(() => rec.user(main, "Count each item in the totals, and test it"));
  turn(main);
  wait(3);
  firstWord(main);
  wait(11);
  const task = { agent: "edit", task: "Count each item", context: "src/cart" };
  now(() =>
    rec.answer(main, [
      text("Two agents can do this side by side."),
      toolCall("d1", "spawn_agents", { tasks: [task, { ...task, agent: "tests", task: "Test the totals" }] }),
    ]),
  );
  now(() => rec.toolStart(main, "d1", "spawn_agents", "Start agents", { tasks: [task] }));
  const edit = now(() => rec.agent("edit", main, "d1", "Fix the totals"));
  const tests = now(() => rec.agent("tests", main, "d1", "Test the totals"));
  turn(edit);
  turn(tests);
  wait(9);
  now(() => rec.event(tests, { type: "retry", attempt: 1, delayMs: 20_000, error: "The provider is overloaded" }));
  firstWord(edit);
  wait(6);
  now(() =>
    rec.answer(edit, [text("The sum skips amounts."), toolCall("e1", "edit_file", { path: "src/cart/totals.ts" })]),
  );
  now(() => rec.spend(edit, { input: 9_000, output: 700, cost: 0.11 }, 12));
  now(() => rec.toolStart(edit, "e1", "edit_file", "Edit", { path: "src/cart/totals.ts" }));
  wait(1);
  now(() => rec.host({ type: "approval_requested", approval: editApproval(edit) }));
  wait(13);
  now(() => rec.answer(tests, [toolCall("t1", "run_command", { command: "npm test" })]));
  now(() => rec.spend(tests, { input: 22_000, output: 400, cost: 0.07 }, 31));
  now(() => rec.toolStart(tests, "t1", "run_command", "Run", { command: "npm test" }));
  wait(40);
  now(() => rec.event(edit, { type: "warning", message: "" }));
  now(() => rec.host({ type: "approval_closed", approvalId: "a1", outcome: "accepted" }));
  now(() => rec.toolEnd(edit, "e1", "edit_file", "Edited src/cart/totals.ts."));
  turn(edit);
  wait(2);
  firstWord(edit);
  wait(9);
  now(() => rec.answer(edit, [text("The totals count each item.")]));
  now(() => rec.spend(edit, { input: 10_000, output: 90, cost: 0.05 }, 13));
  now(() => rec.end(edit, "done"));
  wait(95);
  now(() => rec.toolEnd(tests, "t1", "run_command", "2 tests failed", true));
  turn(tests);
  wait(4);
  firstWord(tests);
  wait(18);
  now(() => rec.answer(tests, [text("Two tests fail; they expected the old sum.")]));
  now(() => rec.end(tests, "done"));
  now(() => rec.toolEnd(main, "d1", "spawn_agents", "Both are done."));
  turn(main);
  wait(5);
  firstWord(main);
  wait(13);
  now(() => rec.answer(main, [text("The totals count each item now. Two tests expected the old sum.")]));
  now(() => rec.spend(main, { input: 30_000, output: 900, cost: 0.31 }, 21));
  now(() => rec.end(main, "done"));
  return rec;
}

function editApproval({ id }: AgentMeta): Approval {
  const hunk = {
    ...{ id: "h1", oldLines: ["  return sum;"], newLines: ["  return sum * count;"] },
    ...{ oldStart: 12, newStart: 12, decision: "pending" as const },
  };
  return {
    ...{ id: "a1", agentId: id, agentPath: ["main", "edit"], callId: "e1", toolName: "edit_file" },
    files: [{ path: "src/cart/totals.ts", change: "update", languageId: "typescript", hunks: [hunk] }],
  };
}
