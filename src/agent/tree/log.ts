import type { AgentEvent, AgentMeta, LimitName } from "../vocabulary/events.ts";
import type { AssistantMessage } from "../vocabulary/messages.ts";
import type { Usage } from "../vocabulary/usage.ts";

/** One step of an execution. Costs are in USD, and their sum over a trace is what the trace cost. */
export interface AgentLogEntry {
  traceId: string;
  depth: number;
  agentName: string;
  turn: number;
  action: "agent_start" | "llm_call" | "tool_call" | "agent_call" | "validation" | "forced_complete" | "agent_complete";
  cost: number;
  /** ISO 8601 */
  timestamp: string;
  data: unknown;
  /** The trace an agent below the root was called from. */
  parentTrace?: string;
}

/** What the log remembers of an agent between two events. */
interface AgentTrack {
  meta: AgentMeta;
  turn: number;
  /** A request whose entry still waits for its usage or its end. */
  request?: { message?: AssistantMessage; usage?: Usage };
  args: Map<string, unknown>;
  /** Calls that started an agent: they are logged as that. */
  agentCalls: Set<string>;
  limit?: LimitName;
}

/**
 * A listener that writes what happens as log entries: logging is a view on events, not a path of its own. `traceId`
 * defaults to the id of the session.
 */
export function logFromEvents(
  sink: (entry: AgentLogEntry) => void,
  options: { traceId?: string } = {},
): (event: AgentEvent) => void {
  const tracks = new Map<string, AgentTrack>();
  return (event) => {
    const track = trackOf(tracks, event.agent);
    const write: Write = (action, data, cost = 0, by = track) => {
      const entry: AgentLogEntry = {
        traceId: options.traceId ?? event.sessionId,
        depth: by.meta.depth,
        agentName: by.meta.name ?? by.meta.id,
        turn: by.turn,
        action,
        cost,
        timestamp: new Date(event.timestamp).toISOString(),
        data,
      };
      sink(by.meta.depth > 0 ? { ...entry, parentTrace: entry.traceId } : entry);
    };
    logEvent(event, track, tracks, write);
  };
}

type Write = (action: AgentLogEntry["action"], data: Record<string, unknown>, cost?: number, by?: AgentTrack) => void;

function trackOf(tracks: Map<string, AgentTrack>, meta: AgentMeta): AgentTrack {
  const known = tracks.get(meta.id);
  if (known !== undefined) return known;
  const track = { meta, turn: 0, args: new Map(), agentCalls: new Set<string>() };
  tracks.set(meta.id, track);
  return track;
}

function logEvent(event: AgentEvent, track: AgentTrack, tracks: Map<string, AgentTrack>, write: Write): void {
  switch (event.type) {
    case "agent_start":
      logAgentCall(track, tracks, write);
      write("agent_start", track.meta.model === undefined ? {} : { model: track.meta.model });
      break;
    case "turn_start":
      track.turn = event.index;
      break;
    case "message_start":
      if (event.message.role !== "assistant") break;
      finishRequest(track, write);
      track.request = {};
      break;
    case "message_end":
      if (event.message.role === "assistant") progressRequest(track, write, { message: event.message });
      break;
    case "usage":
      // A request reports once it has started; what comes at any other time was spent on the agent's behalf.
      if (track.request !== undefined && track.request.usage === undefined) {
        progressRequest(track, write, { usage: event.delta });
      } else write("llm_call", { usage: event.delta }, event.delta.cost);
      break;
    case "tool_execution_start":
      finishRequest(track, write);
      track.args.set(event.callId, event.args);
      break;
    case "tool_execution_end":
      logToolCall(event, track, write);
      break;
    case "validation":
      finishRequest(track, write);
      write("validation", withoutAbsent({ attempt: event.attempt, valid: event.valid, feedback: event.feedback }));
      break;
    case "limit_reached":
      finishRequest(track, write);
      if (event.limit === "depth") write("forced_complete", { limit: event.limit });
      else track.limit = event.limit;
      break;
    case "turn_end":
      finishRequest(track, write);
      break;
    case "agent_end":
      finishRequest(track, write);
      if (event.reason === "limit" && track.limit !== undefined) write("forced_complete", { limit: track.limit });
      delete track.limit;
      write("agent_complete", withoutAbsent({ reason: event.reason, result: event.result, error: event.error }));
      break;
    default:
      // The other events describe how something was shown or queued; they are no steps of the execution.
      break;
  }
}

/** An agent that starts below a tool call is logged by its parent, as a call of that agent. */
function logAgentCall(child: AgentTrack, tracks: Map<string, AgentTrack>, write: Write): void {
  const { parentId, toolCallId, name, id } = child.meta;
  const parent = parentId === undefined ? undefined : tracks.get(parentId);
  if (parent === undefined || toolCallId === undefined) return;
  parent.agentCalls.add(toolCallId);
  const data = { callId: toolCallId, agent: name ?? id, args: parent.args.get(toolCallId) };
  write("agent_call", withoutAbsent(data), 0, parent);
}

type ToolEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

function logToolCall(event: ToolEnd, track: AgentTrack, write: Write): void {
  const { callId, toolName, isError, durationMs } = event;
  const args = track.args.get(callId);
  track.args.delete(callId);
  if (track.agentCalls.delete(callId)) return;
  write("tool_call", withoutAbsent({ callId, toolName, args, isError, durationMs }));
}

/** Usage comes before or after the end of its message, or never: the entry is written as soon as both are known. */
function progressRequest(track: AgentTrack, write: Write, news: { message?: AssistantMessage; usage?: Usage }): void {
  track.request = { ...track.request, ...news };
  if (track.request.message !== undefined && track.request.usage !== undefined) finishRequest(track, write);
}

function finishRequest(track: AgentTrack, write: Write): void {
  if (track.request === undefined) return;
  const { message, usage } = track.request;
  delete track.request;
  const data = { model: message?.model, stopReason: message?.stopReason, usage };
  write("llm_call", withoutAbsent(data), usage?.cost ?? 0);
}

function withoutAbsent(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
