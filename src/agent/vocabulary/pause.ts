import { AgentError } from "./errors.ts";
import type { AgentMeta, EndReason, LimitName, SerializedError } from "./events.ts";
import type { AgentMessage, ToolCall } from "./messages.ts";
import type { Usage } from "./usage.ts";

/** A call that waits for approval, of the agent that paused or of one below it. */
export interface PendingApproval {
  /** What answers refer to. */
  id: string;
  agent: AgentMeta;
  callId: string;
  toolName: string;
  label?: string;
  /** The arguments as the model sent them. */
  args: unknown;
}

/** Whether a call may run. The reason of a refusal is what the model gets. */
export type ApprovalAnswer = boolean | { approved: boolean; reason?: string };

/** Answers by the id of the pending approval. What is not answered goes on waiting. */
export type ApprovalAnswers = Readonly<Record<string, ApprovalAnswer>>;

/** How a run ended, as its events said. */
export interface EndedRun {
  reason: EndReason;
  result?: unknown;
  error?: SerializedError;
  limit?: LimitName;
}

/** An agent between two steps of its run, with the sub-agents of its open calls. Plain JSON. */
export interface AgentSnapshot {
  agentId: string;
  messages: AgentMessage[];
  usage: Usage;
  /** With what descendants spent. */
  total: Usage;
  /** Requests made in the agent's life. */
  turnIndex: number;
  /** By call id, in the order of their creation. */
  children: Record<string, AgentSnapshot[]>;
  /** By these the call that goes on with its sub-agents finds this one; without them, they are taken in their order. */
  name?: string;
  label?: string;
  /** How its run had ended when its parent was cut off: it does not run again, and its parent gets this. */
  ended?: EndedRun;
}

/** A run that paused, for `Agent.resume` in this process or another. Plain JSON. */
export interface PausedState extends AgentSnapshot {
  version: 1;
}

/** What a paused sub-agent's `run` and `prompt` reject with; the tool that waits for it must let it pass. */
export class PausedError extends AgentError {
  readonly pending: PendingApproval[];

  constructor(pending: PendingApproval[]) {
    super("paused", `The run waits for approval: ${pending.map(({ toolName }) => toolName).join(", ")}`);
    this.pending = pending;
  }
}

/** The calls of the last answer that have no result, with that answer; undefined where there are none. */
export function openCallsOf(messages: readonly AgentMessage[]) {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const assistant = messages[at];
  if (assistant?.role !== "assistant" || assistant.stopReason === "error" || assistant.stopReason === "aborted") {
    return undefined;
  }
  const answered = new Set(
    messages.slice(at + 1).flatMap((message) => (message.role === "toolResult" ? [message.callId] : [])),
  );
  const calls = assistant.content.filter(
    (part): part is ToolCall => part.type === "toolCall" && !answered.has(part.id),
  );
  return calls.length === 0 ? undefined : { assistant, calls };
}
