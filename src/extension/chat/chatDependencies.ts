import type { Agent, EndReason, LimitName, UserMessage } from "../../agent/index.ts";
import type { Notice } from "../../protocol/hostEvents.ts";
import type { SessionCursor, SessionStorage } from "../sessions/session.ts";
import type { Chat } from "./chat.ts";
import type { Drafts } from "./compose/drafts.ts";
import type { ChatRecord } from "./log/chatRecording.ts";
import type { InterruptedEdits } from "./restore/interruptedEdits.ts";
import type { RestoredChat } from "./restore/restoredChat.ts";
import type { RunEnd } from "./runs/runEvents.ts";

/** How a run ended and the text that the root agent answered. */
export interface RunSummary {
  reason: EndReason;
  text: string;
  error?: string;
  /** A stop came before any agent had the message. */
  isUnsent?: true;
}

export interface ChatDependencies {
  /** Makes the chat's root agent as the settings of this moment say. */
  createAgent(chat: Chat): Agent;
  /** Brings the agent up to date with the settings, before each run. */
  configure(agent: Agent, chat: Chat): void;
  /** Stops an agent that an agent of another program spawned. Default: there is none. */
  stopSpawned?(chat: Chat, agentId: string): void;
  /** Adds what the agent has to know beside the user's text. Default: nothing. */
  addNotes?(agent: Agent, message: UserMessage): UserMessage;
  /**
   * Called before a message of the user's goes to an agent, or without one before it goes on, so that what it needs is
   * there. Default: nothing.
   */
  beforeSend?(chat: Chat, message?: UserMessage): Promise<void>;
  /** What the user has to know of a run of the root agent; undefined when it is nothing. */
  noticeFor(end: RunEnd, reachedLimit: LimitName | undefined): Notice | undefined;
  /**
   * Called when a run of the root agent starts or ends, when the number of open approvals or questions changes, and when
   * the chat is renamed.
   */
  onActivity(chat: Chat): void;
  /** Writes to the log, such as what a request had to go without. Default: nothing is logged. */
  warn?(message: string): void;
  /** What is in the composers. Default: nothing is kept. */
  drafts?: Pick<Drafts, "of" | "hold">;
  /** Where a chat's log is kept from its first message on. Undefined when it can't be kept. Default: nowhere. */
  record?(chat: Chat): Promise<ChatRecord | undefined>;
}

/** Where a chat comes from, unless it is new. */
export interface ChatOrigin {
  restored?: RestoredChat;
  /** Where its log is kept; absent while another window writes there. */
  record?: ChatRecord;
  sessions?: Pick<SessionStorage, "messagesOf" | "callResultsOf" | "readEarlier">;
  /** What of its log was not read. */
  cursor?: SessionCursor;
  /** Edits whose calls the end of the editor cut off. */
  edits?: InterruptedEdits;
}
