import { createHash } from "node:crypto";
import {
  type AgentEvent,
  type AgentMeta,
  type AssistantMessage,
  addUsage,
  emptyUsage,
  type Usage,
} from "../../agent/index.ts";
import { ownValue } from "../../protocol/records.ts";
import {
  agentAttributes,
  chatAttributes,
  type Span,
  type SpanAttributes,
  toolAttributes,
  usageAttributes,
} from "./attributes.ts";

export interface TraceStep {
  /** Undefined between runs. */
  open: OpenTrace | undefined;
  /** Spans that this event ended. */
  ended: Span[];
}

/**
 * A run's spans as a fold over its events: agents, requests and tool calls with their times and tokens. Pure. Nothing that
 * was said, read or written is in them.
 */
export function foldSpans(open: OpenTrace | undefined, event: AgentEvent): TraceStep {
  if (event.type === "agent_start") return { open: startAgent(open, event), ended: [] };
  const agent = open === undefined ? undefined : ownValue(open.agents, event.agent.id);
  if (open === undefined || agent === undefined) return { open, ended: [] };
  const withAgent = (change: Partial<OpenAgent>): OpenTrace => ({
    ...open,
    agents: { ...open.agents, [event.agent.id]: { ...agent, ...change } },
  });
  const span = spanMaker(open, agent, event);
  switch (event.type) {
    case "turn_start":
      return { open: withAgent({ requestTime: event.timestamp }), ended: [] };
    case "usage":
      return { open: withAgent({ own: addUsage(agent.own, event.delta) }), ended: [] };
    case "retry":
      // Without a reason it waits until others are answered.
      return { open: event.error === "" ? open : withAgent({ retries: agent.retries + 1 }), ended: [] };
    case "limit_reached":
      return { open: withAgent({ limit: event.limit }), ended: [] };
    case "compaction_start":
      return { open: withAgent({ compaction: { startTime: event.timestamp, before: agent.own } }), ended: [] };
    case "compaction_end":
      return endCompaction(event, agent, { span, withAgent });
    case "message_end":
      if (event.message.role !== "assistant") return { open, ended: [] };
      return {
        open: withAgent({ requests: agent.requests + 1, retries: 0, requestTime: event.timestamp }),
        ended: [requestSpan(event.message, agent, span)],
      };
    case "tool_execution_start":
      return { open: startCall(open, event), ended: [] };
    case "tool_execution_end":
      return endCall(open, event, span);
    case "agent_end":
      return endAgent(open, event, { agent, span });
    default:
      return { open, ended: [] };
  }
}

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;
type MakeSpan = (parts: SpanParts) => Span;

interface SpanParts {
  /** What distinguishes it from the agent's other spans. */
  key: string;
  name: string;
  kind?: Span["kind"];
  startTime: number;
  attributes: SpanAttributes;
  isError: boolean;
}

/** Spans of one agent, below its own, that end with this event. */
function spanMaker({ traceId }: OpenTrace, agent: OpenAgent, event: AgentEvent): MakeSpan {
  return ({ key, name, kind = "internal", startTime, attributes, isError }) => ({
    traceId,
    spanId: hexOf(`${agent.spanId} ${key}`, 16),
    parentSpanId: agent.spanId,
    name,
    kind,
    startTime,
    endTime: Math.max(startTime, event.timestamp),
    attributes: { ...attributes, ...agentAttributes(event.agent) },
    status: isError ? "error" : "unset",
  });
}

function requestSpan(message: AssistantMessage, agent: OpenAgent, span: MakeSpan): Span {
  const { model, stopReason } = message;
  return span({
    key: `request ${agent.requests}`,
    name: `chat ${model}`,
    kind: "client",
    startTime: agent.requestTime,
    attributes: { ...chatAttributes(message), ...(agent.retries > 0 && { "arbor.request.retries": agent.retries }) },
    isError: stopReason === "error" || stopReason === "aborted",
  });
}

/** The request of a summary. What only cut old results made none. */
function endCompaction(
  event: Event<"compaction_end">,
  agent: OpenAgent,
  { span, withAgent }: { span: MakeSpan; withAgent(change: Partial<OpenAgent>): OpenTrace },
): TraceStep {
  const { compaction, ...rest } = agent;
  const open = withAgent({ requestTime: event.timestamp });
  const { [event.agent.id]: _replaced, ...others } = open.agents;
  const closed = { ...open, agents: { ...others, [event.agent.id]: { ...rest, requestTime: event.timestamp } } };
  if (compaction === undefined || event.kind !== "summary") return { open: closed, ended: [] };
  const ended = span({
    key: `compaction ${event.seq}`,
    name: `chat ${event.agent.model ?? ""}`.trim(),
    kind: "client",
    startTime: compaction.startTime,
    attributes: {
      "gen_ai.operation.name": "chat",
      ...(event.agent.model !== undefined && { "gen_ai.request.model": event.agent.model }),
      ...usageAttributes(difference(agent.own, compaction.before)),
      "arbor.request.purpose": "compaction",
      "arbor.compaction.tokens_before": event.before,
      "arbor.compaction.tokens_after": event.after,
    },
    isError: false,
  });
  return { open: closed, ended: [ended] };
}

