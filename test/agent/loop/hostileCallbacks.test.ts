import assert from "node:assert/strict";
import { mock } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { outputGuardrail } from "../../../src/agent/agent/middleware.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import type { RunResult } from "../../../src/agent/loop/runTypes.ts";
import { MemorySessionStore } from "../../../src/agent/session/memory.ts";
import type { SessionStore } from "../../../src/agent/session/store.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  type ToolCall,
  userMessage,
} from "../../../src/agent/vocabulary/messages.ts";
import type { StreamEvent } from "../../../src/agent/vocabulary/model.ts";
import { equalPlain } from "../../../src/agent/vocabulary/plainJson.ts";
import { type AgentTool, defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { noWaits, ofType } from "../../support/agents.ts";
import { type Reply, scriptedModel, testModel } from "../../support/scriptedModel.ts";
import { tries } from "../../support/soak.ts";

const behaviours = [
  "hang",
  "throw",
  "throwOdd",
  "reject",
  "late",
  "lateReject",
  "mutate",
  "reenter",
  "abort",
  "garbage",
] as const;
type Behaviour = (typeof behaviours)[number];

/** Whatever an application or a model provider can plug in. */
const sites = [
  ...["tool", "prepareArguments", "schema", "needsApproval", "subAgentTool", "listener", "middleware", "streamFn"],
  ...["transformContext", "convertToLlm", "getApiKey", "beforeToolCall", "afterToolCall", "prepareNextTurn"],
  ...["shouldStopAfterTurn", "beforeFinish", "getSteeringMessages", "getFollowUpMessages", "onLimit", "projectContext"],
  ...["effectBefore", "effectAfter", "filterTools", "effectReset", "append", "setMeta"],
  ...["streamEvent", "streamGiven", "streamEnd", "output", "compactor", "guardrail", "factory", "registry", "clock"],
] as const;
type Site = string;

interface Schedule {
  /** What each site does, at which of its calls. */
  hostile: { site: Site; behaviour: Behaviour; at: number }[];
  replies: ("text" | "calls" | "spawn" | "delegate" | "fail" | "cut")[];
  /** Simulated milliseconds after which the caller aborts; undefined lets the run end on its own first. */
  abortAfterMs: number | undefined;
  sequential: boolean;
  /** Whether the caller wants an output by a schema. */
  typed: boolean;
}

const schedule: fc.Arbitrary<Schedule> = fc.record({
  hostile: fc.array(
    fc.record({ site: fc.constantFrom(...sites), behaviour: fc.constantFrom(...behaviours), at: fc.nat({ max: 2 }) }),
    { minLength: 1, maxLength: 4 },
  ),
  replies: fc.array(fc.constantFrom("text", "calls", "spawn", "delegate", "fail", "cut"), {
    minLength: 1,
    maxLength: 4,
  }),
  abortAfterMs: fc.option(fc.nat({ max: 100 }), { nil: undefined }),
  sequential: fc.boolean(),
  typed: fc.boolean(),
});

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const lateMs = 60;

/** Writes wherever it can. What it is given may be frozen, which is as good as a copy. */
function mutate(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > 4) return;
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && !Array.isArray(value)) return;
  // A tool is the application's own.
  if ("execute" in value) return;
  for (const item of Object.values(value)) mutate(item, depth + 1);
  try {
    if (Array.isArray(value)) value.push({ type: "text", text: "written" });
    else Object.assign(value, { text: "written", id: "written", arguments: "written", role: "written" });
  } catch {
    // Frozen.
  }
}

/** The callbacks of one agent, each of which misbehaves when the schedule says so. */
function createHost({ hostile }: Schedule) {
  const counts = new Map<Site, number>();
  const host: { agent?: Agent } = {};
  function act<T>(site: Site, given: readonly unknown[], fine: () => T): T {
    const at = counts.get(site) ?? 0;
    counts.set(site, at + 1);
    const behaviour = hostile.find((one) => one.site === site && one.at === at)?.behaviour;
    // What JavaScript lets a callback do is not what its type says.
    const odd = (value: unknown) => value as T;
    switch (behaviour) {
      case "hang":
        return odd(new Promise(() => {}));
      case "throw":
        throw new Error(`${site} threw`);
      case "throwOdd":
        throw Object.create(null);
      case "reject":
        return odd(Promise.reject(new Error(`${site} rejected`)));
      case "late":
        return odd(delay(lateMs).then(fine));
      case "lateReject":
        return odd(delay(lateMs).then(() => Promise.reject(new Error(`${site} rejected late`))));
      case "mutate":
        for (const value of given) mutate(value);
        return fine();
      case "reenter":
        host.agent?.steer("steered");
        void host.agent?.prompt("more", { whenBusy: "followUp" }).catch(() => {});
        try {
          host.agent?.addMessage("added");
        } catch {
          // Busy, as it should be.
        }
        return fine();
      case "abort":
        void host.agent?.abort();
        return fine();
      case "garbage":
        return odd(42);
      default:
        return fine();
    }
  }
  return { act, host };
}

