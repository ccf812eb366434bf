import { type Recording, recording, text, toolCall } from "../support/recording.ts";

/** Scenes of what parents got, and of envelopes. */
export const delegationScenes = {
  "exchange-open": () => ({ messages: [flagged().chat()], clicks: [".child-head > button"] }),
  "report-flagged": () => ({ messages: [flagged().chat()] }),
  envelopes: () => ({
    messages: [envelopes().chat()],
    clicks: ['[role=treeitem]:has-text("Run the tests") .codicon-info'],
  }),
};

const brief = `Find every caller of login() and say what it expects of the session.

The session is made in src/session.ts; nothing is to be changed.`;

/** A report that only points elsewhere, of an agent that has read a lot. */
function flagged(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Move the login flow to auth.ts");
  const args = { agent: "explore", title: "Find the callers of login", task: brief, context: "" };
  log.answer(main, [text("First I need to know who calls it."), toolCall("c1", "delegate_to_agent", args)]);
  log.toolStart(main, "c1", "delegate_to_agent", "Delegate", args);
  const explore = log.agent("explore", main, "c1", "Find the callers of login");
  for (const path of ["src/auth.ts", "src/session.ts", "src/api/routes.ts"]) {
    log.toolStart(explore, path, "read_file", "Read", { path });
    log.toolEnd(explore, path, "read_file", "…");
  }
  const report = "I have written the callers to notes/callers.md.";
  log.answer(explore, [text(report)]);
  log.spend(explore, { input: 23_400, output: 800, cost: 0.09 }, 12);
  log.end(explore, "done");
  log.host({ type: "report_checked", agentId: explore.id, flag: "pointer", isHeld: true });
  log.toolEnd(main, "c1", "delegate_to_agent", report);
  return log;
}

/** Three agents with envelopes: one is nearly full, one is used up and waits. */
function envelopes(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Check the shop before the release");
  const tasks = [
    { agent: "explore", title: "Audit the login", task: "Audit the login", context: "", budget: { tokens: 60_000 } },
    { agent: "edit", title: "Run the tests", task: "Run the tests", context: "", budget: { cost: 0.5, requests: 12 } },
    { agent: "explore", title: "Read the docs", task: "Read the docs", context: "", budget: { requests: 4 } },
  ];
  log.answer(main, [toolCall("c1", "spawn_agents", { tasks })]);
  log.toolStart(main, "c1", "spawn_agents", "Delegate", { tasks });
  log.host({ type: "budget_changed", target: { scope: "tree" }, limits: { cost: 2 } });
  const used = { cost: 0, tokens: 0, turns: 0, minutes: 0 };
  const agents = tasks.map(({ agent, title, budget }) => {
    const meta = log.agent(agent, main, "c1", title);
    const { requests: turns, ...rest } = { requests: undefined, ...budget };
    const limits = { ...rest, ...(turns !== undefined && { turns }) };
    log.host({ type: "budget_changed", target: { scope: "agent", agentId: meta.id }, limits });
    return { meta, allowed: limits };
  });
  const [login, tests, docs] = agents;
  if (login === undefined || tests === undefined || docs === undefined) return log;
  const since = 0;
  for (const [{ meta, allowed }, own] of [
    [login, { tokens: 51_200, turns: 4 }],
    [tests, { cost: 0.16, tokens: 48_000, turns: 5 }],
    [docs, { tokens: 18_000, turns: 4 }],
  ] as const) {
    log.answer(meta, [text("I look at it.")]);
    log.spend(meta, { input: own.tokens - 400, output: 400, cost: own.tokens / 300_000 }, 14);
    log.host({ type: "budget_used", agentId: meta.id, since, used: { ...used, ...own }, allowed });
  }
  const all = { cost: 0.39, tokens: 117_200, turns: 14, minutes: 1 };
  log.host({ type: "budget_used", agentId: main.id, since, used: all, allowed: { cost: 2 } });
  log.host({
    type: "budget_asked",
    question: {
      ...{ id: "b1", agentId: docs.meta.id, agentPath: ["main", "explore"], waitingId: docs.meta.id },
      ...{ figure: "turns", used: 4, allowed: 4, step: 4 },
    },
  });
  return log;
}
