import type { AgentError } from "./errors.ts";
import type { AgentMeta, EndReason, EventBody } from "./events.ts";
import type { Stop } from "./hooks.ts";
import type { AgentMessage, AssistantMessage, ToolCall, ToolDefinition, ToolResultMessage } from "./messages.ts";
import type { Usage } from "./usage.ts";

/**
 * Takes a turn in place of a model request and its tool batch: for an agent that runs in another program. It resolves
 * with its last answer, if it gave any; what it throws ends the run. Once the signal is aborted it has the grace period
 * to end, and is left then.
 */
export type TakeTurn = (turn: ExternalTurn) => Promise<AssistantMessage | undefined>;

export interface ExternalTurn {
  /** The agent whose turn it is. */
  readonly agent: ExternalAgent;
  /** What it was not sent yet: the messages since its latest answer. Empty for work that was cut off and goes on. */
  readonly prompts: readonly AgentMessage[];
  /** What is before them in the transcript, as it is now: what was rewound is gone, what other models said is there. */
  readonly earlier: readonly AgentMessage[];
  readonly signal: AbortSignal;
  /** Ends the run after this turn. */
  readonly stop: Stop;
  /** Who the agent is and what it has to do, as its model would get it. */
  readonly systemPrompt: string;
  /** The agent's own tools, as a program can offer them to its model. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Runs a call of such a tool as one of the agent's: with its hooks, its approvals and its events. The caller adds the
   * message that the call is part of before, and the result afterwards. Never rejects.
   */
  callTool(call: ToolCall, signal: AbortSignal): Promise<ToolResultMessage>;
  /** Called when the user sends something meanwhile; `take` puts it into the transcript and gives it. */
  onSteering(listener: (take: () => AgentMessage[]) => void): void;
}

/** Events that an agent of another program reports unasked; the others follow from what it is asked to do here. */
export type ExternalEvent = Extract<
  EventBody,
  {
    type:
      | "message_start"
      | "message_update"
      | "tool_execution_start"
      | "tool_execution_update"
      | "tool_execution_end"
      | "compaction_start"
      | "compaction_end"
      | "warning";
  }
>;

/** What is known of a new child. */
export interface ExternalChild {
  name: string;
  label?: string;
  /** Its parent's call that created it. */
  toolCallId?: string;
}

/** An agent of another program, or one of those that it spawned, as part of this tree. After its end nothing counts. */
export interface ExternalAgent {
  readonly meta: AgentMeta;
  emit(event: ExternalEvent): void;
  /** Adds a message whose start was emitted. */
  add(message: AgentMessage): void;
  /** Counts what it reports to have spent. Of its context it reports separately how full it is. */
  reportUsage(delta: Partial<Usage>, context?: ReportedContext): void;
  /** A child starts. */
  createChild(child: ExternalChild): ExternalAgent;
  /** Starts a child again that had ended: it may be given more work by its parent. */
  resume(child?: Partial<ExternalChild>): void;
  /** A child has ended, with all below it. */
  end(reason: EndReason, error?: AgentError): void;
}

/** Tokens of the context, and of the window. */
export interface ReportedContext {
  tokens: number;
  window: number;
}