type Act = ReturnType<typeof createHost>["act"];

function toolsOf(act: Act): AgentTool[] {
  const acts = defineTool({
    name: "acts",
    description: "Acts.",
    schema: z.looseObject({ n: z.number() }).refine((args) => act("schema", [args], () => true)),
    // Any answer but false pauses the run, as it should where it is unclear.
    needsApproval: async (args) => (await act("needsApproval", [args], () => false)) === true,
    prepareArguments: (raw) => act("prepareArguments", [raw], () => raw),
    execute: (args, context) =>
      act("tool", [args, context.agent, context.tools], () => {
        context.output("so far");
        context.reportUsage({ cost: 1 });
        return `acted ${args.n}`;
      }),
  });
  const spawns = defineTool({
    name: "spawns",
    description: "Asks a sub-agent.",
    schema: z.object({}),
    execute: (_args, { subAgents, signal }) =>
      act("subAgentTool", [], async () => {
        const child = subAgents.create({ name: "child", systemPrompt: "child", tools: [acts] });
        return (await child.send("go", { signal }).result).reason;
      }),
  });
  return [acts, spawns];
}

const parts: Record<Schedule["replies"][number], Reply> = {
  text: { text: '{"so":"be it"}' },
  calls: {
    calls: [
      { name: "acts", args: { n: 1 } },
      { name: "acts", args: { n: 2 } },
    ],
  },
  spawn: { calls: [{ name: "spawns" }] },
  delegate: { calls: [{ name: "delegate_to_agent", args: { agent: "helper", task: "Help.", context: "" } }] },
  fail: { error: "overloaded" },
  cut: { text: "half", unfinished: true },
};

/** A stream that misbehaves at each event, with what it has given already, and when it is closed. */
async function* hostileStream(act: Act, stream: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  try {
    for await (const event of stream) {
      yield await act("streamEvent", [], () => event);
      await act("streamGiven", [event], () => undefined);
    }
  } finally {
    await act("streamEnd", [], () => undefined);
  }
}

function registryOf(act: Act): AgentRegistry {
  const registry = new AgentRegistry();
  const create = () => ({ systemPrompt: "child", tools: [] });
  registry.register({ name: "helper", description: "Helps." }, () => act("factory", [], create));
  const own = registry.get.bind(registry);
  return Object.assign(registry, { get: (name: string) => act("registry", [], () => own(name)) });
}

function hostileAgent(plan: Schedule): { agent: Agent; act: Act } {
  const { act, host } = createHost(plan);
  const scripted = scriptedModel(({ systemPrompt }, index) => {
    if (systemPrompt === "child")
      return index % 2 === 0 ? { calls: [{ name: "acts", args: { n: 3 } }] } : { text: "child" };
    return parts[plan.replies[index] ?? "text"] ?? { text: "end" };
  });
  const rows = new MemorySessionStore();
  const session: SessionStore = Object.assign(Object.create(rows) as SessionStore, {
    append: (id: string, message: AgentMessage) => act("append", [message], () => rows.append(id, message)),
    setMeta: (meta: Record<string, string>) => act("setMeta", [meta], () => rows.setMeta(meta)),
    list: () => rows.list(),
    getMeta: () => rows.getMeta(),
  });
  const agent = new Agent({
    name: "root",
    model: scripted.model,
    streamFn: (model, request, options) =>
      act(
        "streamFn",
        [model, request, request.messages, request.tools],
        (): AsyncIterable<StreamEvent> => hostileStream(act, scripted.streamFn(model, request, options)),
      ),
    tools: toolsOf(act),
    session,
    durable: true,
    toolExecution: plan.sequential ? "sequential" : "parallel",
    abortGraceMs: 50,
    maxTurns: 6,
    turnRetries: 1,
    clock: {
      random: () => act("clock", [], () => 0),
      wait: (...wait) => act("clock", [], () => noWaits.wait(...wait)),
    },
    registry: registryOf(act),
    maxDepth: 1,
    compactor: (messages) => act("compactor", [messages], async () => "skip" as const),
    projectContext: () => act("projectContext", [], async () => "a project"),
    onLimit: (limit) => act("onLimit", [limit], async () => "stop" as const),
    middleware: [
      (next, meta) => (signal) => act("middleware", [meta], () => next(signal)),
      outputGuardrail((message) => act("guardrail", [message], () => undefined)),
    ],
    hooks: {
      transformContext: (messages) => act("transformContext", [messages], () => [...messages]),
      getApiKey: (provider) => act("getApiKey", [provider], () => "key"),
      beforeToolCall: (info) => act("beforeToolCall", [{ ...info }], () => undefined),
      afterToolCall: (info) => act("afterToolCall", [{ ...info }], () => undefined),
      prepareNextTurn: (turn) => act("prepareNextTurn", [{ ...turn }], () => undefined),
      shouldStopAfterTurn: (turn) => act("shouldStopAfterTurn", [{ ...turn }], () => false),
      beforeFinish: (turn) => act("beforeFinish", [{ ...turn }], () => undefined),
      getSteeringMessages: () => act("getSteeringMessages", [], () => []),
      getFollowUpMessages: () => act("getFollowUpMessages", [], () => []),
    },
    effects: [
      {
        before: (info) => act("effectBefore", [{ ...info }, info.transcript.list()], () => undefined),
        after: (info) => act("effectAfter", [{ ...info }], () => undefined),
        reset: () => act("effectReset", [], () => undefined),
        filterTools: (tools, info) => act("filterTools", [{ ...info }], () => tools),
      },
    ],
  });
  host.agent = agent;
  agent.subscribe((event) => act("listener", [event], () => undefined));
  return { agent, act };
}

