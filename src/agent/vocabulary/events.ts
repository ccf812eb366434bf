import type { AgentErrorCode, ErrorFacts } from "./errors.ts";
import type { AgentMessage, AssistantMessage, ToolResult, ToolResultMessage } from "./messages.ts";
import type { MessageDelta } from "./model.ts";
import type { PendingApproval } from "./pause.ts";
import type { ReportedUsage, Usage } from "./usage.ts";

/** Who an event is about. `depth` 0 is the root agent. */
export interface AgentMeta {
  id: string;
  name?: string;
  /** Shown before the name. */
  prefix: string;
  depth: number;
  parentId?: string;
  /** The parent's tool call that created this agent. */
  toolCallId?: string;
  label?: string;
  model?: string;
}

/** `seq` is one rising counter per session, `timestamp` milliseconds since the epoch. */
export interface EventBase {
  agent: AgentMeta;
  sessionId: string;
  runId: string;
  seq: number;
  timestamp: number;
}

/**
 * Why a run ended: "done" with an answer that calls nothing, "completed" by `complete_task`, "returned" by
 * `return_to_user`, "stopped" by a hook or an effect, "limit" by a limit that forces a result, "paused" where calls wait
 * for approval.
 */
export type EndReason = "done" | "completed" | "returned" | "stopped" | "limit" | "aborted" | "error" | "paused";

/** Which limit was reached: "cost" is USD of this agent's run, "spend" of the whole tree, "iterations" `maxIterations`. */
export type LimitName = "turns" | "cost" | "spend" | "tokens" | "depth" | "iterations" | "time";

/** An error as events carry it. */
export interface SerializedError {
  code: AgentErrorCode;
  /** Includes the text of the cause. */
  message: string;
}

/** Every event is plain JSON: it can be logged, posted and replayed. */
export type AgentEvent = EventBase & EventBody;

export type EventBody =
  /** `resumes`: the run goes on with work that was cut off or paused. */
  | { type: "agent_start"; resumes?: true }
  | {
      type: "agent_end";
      reason: EndReason;
      messages: AgentMessage[];
      finalMessage?: AssistantMessage;
      result?: unknown;
      usage: Usage;
      error?: SerializedError;
      /** The calls that a paused run waits with. */
      pending?: PendingApproval[];
    }
  | { type: "turn_start"; index: number }
  | { type: "turn_end"; index: number; message: AssistantMessage; toolResults: ToolResultMessage[] }
  /** An assistant message starts with empty content. */
  | { type: "message_start"; message: AgentMessage }
  | { type: "message_update"; messageId: string; delta: MessageDelta }
  | { type: "message_end"; message: AgentMessage }
  | { type: "tool_execution_start"; callId: string; toolName: string; label?: string; args: unknown }
  | { type: "tool_execution_update"; callId: string; toolName: string; partial?: ToolResult; output?: string }
  | {
      type: "tool_execution_end";
      callId: string;
      toolName: string;
      result: ToolResult;
      isError: boolean;
      durationMs: number;
    }
  | { type: "usage"; delta: Usage; own: Usage; total: Usage; contextTokens: number; contextPercent: number }
  /** Messages waiting; with `delivered`, the one that has just left its queue (`kind`). */
  | {
      type: "queue_update";
      steering: number;
      followUp: number;
      delivered?: AgentMessage;
      kind?: "steering" | "followUp";
    }
  | { type: "compaction_start" }
  /** Estimated tokens of what the model is shown. */
  | { type: "compaction_end"; kind: "trim" | "summary"; before: number; after: number }
  | { type: "limit_reached"; limit: LimitName }
  | { type: "validation"; attempt: number; valid: boolean; feedback?: string }
  /** Of a team: a member has come, or gone. */
  | { type: "agent_spawned"; child: AgentMeta }
  | { type: "agent_exit"; child: AgentMeta; reason?: string }
  /** The whole transcript, when it changed outside a run. */
  | {
      type: "transcript";
      messages: AgentMessage[];
      own: Usage;
      total: Usage;
      reason: "initial" | "added" | "reset" | "rewind" | "checkpoint";
    }
  | { type: "warning"; message: string }
  | { type: "retry"; attempt: number; delayMs: number; error: string; errorFacts?: ErrorFacts };

/**
 * A delta as it is emitted. `reported` is no part of the published event: code that stores what arrives knows by it what an
 * answer has cost that never ended.
 */
export type StreamedUpdate = Extract<AgentEvent, { type: "message_update" }> & { reported?: ReportedUsage };

/** An iterable whose `result` resolves when the run has ended and never rejects. Breaking out does not abort the run. */
export interface EventStream<T, R> extends AsyncIterable<T> {
  readonly result: Promise<R>;
}
