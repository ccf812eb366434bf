import assert from "node:assert/strict";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent/agent.ts";
import type { AgentOptions } from "../../../src/agent/agent/agentOptions.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import type { RunResult } from "../../../src/agent/loop/runTypes.ts";
import { MemorySessionStore } from "../../../src/agent/session/memory.ts";
import type { SessionStore } from "../../../src/agent/session/store.ts";
import type { PausedState } from "../../../src/agent/vocabulary/pause.ts";
import { type AgentTool, defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { ofType, results, said } from "../../support/agents.ts";
import { echoTool, testAgent } from "../../support/scriptedAgents.ts";
import { type Reply, scriptedModel, text } from "../../support/scriptedModel.ts";

/** A tool that writes down what it ran with. */
function payTool(ran: string[], needsApproval: AgentTool["needsApproval"] = true): AgentTool {
  return defineTool({
    name: "pay",
    description: "Pays.",
    label: "Pay",
    schema: z.object({ to: z.string() }),
    ...(needsApproval === undefined ? {} : { needsApproval }),
    execute({ to }) {
      ran.push(to);
      return `paid ${to}`;
    },
  });
}

const pay = (to: string, id = `pay-${to}`) => ({ name: "pay", args: { to }, id });

/** As another process would get it. */
function stateOf(result: RunResult): PausedState {
  assert.equal(result.status, "paused");
  return JSON.parse(JSON.stringify(result.state));
}

const yes = (result: RunResult) => Object.fromEntries((result.pending ?? []).map(({ id }) => [id, true]));

describe("a call that needs approval", () => {
  it("pauses the run, with what is pending and a state that is plain JSON; other calls of the message run", async () => {
    const ran: string[] = [];
    const { agent, events } = testAgent([{ calls: [pay("Ada"), { name: "echo" }] }], {
      id: "main",
      tools: [payTool(ran), echoTool()],
    });
    const result = await agent.prompt("go");
    assert.deepEqual([result.reason, result.status, result.error, ran], ["paused", "paused", undefined, []]);
    const { agent: who, ...pending } = result.pending?.[0] ?? { agent: undefined };
    assert.deepEqual(pending, {
      ...{ id: "main/pay-Ada", callId: "pay-Ada", toolName: "pay", label: "Pay" },
      args: { to: "Ada" },
    });
    assert.equal(who?.id, "main");
    assert.deepEqual(stateOf(result), result.state);
    assert.deepEqual(results(agent.messages), ["echoed"]);
    assert.deepEqual(agent.state.pendingToolCalls, ["pay-Ada"]);
    assert.equal(ofType(events, "agent_end")[0]?.reason, "paused");
    assert.equal(agent.status, "idle");
  });

  it("runs once it is approved, in the same process, with one start, one end and one result", async () => {
    const ran: string[] = [];
    const { agent, events } = testAgent([{ calls: [pay("Ada")] }, text("done")], { tools: [payTool(ran)] });
    const paused = await agent.prompt("go");
    const result = await agent.answer(yes(paused));
    assert.deepEqual([result.reason, ran], ["done", ["Ada"]]);
    assert.deepEqual(said(agent.messages), ["user: go", "assistant: ", "toolResult: paid Ada", "assistant: done"]);
    assert.deepEqual(
      [ofType(events, "tool_execution_start").length, ofType(events, "tool_execution_end").length],
      [1, 1],
    );
  });

  it("runs once it is approved in another process", async () => {
    const ran: string[] = [];
    const tools = [payTool(ran)];
    const usage = { input: 3, cost: 2 };
    const first = testAgent([{ calls: [pay("Ada")], usage }], { tools });
    const paused = await first.agent.prompt("go");
    const { model, streamFn, requests } = scriptedModel([{ ...text("done"), usage }]);
    const second = await Agent.resume({ systemPrompt: "", model, streamFn, tools, state: stateOf(paused) });
    assert.equal(second.id, first.agent.id);
    const result = await second.answer(yes(paused));
    assert.deepEqual([result.reason, ran, second.usage.cost], ["done", ["Ada"], 4]);
    assert.deepEqual(
      requests[0]?.messages.map(({ role }) => role),
      ["user", "assistant", "toolResult"],
    );
  });

  it("is answered with the reason when it is refused", async () => {
    const ran: string[] = [];
    const { agent } = testAgent([{ calls: [pay("Ada")] }, text("sorry")], { tools: [payTool(ran)] });
    const { pending } = await agent.prompt("go");
    await agent.answer({ [pending?.[0]?.id ?? ""]: { approved: false, reason: "Too much." } });
    assert.deepEqual([ran, results(agent.messages)], [[], ['The call of "pay" was not approved: Too much.']]);
  });

  it("goes on waiting while it is not answered, beside others that were", async () => {
    const ran: string[] = [];
    const { agent } = testAgent([{ calls: [pay("Ada"), pay("Bob")] }, text("done")], { tools: [payTool(ran)] });
    const paused = await agent.prompt("go");
    const [ada, bob] = paused.pending ?? [];
    const still = await agent.answer({ [bob?.id ?? ""]: true });
    assert.deepEqual([still.pending?.map(({ id }) => id), ran], [[ada?.id], ["Bob"]]);
    assert.equal((await agent.continue()).status, "paused");
    await agent.answer({ [ada?.id ?? ""]: true });
    assert.deepEqual(ran, ["Bob", "Ada"]);
  });

  it("may be known by its arguments; a check that fails refuses it", async () => {
    const ran: string[] = [];
    const check = ({ to }: { to?: unknown }) => {
      if (to === "fail") throw new Error("no list");
      return Promise.resolve(to === "Bob");
    };
    const { agent } = testAgent([{ calls: [pay("Ada"), pay("fail"), pay("Bob")] }, text("done")], {
      tools: [payTool(ran, (args) => check(args as { to?: unknown }))],
    });
    const paused = await agent.prompt("go");
    assert.deepEqual([ran, paused.pending?.map(({ callId }) => callId)], [["Ada"], ["pay-Bob"]]);
    assert.match(results(agent.messages)[1] ?? "", /could not be found out: no list/);
  });

  it("counts as interrupted when the agent is sent something else", async () => {
    const ran: string[] = [];
    const { agent, requests } = testAgent([{ calls: [pay("Ada")] }, text("well")], { tools: [payTool(ran)] });
    await agent.prompt("go");
    await agent.prompt("Never mind.");
    assert.deepEqual(
      requests[1]?.messages.map(({ role }) => role),
      ["user", "assistant", "toolResult", "user"],
    );
    await assert.rejects(agent.answer({}), { code: "cannot_continue" });
  });

  it("in a sequential message leaves what follows it open, and that runs after it", async () => {
    const ran: string[] = [];
    const { agent } = testAgent([{ calls: [pay("Ada"), { name: "echo" }] }, text("done")], {
      tools: [payTool(ran), echoTool()],
      toolExecution: "sequential",
    });
    const paused = await agent.prompt("go");
    assert.deepEqual(results(agent.messages), []);
    await agent.answer(yes(paused));
    assert.deepEqual(results(agent.messages), ["paid Ada", "echoed"]);
  });

  it("makes run reject, since there is no answer yet", async () => {
    const { agent } = testAgent([{ calls: [pay("Ada")] }], { tools: [payTool([])] });
    await assert.rejects(agent.run("go"), { code: "paused" });
  });
});

/** Three levels: the root delegates to two agents, one of which delegates again. Each has a tool that costs something. */
function threeLevels(ran: string[], o: { needsApproval: boolean; beforeTool?(): void }) {
  const act = defineTool({
    name: "act",
    description: "Acts.",
    schema: z.object({ what: z.string() }),
    needsApproval: o.needsApproval,
    execute({ what }) {
      o.beforeTool?.();
      ran.push(what);
      return `acted ${what}`;
    },
  });
  const usage = { input: 10, output: 5, cost: 1 };
  const task = (agent: string) => ({ agent, task: `task of ${agent}`, context: "" });
  const scripts: Record<string, Reply[]> = {
    root: [
      { calls: [{ name: "act", args: { what: "r1" } }], usage },
      {
        calls: [
          { name: "spawn_agents", args: { tasks: [task("left"), task("right")] } },
          { name: "act", args: { what: "r2" } },
        ],
        usage,
      },
      { ...text("root is done"), usage },
    ],
    left: [
      {
        calls: [
          { name: "act", args: { what: "l1" } },
          { name: "act", args: { what: "l2" } },
        ],
        usage,
      },
      { calls: [{ name: "delegate_to_agent", args: task("deep") }], usage },
      { ...text("left is done"), usage },
    ],
    right: [
      { calls: [{ name: "act", args: { what: "x1" } }], usage },
      { ...text("right is done"), usage },
    ],
    deep: [
      { calls: [{ name: "act", args: { what: "d1" } }], usage },
      { calls: [{ name: "act", args: { what: "d2" } }], usage },
      { ...text("deep is done"), usage },
    ],
  };
  const registry = new AgentRegistry();
  for (const name of ["left", "right", "deep"]) {
    registry.register({ name, description: name }, () => ({ name, systemPrompt: name, tools: [act] }));
  }
  // What an agent says next follows from how many answers it is shown, so a resumed one says the same.
  const { model, streamFn } = scriptedModel((request) => {
    const answers = request.messages.filter(({ role }) => role === "assistant").length;
    const reply = scripts[request.systemPrompt]?.[answers];
    assert.ok(reply !== undefined, `${request.systemPrompt} ${answers}`);
    return {
      ...reply,
      pieces: 8,
      calls: reply.calls?.map((one, at) => ({ ...one, id: `${request.systemPrompt}-${answers}-${at}` })),
    } as Reply;
  });
  const options: AgentOptions = {
    id: "root",
    name: "root",
    systemPrompt: "root",
    model,
    streamFn,
    tools: [act],
    registry,
    abortGraceMs: 1,
  };
  return options;
}

const everything = ["d1", "d2", "l1", "l2", "r1", "r2", "x1"];

describe("a tree of agents", () => {
  it("pauses as a whole, and goes on in another process from every pause, running nothing twice", async () => {
    const ran: string[] = [];
    const options = () => threeLevels(ran, { needsApproval: true });
    let result = await new Agent(options()).prompt("go");
    let pauses = 0;
    for (; result.status === "paused"; pauses += 1) {
      const agent = await Agent.resume({ ...options(), state: stateOf(result) });
      // One answer at a time: the others wait through every further pause.
      const first = result.pending?.at(-1)?.id ?? "";
      result = await agent.answer({ [first]: true });
      assert.equal(agent.usage.cost, result.state?.total.cost ?? agent.usage.cost);
      if (result.status === undefined) assert.equal(agent.usage.cost, 11);
    }
    assert.deepEqual([result.reason, ran.toSorted(), pauses], ["done", everything, 7]);
  });

  it("killed at any point and resumed ends with the same transcript and usage, no tool with a result run twice", async function () {
    this.timeout(60_000);
    const whole = new Agent({
      ...threeLevels([], { needsApproval: false }),
      session: new MemorySessionStore(),
      durable: true,
    });
    let points = 0;
    whole.subscribe(() => {
      points += 1;
    });
    await whole.prompt("go");
    assert.ok(points >= 200);
    for (let at = 1; at <= points; at += 1) {
      const ran: string[] = [];
      const { store, kill } = killableStore();
      const isDead = { now: false };
      const beforeTool = () => {
        if (isDead.now) throw new Error("The process has ended.");
      };
      const doomed = new Agent({
        ...threeLevels(ran, { needsApproval: false, beforeTool }),
        session: store,
        durable: true,
      });
      let seen = 0;
      const reached = new Promise<void>((resolve) => {
        doomed.subscribe(() => {
          seen += 1;
          if (seen !== at) return;
          isDead.now = true;
          kill();
          resolve();
        });
      });
      const running = doomed.send("go").result;
      await reached;
      void doomed.abort();
      await running;
      const stored = await resultCalls(store.rows);
      const again: string[] = [];
      const options = { ...threeLevels(again, { needsApproval: false }), session: store.rows, durable: true };
      const resumed = await Agent.resume(options);
      if (resumed.messages.length === 0) await resumed.prompt("go");
      else if (resumed.messages.at(-1)?.role !== "assistant" || said(resumed.messages.slice(-1))[0] === "assistant: ") {
        await resumed.continue();
      }
      const text = `killed at event ${at}`;
      // A result that was stored before is ahead of those that came later until the transcript is read again.
      const reread = await Agent.resume(options);
      assert.deepEqual(said(reread.messages), said(whole.messages), text);
      assert.deepEqual(reread.usage, whole.usage, text);
      assert.deepEqual(resumed.usage, whole.usage, text);
      assert.deepEqual(resumed.ownUsage, whole.ownUsage, text);
      for (const what of again) assert.ok(!stored.has(what), `${text}: ${what} has run twice`);
      assert.deepEqual([...new Set([...ran, ...again])].toSorted(), everything, text);
    }
  });
});

/** A store that takes nothing any more once it is killed. */
function killableStore(): { store: SessionStore & { rows: MemorySessionStore }; kill(): void } {
  const rows = new MemorySessionStore();
  let isDead = false;
  const never = () => new Promise<never>(() => {});
  const store = Object.assign(Object.create(rows) as SessionStore, {
    rows,
    append: (...row: Parameters<SessionStore["append"]>) => (isDead ? never() : rows.append(...row)),
    setMeta: (meta: Record<string, string>) => (isDead ? never() : rows.setMeta(meta)),
    list: (options?: Parameters<SessionStore["list"]>[0]) => rows.list(options),
    getMeta: () => rows.getMeta(),
  });
  return {
    store,
    kill() {
      isDead = true;
    },
  };
}

/** What the tool did in the calls that have a stored result. */
async function resultCalls(store: SessionStore): Promise<Set<string>> {
  const rows = await store.list();
  const texts = rows.flatMap(({ message }) => (message.role === "toolResult" ? results([message]) : []));
  return new Set(texts.flatMap((result) => /^acted (\w+)$/.exec(result)?.[1] ?? []));
}
