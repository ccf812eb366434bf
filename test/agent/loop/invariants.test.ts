import assert from "node:assert/strict";
import fc from "fast-check";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { type AgentTree, emptyTree, reduceTree } from "../../../src/agent/tree.ts";
import type { AgentEvent, EventBody } from "../../../src/agent/vocabulary/events.ts";
import type { LoopHooks } from "../../../src/agent/vocabulary/hooks.ts";
import type { AgentMessage, AssistantMessage, ToolCall } from "../../../src/agent/vocabulary/messages.ts";
import { addUsage, emptyUsage, type Usage } from "../../../src/agent/vocabulary/usage.ts";
import { noWaits, ofType } from "../../support/agents.ts";
import { type AgentPlan, agentPlan, type Disturbance, disturbance, PlanPlayer } from "../../support/plans.ts";
import { type RecordedRequest, scriptedModel } from "../../support/scriptedModel.ts";

interface Played {
  agent: Agent;
  events: AgentEvent[];
  player: PlanPlayer;
  /** Requests that were made with a signal that had aborted. */
  deadRequests: number;
}

/** Runs a random tree of agents to its end, disturbed at random moments. */
async function play(
  plan: AgentPlan,
  o: {
    disturbance?: Disturbance;
    hooks?: LoopHooks;
    listen?: (agent: Agent, event: AgentEvent) => void;
    throwingListener?: boolean;
  } = {},
): Promise<Played> {
  const player = new PlanPlayer();
  const dead = { requests: 0 };
  // The library survives what listeners and models throw, so what they find is thrown at the end.
  const found: unknown[] = [];
  const noting = (check: () => void) => {
    try {
      check();
    } catch (error) {
      found.push(error);
    }
  };
  const { model, streamFn } = scriptedModel((request) => {
    if (request.options.signal?.aborted) dead.requests += 1;
    noting(() => assertAnswered(request));
    return player.reply(request);
  });
  const agent = new Agent({
    name: "root",
    systemPrompt: player.register(plan),
    model,
    streamFn,
    tools: [player.tool],
    toolExecution: plan.sequential ? "sequential" : "parallel",
    abortGraceMs: 20,
    turnRetries: 1,
    clock: noWaits,
    ...(o.hooks === undefined ? {} : { hooks: o.hooks }),
  });
  const events: AgentEvent[] = [];
  const { abortAt, steerAt, followUpAt } = o.disturbance ?? {};
  agent.subscribe((event) => {
    events.push(event);
    noting(() => o.listen?.(agent, event));
    const count = events.length;
    // Not from within the listener: state would run ahead of the events still to be emitted.
    if (count === abortAt) queueMicrotask(() => void agent.abort("random"));
    if (count === steerAt) queueMicrotask(() => agent.steer("steered"));
    if (count === followUpAt) queueMicrotask(() => agent.followUp("followed"));
  });
  if (o.throwingListener) {
    agent.subscribe(() => {
      throw new Error("listener");
    });
  }
  await agent.send("begin").result;
  if (found.length > 0) throw found[0];
  return { agent, events, player, deadRequests: dead.requests };
}

/** What a provider is asked must be well formed: each call followed by its one result. */
function assertAnswered({ messages }: RecordedRequest): void {
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const answers = messages.slice(at + 1, at + 1 + callsOf(message).length);
    assert.deepEqual(
      answers.map((answer) => (answer.role === "toolResult" ? answer.callId : answer.role)),
      callsOf(message).map((call) => call.id),
    );
  }
}

function callsOf(message: AgentMessage): ToolCall[] {
  if (message.role !== "assistant") return [];
  return message.content.filter((part): part is ToolCall => part.type === "toolCall");
}

function hasFailed(message: AssistantMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}

function byAgent(events: readonly AgentEvent[]): AgentEvent[][] {
  return [...Map.groupBy(events, (event) => event.agent.id).values()];
}

