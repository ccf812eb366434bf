import assert from "node:assert/strict";
import * as z from "zod";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { type AgentLogEntry, logFromEvents } from "../../../src/agent/tree/log.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import { createScope } from "../../../src/agent/vocabulary/scope.ts";
import { defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { echoTool, testAgent } from "../../support/scriptedAgents.ts";
import { byAgent, call, text } from "../../support/scriptedModel.ts";

function entriesOf(events: readonly AgentEvent[]): AgentLogEntry[] {
  const entries: AgentLogEntry[] = [];
  const write = logFromEvents((entry) => entries.push(entry));
  for (const event of events) write(event);
  return entries;
}

/** A run with one tool call and one delegated agent; every request costs one dollar, a tool spends two on its own. */
async function delegatingRun() {
  const usage = { cost: 1 };
  const registry = new AgentRegistry();
  registry.register({ name: "analyst", description: "Analyses." }, () => ({ systemPrompt: "You analyse.", tools: [] }));
  const delegate = call("delegate_to_agent", { agent: "analyst", task: "Look.", context: "Here." });
  const spending = defineTool({
    name: "search",
    description: "Searches.",
    schema: z.looseObject({}),
    execute(_args, { reportUsage }) {
      reportUsage({ cost: 2 });
      return "found";
    },
  });
  const script = byAgent({
    "You analyse.": [{ ...text("Analysed."), usage }],
    main: [
      { ...call("echo"), usage },
      { ...call("search"), usage },
      { ...delegate, usage },
      { ...text("Done."), usage },
    ],
  });
  const { agent, events } = testAgent(script, { name: "main", tools: [echoTool(), spending], registry });
  const scope = createScope();
  await agent.prompt("Go.", { scope });
  return { entries: entriesOf(events), scope };
}

describe("the log of a run", () => {
  it("D34: has the steps of the agents in the order they were taken", async () => {
    const { entries } = await delegatingRun();
    assert.deepEqual(
      entries.map((entry) => `${entry.agentName}:${entry.action}`),
      [
        "main:agent_start",
        "main:llm_call",
        "main:tool_call",
        "main:llm_call",
        "main:llm_call",
        "main:tool_call",
        "main:llm_call",
        "main:agent_call",
        "analyst:agent_start",
        "analyst:llm_call",
        "analyst:agent_complete",
        "main:llm_call",
        "main:agent_complete",
      ],
    );
  });

  it("D35: its costs add up to the ledger's total", async () => {
    const { entries, scope } = await delegatingRun();
    const total = entries.reduce((sum, entry) => sum + entry.cost, 0);
    assert.deepEqual([total, scope.spend], [7, 7]);
  });

  it("D33: says of nested entries which trace they belong to and how deep they are", async () => {
    const { entries } = await delegatingRun();
    const [first] = entries;
    for (const entry of entries) {
      assert.equal(entry.traceId, first?.traceId);
      const isNested = entry.agentName === "analyst";
      assert.deepEqual([entry.depth, entry.parentTrace], isNested ? [1, first?.traceId] : [0, undefined]);
    }
  });

  it("D16, D33: has a forced completion where a limit ended the run", async () => {
    const { agent, events } = testAgent(() => call("echo"), {
      name: "main",
      tools: [echoTool()],
      maxTurns: 1,
      onLimit: "forceComplete",
    });
    await agent.prompt("Go.");
    const actions = entriesOf(events).map((entry) => entry.action);
    assert.deepEqual(actions.slice(-2), ["forced_complete", "agent_complete"]);
  });
});