function startCall(open: OpenTrace, event: Event<"tool_execution_start">): OpenTrace {
  const key = callKey(event.agent.id, event.callId);
  // An agent of another program may say more of a call that has started.
  if (ownValue(open.calls, key) !== undefined) return open;
  const call = { spanId: hexOf(`call ${key} ${event.runId} ${event.seq}`, 16), startTime: event.timestamp };
  return { ...open, calls: { ...open.calls, [key]: call } };
}

function endCall(open: OpenTrace, event: Event<"tool_execution_end">, span: MakeSpan): TraceStep {
  const key = callKey(event.agent.id, event.callId);
  const call = ownValue(open.calls, key);
  if (call === undefined) return { open, ended: [] };
  const { [key]: _ended, ...calls } = open.calls;
  const made = span({
    key,
    name: `execute_tool ${event.toolName}`,
    startTime: call.startTime,
    attributes: toolAttributes(event),
    isError: event.isError,
  });
  return { open: { ...open, calls }, ended: [{ ...made, spanId: call.spanId }] };
}

function endAgent(
  open: OpenTrace,
  event: Event<"agent_end">,
  { agent, span }: { agent: OpenAgent; span: MakeSpan },
): TraceStep {
  const { [event.agent.id]: _ended, ...agents } = open.agents;
  const { parentSpanId: _own, ...made } = span({
    key: "",
    name: `invoke_agent ${event.agent.name ?? event.agent.id}`,
    startTime: agent.startTime,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": event.sessionId,
      ...(event.agent.model !== undefined && { "gen_ai.request.model": event.agent.model }),
      ...usageAttributes(agent.own),
      "arbor.agent.depth": event.agent.depth,
      "arbor.run.end_reason": event.reason,
      "arbor.run.requests": agent.requests,
      "arbor.usage.cost_usd": agent.own.cost,
      "arbor.usage.cost_usd_with_agents": event.usage.cost,
      ...(agent.limit !== undefined && { "arbor.run.limit": agent.limit }),
      ...(event.error !== undefined && { "error.type": event.error.code }),
    },
    isError: event.error !== undefined,
  });
  const ended = {
    ...made,
    spanId: agent.spanId,
    ...(agent.parentSpanId !== undefined && { parentSpanId: agent.parentSpanId }),
  };
  return { open: event.agent.depth === 0 ? undefined : { ...open, agents }, ended: [ended] };
}

function difference(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite: a.cacheWrite - b.cacheWrite,
    reasoning: a.reasoning - b.reasoning,
    cost: a.cost - b.cost,
  };
}

/** What is known of a run that is not over. */
export interface OpenTrace {
  traceId: string;
  /** By agent id. */
  agents: Readonly<Record<string, OpenAgent>>;
  /** Calls that are being run, by agent and call. */
  calls: Readonly<Record<string, OpenCall>>;
}

interface OpenAgent {
  spanId: string;
  parentSpanId: string | undefined;
  startTime: number;
  /** When the request under way could begin. */
  requestTime: number;
  requests: number;
  retries: number;
  own: Usage;
  compaction?: { startTime: number; before: Usage };
  limit?: string;
}

interface OpenCall {
  spanId: string;
  startTime: number;
}

/** An agent's run that begins; the root agent's begins a trace. */
function startAgent(
  open: OpenTrace | undefined,
  event: Extract<AgentEvent, { type: "agent_start" }>,
): OpenTrace | undefined {
  const { agent, runId, timestamp } = event;
  const isRoot = agent.depth === 0;
  // A run that was under way when tracing began is not traced.
  if (open === undefined && !isRoot) return undefined;
  const trace = isRoot || open === undefined ? { traceId: hexOf(`trace ${runId}`, 32), agents: {}, calls: {} } : open;
  const started: OpenAgent = {
    spanId: hexOf(`agent ${agent.id} ${runId}`, 16),
    parentSpanId: parentOf(trace, agent),
    startTime: timestamp,
    requestTime: timestamp,
    requests: 0,
    retries: 0,
    own: emptyUsage(),
  };
  return { ...trace, agents: { ...trace.agents, [agent.id]: started } };
}

/** A sub-agent is below the call that spawned it. */
function parentOf({ agents, calls }: OpenTrace, { parentId, toolCallId }: AgentMeta): string | undefined {
  if (parentId === undefined) return undefined;
  const call = toolCallId === undefined ? undefined : ownValue(calls, callKey(parentId, toolCallId));
  return call?.spanId ?? ownValue(agents, parentId)?.spanId;
}

function callKey(agentId: string, callId: string): string {
  return `${agentId} ${callId}`;
}

/** The same run has the same ids, so that nothing depends on chance. */
function hexOf(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
