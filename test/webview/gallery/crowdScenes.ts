import type { AgentMeta } from "../../../src/agent/types.ts";
import type { Approval } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { type Recording, recording, text, toolCall } from "../support/recording.ts";

/** Runs of one, eight and forty agents, over as many levels as it takes. Where some wait, it is for the same edit. */
export function crowdScenes(
  edit: () => Approval,
): Readonly<Record<string, () => { messages: HostMessage[]; clicks?: string[] }>> {
  return {
    "agents-1": () => ({ messages: [alone().chat()] }),
    "agents-8": () => ({ messages: [crowdOf(8).chat()] }),
    "agents-40": () => ({ messages: [crowdOf(40).chat()] }),
    "agents-40-waiting": () => ({ messages: [crowdOf(40, { waitingFor: edit() }).chat()] }),
    "agents-40-details": () => ({
      messages: [crowdOf(40).chat()],
      clicks: ['[role=treeitem]:has-text("Review the cart") .codicon-info'],
    }),
    "agents-40-ended": () => ({ messages: [crowdOf(40, { hasEnded: true }).chat()] }),
  };
}

const areas = ["login", "cart", "mail", "search", "prices", "taxes", "stock", "orders", "users"];
const parts = ["routes", "models", "tests", "texts"];

function alone(): Recording {
  const log = recording();
  const main = log.agent("main");
  log.host({ type: "chat_titled", title: "Where is the price computed?" });
  log.user(main, "Where is the price computed, and who rounds it?");
  log.answer(main, [text("I search the sources."), toolCall("s1", "search_text", { query: "price" })]);
  log.toolStart(main, "s1", "search_text", "Search", { query: "price" });
  log.toolEnd(main, "s1", "search_text", "src/cart/price.ts:24: export function total(");
  log.streaming(main, "The price is computed in `src/cart/price.ts:24`. It is rounded twice: once for each item, and");
  log.spend(main, { input: 9_200, output: 300, cost: 0.03 }, 5);
  return log;
}

/** A run of so many agents, main among them: some are at work, some have ended, one has failed. */
function crowdOf(count: number, end: { hasEnded?: boolean; waitingFor?: Approval } = {}): Recording {
  const { hasEnded = false, waitingFor } = end;
  const log = recording();
  log.host({ type: "chat_titled", title: "Review the shop before its release" });
  const main = log.agent("main");
  log.user(main, "Review every area of the shop before the release, and fix what is wrong.");
  const agents: AgentMeta[] = [];
  const spawn = (parent: AgentMeta, titles: readonly string[]) => {
    const tasks = { tasks: titles.map((title) => ({ agent: "explore", title, task: `${title}.`, context: "" })) };
    const callId = `spawn ${parent.id}`;
    log.answer(parent, [text("I share the work."), toolCall(callId, "spawn_agents", tasks)]);
    log.toolStart(parent, callId, "spawn_agents", "Delegate", tasks);
    const children = titles.map((title) => log.agent("explore", parent, callId, title));
    agents.push(...children);
    return children;
  };
  // With forty: seven that lead, and 32 below them.
  const leads = spawn(
    main,
    areas.slice(0, Math.min(7, count - 1)).map((area) => `Review the ${area}`),
  );
  for (const [index, lead] of leads.entries()) {
    const room = count - 1 - agents.length;
    if (room === 0) break;
    const isLast = index === leads.length - 1;
    const titles = (isLast ? areas.slice(7) : []).map((area) => `Review the ${area}`);
    titles.push(
      ...parts.map((part) => `Read the ${part} of the ${areas[index]}`),
      `Check the ${areas[index]} at night`,
    );
    spawn(lead, titles.slice(0, room));
  }
  const isLead = (agent: AgentMeta) => agents.some(({ parentId }) => parentId === agent.id);
  for (const [index, agent] of agents.entries()) {
    log.spend(agent, { input: 4_000 + index * 731, output: 300, cost: 0.02 + (index % 9) / 100 }, 2 + index);
    if (isLead(agent)) continue;
    if (index === (count > 8 ? 9 : 4))
      log.end(agent, "error", "Rate limited by the provider: try again in 40 seconds.");
    else if (hasEnded || index % 3 === 0) log.end(agent, "done");
    else if (index % 3 === 1) log.streaming(agent, `The ${areas[index % areas.length]} round their totals twice`);
    else
      log.toolStart(agent, `r${index}`, "read_file", "Read", { path: `src/${areas[index % areas.length]}/index.ts` });
  }
  const busy = agents.filter((agent, index) => !isLead(agent) && index % 3 === 2);
  for (const [index, agent] of busy.slice(0, 3).entries()) {
    if (waitingFor === undefined) break;
    const asker = { agentId: agent.id, agentPath: ["main", "explore"], callId: `w${index}` };
    log.host({ type: "approval_requested", approval: { ...waitingFor, ...asker, id: `a${index}` } });
  }
  if (hasEnded) {
    for (const lead of leads.filter(isLead)) log.end(lead, "done");
    log.answer(main, [text("All areas are reviewed. The totals of the cart were rounded twice; that is mended.")]);
    log.end(main, "done");
  }
  log.spend(main, { input: 14_000, output: 900, cost: 0.09 }, 12);
  return log;
}
