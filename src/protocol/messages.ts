import type { AgentEvent, AgentMessage, ThinkingLevel } from "../agent/types.ts";
import type { HistoryMessage } from "./history.ts";
import type { Attachment, HostEvent } from "./hostEvents.ts";
import type { PermissionMode } from "./modes.ts";
import type { BudgetLimits } from "./runs.ts";
import type { SlashCommand, Suggestion } from "./suggestions.ts";

export type { Intent } from "./intents.ts";

/** One line of a chat's log. `seq` counts the log's entries; an agent's event keeps its own `seq` inside. */
export type LogEntry = { seq: number; agent: AgentEvent } | { seq: number; host: HostEvent };

/**
 * Host to panel, posted as JSON text. Only `chat` carries a whole log, and only what the panel lacks; everything
 * after it is what was added.
 */
export type HostMessage =
  /** Starts or resumes a chat. With `reset` the panel forgets what it had. The log up to `upToSeq` is covered. */
  | {
      type: "chat";
      chatId: string;
      reset: boolean;
      upToSeq: number;
      entries: LogEntry[];
      draft: string;
      /** What goes with the draft; absent without anything. */
      draftAttachments?: Attachment[];
      status: PanelStatus;
      /** There are messages before these; `showEarlier` brings them. */
      hasEarlier?: boolean;
    }
  /**
   * Covers the log above `afterSeq` up to `upToSeq`; entries the fold does not need are left out, so gaps between the
   * entries mean nothing. A panel whose last covered number is not `afterSeq` has missed a post and says `ready` again.
   */
  | { type: "entries"; chatId: string; afterSeq: number; upToSeq: number; entries: LogEntry[] }
  /** The transcript of an opened child agent; events up to agent event `upToSeq` are contained in it. */
  | { type: "agentTranscript"; chatId: string; agentId: string; messages: AgentMessage[]; upToSeq: number }
  | { type: "status"; status: PanelStatus }
  /** Puts text and attachments into the composer. */
  | { type: "compose"; text: string; attachments: Attachment[] }
  /** The answer to `suggest`. */
  | { type: "suggestions"; requestId: string; items: Suggestion[] }
  | { type: "focus"; target: "composer" | "tree" }
  /** Shows what waits longest for the user, with the focus on it. */
  | { type: "focus"; target: "waiting" }
  /** Somebody asks from elsewhere in the editor: the chat comes to the front, the focus stays where it is. */
  | { type: "showConversation" }
  /** The user's answer, by a command, to the approval that is shown. */
  | { type: "answer"; decision: "accepted" | "rejected" }
  /** Opens the history. */
  | { type: "focus"; target: "history" }
  | HistoryMessage;

/** Small facts about the editor and the settings; always sent whole. */
export interface PanelStatus {
  model: ModelChoice;
  models: ModelChoice[];
  /** No model is set up that could answer: the panel offers Set up and the demo. */
  needsSetup: boolean;
  folderOpen: boolean;
  /** Offered as context: the file in the active editor. */
  activeFile?: string;
  problemCount: number;
  mode: PermissionMode;
  /** How much the models may think before they answer. */
  thinking: ThinkingLevel;
  /**
   * The share of the window at which an agent's context is compacted by itself, 0 for never. Absent where nothing can
   * be compacted: then nothing offers it.
   */
  compactAt?: number;
  /** What a run of the whole tree may use where a chat has no budget of its own. */
  budget?: BudgetLimits;
  /** What a slash may name; absent as long as it is not known. */
  commands?: SlashCommand[];
}

export interface ModelChoice {
  /** `provider/model-id` */
  id: string;
  label: string;
  /** The offline demo model: rules, not a language model. */
  isDemo: boolean;
  /** Who offers it, as a person would say it; absent for the demo. */
  provider?: string;
  /** Tokens; absent when unknown. */
  contextWindow?: number;
  /** Most tokens of one answer; absent when unknown. */
  maxOutput?: number;
  /** The model's price is known, so costs can be shown. */
  hasPrice: boolean;
  /** What it can be asked for, "off" first. "off" alone: it can't be asked to think. Absent when unknown. */
  thinkingLevels?: ThinkingLevel[];
  /** Whether it takes images; absent when unknown. */
  images?: boolean;
}