const property = (check: (plan: AgentPlan, disturbed: Disturbance) => Promise<void>) =>
  fc.assert(fc.asyncProperty(agentPlan(2), disturbance, check), { numRuns: 120, interruptAfterTimeLimit: 5_000 });

describe("whatever happens", () => {
  it("every tool call gets exactly one start, one end and one result, those of a failed message none", () =>
    property(async (plan, disturbed) => {
      const { events } = await play(plan, { disturbance: disturbed });
      for (const own of byAgent(events)) {
        const messages = ofType(own, "message_end").map((event) => event.message);
        const answered = messages.flatMap((message) => (message.role === "toolResult" ? [message.callId] : []));
        const expected = messages.flatMap((message) =>
          message.role === "assistant" && !hasFailed(message) ? callsOf(message).map((call) => call.id) : [],
        );
        assert.deepEqual(answered, expected);
        assert.deepEqual(
          ofType(own, "tool_execution_start")
            .map((event) => event.callId)
            .sort(),
          expected.toSorted(),
        );
        assert.deepEqual(
          ofType(own, "tool_execution_end")
            .map((event) => event.callId)
            .sort(),
          expected.toSorted(),
        );
      }
    }));

  it("agent_end comes exactly once per run and is its last event, a child's before its call's end", () =>
    property(async (plan, disturbed) => {
      const { agent, events } = await play(plan, { disturbance: disturbed });
      assert.equal(events.at(-1)?.type, "agent_end");
      assert.equal(events.at(-1)?.agent.id, agent.id);
      for (const own of byAgent(events)) {
        for (const run of Map.groupBy(own, (event) => event.runId).values()) {
          assert.equal(ofType(run, "agent_start").length, 1);
          assert.equal(ofType(run, "agent_end").length, 1);
          assert.equal(run.at(-1)?.type, "agent_end");
        }
      }
      for (const [at, event] of events.entries()) {
        if (event.type !== "tool_execution_end") continue;
        const later = events.slice(at + 1);
        assert.ok(
          later.every((other) => other.agent.toolCallId !== event.callId || other.agent.parentId !== event.agent.id),
        );
      }
    }));

  it("no request is made after an abort, and an aborted run says so", () =>
    property(async (plan, disturbed) => {
      const { agent, events, deadRequests } = await play(plan, { disturbance: disturbed });
      assert.equal(deadRequests, 0);
      const end = ofType(events, "agent_end").at(-1);
      assert.equal(end?.agent.id, agent.id);
      assert.equal(end?.reason === "aborted", end?.error?.code === "aborted");
    }));

  it("a closed owner refuses: no child outlives its call", () =>
    property(async (plan, disturbed) => {
      const { player, events } = await play(plan, { disturbance: disturbed });
      const told = events.length;
      for (const child of player.children) {
        assert.equal(child.status, "idle");
        assert.equal((await child.send("more").result).error?.code, "scope_closed");
      }
      assert.equal(events.length, told);
    }));

  it("the tree's usage is the sum of its agents'", () =>
    property(async (plan, disturbed) => {
      const { agent, events, player } = await play(plan, { disturbance: disturbed });
      // Sums of fractions depend on their order in the last digits.
      const rounded = (usage: Usage): Usage => ({ ...usage, cost: Math.round(usage.cost * 1e9) / 1e9 });
      const sum = (list: readonly Usage[]) => rounded(list.reduce(addUsage, emptyUsage()));
      const deltas = ofType(events, "usage");
      assert.deepEqual(rounded(agent.usage), sum(deltas.map((event) => event.delta)));
      for (const one of [agent, ...player.children]) {
        assert.deepEqual(
          rounded(one.ownUsage),
          sum(deltas.filter((event) => event.agent.id === one.id).map((event) => event.delta)),
        );
      }
      assert.deepEqual(rounded(agent.usage), sum([agent, ...player.children].map((one) => one.ownUsage)));
    }));

  it("every event survives a JSON round trip, and seq rises by one", () =>
    property(async (plan, disturbed) => {
      const { events } = await play(plan, { disturbance: disturbed });
      for (const [at, event] of events.entries()) {
        assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
        assert.equal(event.seq, at + 1);
      }
    }));

  it("the fold over any prefix of the events is the agents' own state", () =>
    property(async (plan, disturbed) => {
      let tree = emptyTree();
      await play(plan, {
        disturbance: disturbed,
        listen(agent, event) {
          tree = reduceTree(tree, event);
          const told = agent.find(event.agent.id);
          // The children of a call that has settled are gone; their last event is emitted before.
          if (told !== undefined) assertSameState(tree, told);
          assertSameState(tree, agent);
        },
      });
    }));

  it("hooks that throw at random moments leave all of this true", () =>
    fc.assert(
      fc.asyncProperty(agentPlan(1), fc.nat(40), disturbance, async (plan, failAt, disturbed) => {
        let calls = 0;
        const count = () => {
          calls += 1;
          if (calls === failAt) throw new Error("hook");
        };
        const hooks: LoopHooks = {
          transformContext(messages) {
            count();
            return [...messages];
          },
          beforeToolCall: () => count(),
          afterToolCall: () => count(),
          prepareNextTurn: () => count(),
          shouldStopAfterTurn() {
            count();
            return false;
          },
        };
        const { events, agent } = await play(plan, { disturbance: disturbed, hooks });
        assert.equal(ofType(events, "agent_end").filter((event) => event.agent.id === agent.id).length, 1);
        const messages = agent.messages.filter((message) => message.role !== "assistant" || !hasFailed(message));
        const calls_ = messages.flatMap(callsOf).map((call) => call.id);
        const answered = messages.flatMap((message) => (message.role === "toolResult" ? [message.callId] : []));
        assert.deepEqual(answered, calls_);
      }),
      { numRuns: 120, interruptAfterTimeLimit: 5_000 },
    ));

  it("a listener that throws at every event changes nothing of what another one gets", async () => {
    const { error } = console;
    console.error = () => {};
    try {
      await fc.assert(
        fc.asyncProperty(agentPlan(1), async (plan) => {
          const quiet = await play(plan);
          const noisy = await play(plan, { throwingListener: true });
          assert.deepEqual(noisy.events.map(shape), quiet.events.map(shape));
        }),
        { numRuns: 60, interruptAfterTimeLimit: 5_000 },
      );
    } finally {
      console.error = error;
    }
  });
});