/** Lets simulated time pass until a promise has settled; undefined if it has not after `ms`. */
async function settledWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let settled: { value: T } | undefined;
  void work.then((value) => {
    settled = { value };
  });
  for (let passed = 0; passed <= ms && settled === undefined; passed += 10) {
    for (let round = 0; round < 4 && settled === undefined; round += 1) await new Promise(setImmediate);
    if (settled === undefined) mock.timers.tick(10);
  }
  return settled?.value;
}

function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content.filter((part): part is ToolCall => part.type === "toolCall");
}

/** Every call of an answer that did not fail has its one result, ahead of whatever follows. */
function assertValid(messages: readonly AgentMessage[]): void {
  for (const [at, message] of messages.entries()) {
    assert.ok(equalPlain(JSON.parse(JSON.stringify(message)), message));
    if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") continue;
    const calls = callsOf(message);
    const answers = messages.slice(at + 1, at + 1 + calls.length);
    assert.deepEqual(
      answers.map((answer) => (answer.role === "toolResult" ? answer.callId : answer.role)),
      calls.map(({ id }) => id),
    );
  }
}

async function play(plan: Schedule): Promise<void> {
  const { agent, act } = hostileAgent(plan);
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(structuredClone(event)));
  const caller = new AbortController();
  const message = userMessage("go");
  const output = z.looseObject({}).refine((value) => act("output", [value], () => true));
  const options = { signal: caller.signal, ...(plan.typed && { output }) };
  const sent: Promise<RunResult> = agent.send(message, options).result;
  let result = await settledWithin(sent, plan.abortAfterMs ?? 300);
  if (result === undefined) {
    caller.abort();
    result = await settledWithin(sent, 1_000);
  }
  assert.ok(result !== undefined, "the run has not ended a second after the abort");
  // A re-entering callback may have queued what now runs.
  const idle = await settledWithin(
    agent.dispose().then(() => true),
    1_000,
  );
  assert.ok(idle, "the agent does not come to rest");
  assert.equal(agent.status, "idle");
  assert.deepEqual(message.content, [{ type: "text", text: "go" }]);
  assert.equal(testModel.id, "scripted");
  // A middleware that never calls the loop, and an abort before it, leave the transcript empty.
  assertValid(agent.messages);
  for (const own of Map.groupBy(events, (event) => event.runId).values()) {
    assert.deepEqual([ofType(own, "agent_start").length, ofType(own, "agent_end").length], [1, 1]);
    assert.equal(own.at(-1)?.type, "agent_end");
  }
  const ids = new Set(events.map((event) => event.agent.id));
  assert.ok(!ids.has("written"));
  assert.deepEqual(
    ofType(events, "message_end").flatMap((event) => (event.agent.id === agent.id ? [event.message] : [])),
    agent.messages,
  );
}

describe("a run among hostile callbacks", () => {
  it("settles, whatever its callbacks do", async function () {
    this.timeout(0);
    const logged = [mock.method(console, "error", () => {}), mock.method(console, "warn", () => {})];
    const unhandled: unknown[] = [];
    const others = process.listeners("unhandledRejection");
    const note = (error: unknown) => unhandled.push(error);
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const property = fc.asyncProperty(schedule, async (plan) => {
        await play(plan);
        mock.timers.tick(lateMs * 4);
        await new Promise(setImmediate);
        assert.deepEqual(unhandled.splice(0), []);
      });
      await fc.assert(property, tries("hostileCallbacks"));
    } finally {
      mock.timers.reset();
      for (const { mock: silenced } of logged) silenced.restore();
      process.off("unhandledRejection", note);
      for (const listener of others) process.on("unhandledRejection", listener);
    }
  });
});
