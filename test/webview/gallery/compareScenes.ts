import type { ComparedRun } from "../../../src/protocol/hostEvents.ts";
import { type Recording, recording, text, toolCall } from "../support/recording.ts";

const details = ['[role=treeitem]:has-text("Fix the totals"):not(:has-text("isolated")) .codicon-info'];
const again = [...details, '.agent-details .link:has-text("Run again")'];

/** Scenes of agents in worktrees, and of runs of one task side by side. */
export const compareScenes = {
  isolated: () => ({ messages: [compared().chat()] }),
  "run-again": () => ({ messages: [compared().chat()], clicks: again }),
  compare: () => ({
    messages: [compared().chat()],
    clicks: [...details, '.agent-details .link:text-is("Compare")', ".compared-file .fold-head"],
  }),
};

const hunks = [
  {
    line: 12,
    oldLines: ["  return items.reduce((sum, item) => sum + item.price, 0);"],
    newLines: ["  return roundToCents(items.reduce((sum, item) => sum + item.price * item.count, 0));"],
  },
];
const file = { path: "src/cart/totals.ts", change: "update" as const, added: 1, removed: 1, hunks };

/** A sub-agent that is done, and its task done again three times: one is used, one has failed, one ran no tests. */
function compared(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Count each item in the totals");
  const task = { agent: "edit", title: "Fix the totals", task: "Fix the totals", context: "" };
  log.answer(main, [toolCall("c1", "delegate_to_agent", task)]);
  const first = log.agent("edit", main, "c1", "Fix the totals");
  log.answer(first, [text("The totals count each item now.")]);
  log.end(first, "done");
  log.user(main, "Run again: Fix the totals");
  log.answer(main, [toolCall("compare_1", "spawn_agents", { tasks: [task, task, task] })]);
  const runs = ["two", "three", "four"].map((name) => {
    const agent = log.agent("edit", main, "compare_1", `Fix the totals ${name}`);
    log.host({ type: "agent_isolated", agentId: agent.id });
    log.answer(agent, [text("Done.")]);
    log.end(agent, name === "four" ? "error" : "done", "Rate limited by the provider");
    return { agentId: agent.id };
  });
  const ends: Omit<ComparedRun, "agentId">[] = [
    {
      ...{ state: "done", isUsed: true, tokens: 12_400, cost: 0.08, durationMs: 74_000, model: "example/large" },
      tests: { command: "npm test", exitCode: 0 },
      answer: "The totals count each item and are rounded to cents. All tests pass.",
      files: [file, { path: "test/cart/totals.test.ts", change: "add", added: 14, removed: 0, hunks: [] }],
    },
    {
      ...{ state: "done", tokens: 5_100, cost: 0.01, durationMs: 21_000, model: "example/small" },
      answer: "I multiplied the price by the count.",
      files: [file],
    },
    { state: "failed", model: "example/small", answer: "The agent failed: Rate limited by the provider" },
  ];
  log.host({
    type: "comparison_changed",
    comparison: {
      ...{ id: "compare_1", agentId: first.id, title: "Fix the totals" },
      runs: runs.flatMap((run, index) => (ends[index] === undefined ? [] : [{ ...run, ...ends[index] }])),
    },
  });
  log.answer(main, [text("The totals are right now.")]);
  log.end(main, "done");
  return log;
}
