import type { AgentMeta, SerializedError } from "../vocabulary/events.ts";
import type { AgentMessage, ToolResult } from "../vocabulary/messages.ts";
import type { Usage } from "../vocabulary/usage.ts";

/** One tool call as it can be shown: what was asked, what it printed so far, what came of it. */
export interface ToolActivity {
  callId: string;
  toolName: string;
  label?: string;
  /** The raw arguments as the model sent them. */
  args: unknown;
  status: "running" | "done" | "error";
  /** Live output so far. */
  output: string;
  /** The final result, or the latest partial one while it runs. */
  result?: ToolResult;
  durationMs?: number;
}

/** A request that waits before it is sent again. */
export interface PendingRetry {
  /** How often it was sent; 0 for one that waits because others were sent away, or come first. */
  attempt: number;
  /** When it will be sent, as events are timed. */
  until: number;
  /** Empty for one that waits until others are answered. */
  error: string;
}

/** One agent. The message that is being streamed is the last entry of `messages`. Times are those of its latest run. */
export interface TreeNode {
  meta: AgentMeta;
  status: "running" | "done" | "error" | "aborted" | "limit";
  /** Ids, in order of appearance. */
  children: string[];
  messages: AgentMessage[];
  own: Usage;
  /** With all descendants. */
  total: Usage;
  /** Of the latest request. */
  contextTokens: number;
  contextPercent: number;
  /** By call id. */
  tools: Record<string, ToolActivity>;
  startedAt: number;
  endedAt?: number;
  /** How long it had worked, in milliseconds, before its latest run went on with that. */
  earlierMs?: number;
  error?: SerializedError;
  /** From the failed request until something of an answer comes. */
  retry?: PendingRetry;
}

/** All agents of a session. Plain JSON. */
export interface AgentTree {
  /** By agent id. */
  nodes: Record<string, TreeNode>;
  /** Ids of the agents without a parent, in order of appearance. */
  roots: string[];
  /** Of the last event that was folded; -1 before the first. */
  lastSeq: number;
}
