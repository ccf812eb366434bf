import assert from "node:assert/strict";
import { timeout } from "../../../src/agent/agent/middleware.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { delegationTools } from "../../../src/agent/toolkits/delegation.ts";
import { aborted, gate, ofType, recordedAgent, results, seen, tool } from "../../support/agents.ts";
import { byAgent, call, fail, hang, type Reply, text } from "../../support/scriptedModel.ts";

const task = (agent: string) => ({ agent, task: "t", context: "c" });
const names = Array.from({ length: 10 }, (_one, index) => `worker-${index}`);

/** A root that spawns ten workers at once, of which one does something else. */
function tenWorkers(odd: Reply) {
  const registry = new AgentRegistry();
  for (const name of names) {
    registry.register({ name, description: "" }, () => ({ systemPrompt: `I am ${name}.`, middleware: [timeout(50)] }));
  }
  const scripts = Object.fromEntries(names.map((name, at) => [`I am ${name}.`, [at === 3 ? odd : text(`done ${at}`)]]));
  const main = [call("spawn_agents", { tasks: names.map(task) }), text("ok")];
  const recorded = recordedAgent(byAgent({ ...scripts, "I am main.": main }), { systemPrompt: "I am main." });
  recorded.agent.setTools([delegationTools({ agent: recorded.agent, registry, onError: "collect" })]);
  return recorded;
}

describe("sub-agents under stress", () => {
  it("case 76: aborting the parent ends its children and the processes of their tools", async () => {
    const running = gate();
    let processes = 0;
    const shell = tool("shell", async (_args, context) => {
      processes += 1;
      running.open();
      await aborted(context.signal);
      processes -= 1;
      return "killed";
    });
    const { agent, events } = recordedAgent(byAgent({ main: [call("spawn")], child: [call("shell")] }), {
      systemPrompt: "main",
      tools: [
        tool("spawn", async (_args, context) => {
          await context.subAgents.create({ systemPrompt: "child", tools: [shell] }).prompt("go");
          return "ok";
        }),
      ],
    });
    const run = agent.prompt("hi");
    await running.opened;
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.equal(processes, 0);
    assert.equal(ofType(events, "agent_end").length, 2);
  });

  it("case 77: a recursion bomb stops at the greatest depth", async () => {
    let next = 0;
    const bomb = tool("bomb", async (_args, context) => {
      next += 1;
      const child = context.subAgents.create({
        name: `level-${next}`,
        systemPrompt: "bomb",
        maxTurns: 1,
        tools: [...context.tools],
      });
      const run = await child.send("go").result;
      return run.error?.message ?? "fine";
    });
    const { agent, events, requests } = recordedAgent(() => call("bomb"), {
      systemPrompt: "bomb",
      maxDepth: 3,
      maxTurns: 1,
      tools: [bomb],
    });
    await agent.send("hi").result;
    assert.equal(Math.max(...events.map((event) => event.agent.depth)), 4);
    assert.equal(requests.length, 4);
    assert.ok(ofType(events, "limit_reached").some((event) => event.limit === "depth"));
  });

  it("case 78: when a child runs out of budget or fails, its partial work reaches the parent", async () => {
    const registry = new AgentRegistry();
    registry.register({ name: "worker", description: "" }, () => ({
      systemPrompt: "worker",
      maxTurns: 1,
      tools: [tool("look")],
    }));
    const scripts = {
      main: [call("delegate_to_agent", task("worker")), text("ok")],
      worker: [{ ...call("look"), text: "three of five files read" }],
    };
    const { agent } = recordedAgent(byAgent(scripts), { systemPrompt: "main", registry });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /max turns exceeded \(1\)[\s\S]*three of five files read/);
  });

  for (const [how, odd, message] of [
    ["fails", fail("no luck"), /no luck/],
    ["hangs", hang({ hang: "deaf" }), /deadline/],
  ] as const) {
    it(`case 79: when one of ten ${how}, there are nine results and its error`, async () => {
      const { agent } = tenWorkers(odd);
      await agent.prompt("hi");
      const entries: unknown = JSON.parse(results(agent.messages)[0] ?? "");
      assert.ok(Array.isArray(entries) && entries.length === 10);
      assert.equal(entries.filter((entry) => "result" in entry).length, 9);
      assert.match(entries[3].error, message);
    });
  }

  it("case 80: what the root denies is denied to every descendant, whatever tools it brings", async () => {
    const denied: string[] = [];
    const erase = tool("erase", "erased");
    const grandchild = { name: "grandchild", systemPrompt: "grandchild", tools: [erase] };
    const spawning = (options: object) =>
      tool("spawn", async (_args, context) => {
        await context.subAgents.create(options).prompt("go");
        return "ok";
      });
    const { agent } = recordedAgent(
      byAgent({
        main: [call("spawn"), text("ok")],
        grandchild: [call("erase"), text("no")],
        child: [call("spawn"), text("ok")],
      }),
      {
        systemPrompt: "main",
        hooks: {
          beforeToolCall: ({ call: { name }, agent: { depth } }) => {
            if (name !== "erase") return undefined;
            denied.push(`depth ${depth}`);
            return { block: true, reason: "denied" };
          },
        },
        tools: [spawning({ name: "child", systemPrompt: "child", tools: [spawning(grandchild)] })],
      },
    );
    const end = seen(agent, (event) => event.type === "tool_execution_end" && event.toolName === "erase");
    await agent.prompt("hi");
    const event = await end;
    assert.deepEqual(denied, ["depth 2"]);
    assert.equal(event.type === "tool_execution_end" && event.result.content, "denied");
  });
});