/** An event without ids and times. */
function shape(event: AgentEvent): string {
  const body: EventBody = event;
  return `${event.agent.depth} ${body.type} ${"toolName" in body ? body.toolName : ""}`;
}

function assertSameState(tree: AgentTree, agent: Agent): void {
  const node = tree.nodes[agent.id];
  assert.ok(node);
  const { messages, streamingMessage, pendingToolCalls } = agent.state;
  const streamed = streamingMessage === undefined ? [] : [streamingMessage];
  const settled = node.messages.filter((message) => message.id !== streamingMessage?.id);
  const started = startedOnly(node.messages, [...messages, ...streamed]);
  assert.deepEqual(
    settled.filter((message) => message.id !== started),
    messages,
  );
  const shown = node.messages.find((message) => message.id === streamingMessage?.id);
  assert.deepEqual(shown?.role === "assistant" && shown.content, streamingMessage?.content ?? false);
  assert.deepEqual(node.total, agent.usage);
  assert.deepEqual(node.own, agent.ownUsage);
  assert.equal(node.contextPercent, agent.contextPercent());
  const running = Object.values(node.tools).filter((tool) => tool.status === "running");
  assert.deepEqual(running.map((tool) => tool.callId).sort(), pendingToolCalls.toSorted());
  assert.equal(node.status === "running", agent.state.isStreaming);
}

/** A message whose start was emitted and whose end was not: it is no part of the transcript yet. */
function startedOnly(shown: readonly AgentMessage[], known: readonly AgentMessage[]): string | undefined {
  return shown.find((message) => !known.some((other) => other.id === message.id))?.id;
}
