import { type Recording, recording, text, toolCall } from "../support/recording.ts";

const summary = `The login flow is to be moved to \`auth.ts\`.

- three callers were found, two are moved
- the user wants no new dependency

<known_facts>
The plan, as it is now:
- [x] Find the callers
- [ ] Move the last one (in progress)
</known_facts>`;

/** Scenes of edits that stream in, of contexts that are summarised, and of budgets. */
export const runsScenes = {
  crowd: () => ({ messages: [crowd().chat()] }),
  "crowd-open": () => ({ messages: [crowd().chat()], clicks: ["[role=treeitem][data-group=true] .twistie"] }),
  summarised: () => ({ messages: [summarised().chat()], clicks: [".gauge-button"] }),
  "summary-open": () => ({ messages: [summarised().chat()], clicks: [".message.summary .fold-head"] }),
  summarising: () => ({ messages: [summarising().chat()] }),
  "edit-written": () => ({ messages: [writing().chat()] }),
  "budget-asked": () => ({ messages: [asked().chat()] }),
  "budget-editor": () => ({
    messages: [asked().chat({ budget: { turns: 100, cost: 0 } })],
    clicks: [".gauge-button", ".gauge-dialog .budget-row .link"],
  }),
  "budget-of-agent": () => ({
    messages: [asked().chat()],
    clicks: ['[role=treeitem]:has-text("explore") .codicon-info', ".agent-details .budget-row .link"],
  }),
};

const areas = [
  "login",
  "cart",
  "mail",
  "search",
  "prices",
  "taxes",
  "stock",
  "orders",
  "users",
  "images",
  "reports",
  "jobs",
];

/** Twelve agents: four at work, one of them waits, one has failed, and the others are done. */
function crowd(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Audit every area of the shop");
  log.answer(main, [toolCall("c1", "spawn_agents", { tasks: [] })]);
  log.toolStart(main, "c1", "spawn_agents", "Delegate", { tasks: [] });
  for (const [index, area] of areas.entries()) {
    const agent = log.agent("explore", main, "c1", `Audit the ${area}`);
    log.answer(agent, [text(`I look at the ${area}.`)]);
    log.spend(agent, { input: 4_000 + index * 900, output: 300, cost: 0.02 + index / 100 }, 4 + index);
    if (index > 4) log.end(agent, "done");
    if (index === 4) log.end(agent, "error", "Rate limited by the provider");
    if (index === 1) {
      const question = { agentId: agent.id, agentPath: ["main", "explore"], callId: "q", id: "q" };
      const words = { text: "Shall I read the generated files, too?", options: ["Yes", "No"] };
      log.host({ type: "question_asked", question: { ...question, ...words } });
    }
  }
  return log;
}

function begun(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Move the login flow to auth.ts");
  log.answer(main, [text("Three callers use it. Two of them are moved.")]);
  log.spend(main, { input: 162_000, output: 4_000, cost: 0.61 }, 81);
  const context = {
    system: 3_100,
    tools: 6_400,
    messages: 60_000,
    files: 70_000,
    toolResults: 22_500,
    reserved: 16_000,
  };
  log.host({ type: "context_measured", agentId: "main", context: { ...context, window: 200_000 } });
  return log;
}

function writing(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Round prices to cents");
  const messageId = log.streaming(main, "I round once, where the price is formatted.");
  const update = (delta: object) =>
    log.event(main, { type: "message_update", messageId, delta } as Parameters<Recording["event"]>[1]);
  const content = "export function formatPrice(cents: number): string {\n\tconst rounded = Math.round(cents);\n\tretu";
  update({ type: "toolcall_start", index: 1, callId: "c1", toolName: "write_file" });
  const delta = JSON.stringify({ path: "src/format/money.ts", content }).slice(0, -2);
  update({ type: "toolcall_delta", index: 1, delta });
  return log;
}

function summarised(): Recording {
  const log = begun();
  const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
  const message = { role: "summary" as const, id: "s1", text: summary, timestamp: 0 };
  log.event(main, { type: "message_start", message });
  log.event(main, { type: "message_end", message });
  log.host({
    ...{ type: "compaction_ended", agentId: "main" },
    result: { messageId: "s1", before: 162_000, after: 31_000 },
  });
  const context = { system: 3_100, tools: 6_400, messages: 21_500, files: 0, toolResults: 0, reserved: 16_000 };
  log.host({ type: "context_measured", agentId: "main", context: { ...context, window: 200_000, isAhead: true } });
  log.answer(main, [text("I go on with the last caller.")]);
  log.end(main, "done");
  return log;
}

function summarising(): Recording {
  const log = begun();
  log.host({ type: "compaction_started", agentId: "main" });
  return log;
}

function asked(): Recording {
  const log = begun();
  const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
  log.answer(main, [toolCall("c1", "delegate_to_agent", { agent: "explore", task: "Find the callers of login" })]);
  const explore = log.agent("explore", main, "c1");
  log.user(explore, "Find the callers of login");
  log.spend(explore, { input: 44_000, output: 900, cost: 0.12 }, 22);
  log.host({ type: "budget_changed", target: { scope: "tree" }, limits: { turns: 50, cost: 2 } });
  log.host({
    type: "budget_asked",
    question: {
      ...{ id: "b1", agentId: "main", agentPath: ["main"], waitingId: explore.id },
      ...{ figure: "turns", used: 50, allowed: 50, step: 50 },
    },
  });
  return log;
}
