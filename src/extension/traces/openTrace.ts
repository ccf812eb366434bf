import { createHash } from "node:crypto";
import { type AgentEvent, type AgentMeta, emptyUsage, type Usage } from "../../agent/index.ts";

/** What is known of a run that is not over. */
export interface OpenTrace {
  traceId: string;
  /** By agent id. */
  agents: Readonly<Record<string, OpenAgent>>;
  /** Calls that are being run, by agent and call. */
  calls: Readonly<Record<string, OpenCall>>;
}

export interface OpenAgent {
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
export function startAgent(
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

/** A sub-agent stands below the call that spawned it. */
function parentOf({ agents, calls }: OpenTrace, { parentId, toolCallId }: AgentMeta): string | undefined {
  if (parentId === undefined) return undefined;
  const call = toolCallId === undefined ? undefined : own(calls, callKey(parentId, toolCallId));
  return call?.spanId ?? own(agents, parentId)?.spanId;
}

export function callKey(agentId: string, callId: string): string {
  return `${agentId} ${callId}`;
}

/** The same run has the same ids, so that nothing depends on chance. */
export function hexOf(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

/** Agent and call ids may be words that every object has. */
export function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
