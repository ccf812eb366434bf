import { assertNever } from "../../../agent/index.ts";
import type { NoticeAction } from "../../../protocol/hostEvents.ts";
import type { HistoryIntent } from "../../../protocol/intents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { SteeringActions } from "../../chat/agents/steering.ts";
import { transcriptText } from "../../chat/agents/transcriptText.ts";
import type { Chat } from "../../chat/chat.ts";
import type { RunsIntent } from "../../chat/runs/chatRuns.ts";

/** What the panel's intents need of the host. */
export interface IntentActions {
  currentChat(): Chat;
  send(intent: Extract<Intent, { type: "send" }>): Promise<void>;
  messageAgent(agentId: string, text: string): Promise<void>;
  /** Takes a queued message back into the composer. */
  editQueued(messageId: string): void;
  newChat(): void;
  keepDraft(chatId: string, draft: Pick<Extract<Intent, { type: "draft" }>, "text" | "attachments">): void;
  /** What a slash and a name asked for. */
  runCommand(intent: Extract<Intent, { type: "command" }>): Promise<void>;
  /** Attaches files to what is being written. */
  dropFiles(uris: readonly string[]): Promise<void>;
  /** Chats beside the one on show. */
  history(intent: HistoryIntent): Promise<void>;
  /** Goes on in a chat that another window has closed. */
  continueHere(): Promise<void>;
  decide(intent: Extract<Intent, { type: "decide" }>): Promise<void>;
  /** One answer to several edits. */
  decideEdits(intent: Extract<Intent, { type: "decideEdits" }>): Promise<void>;
  openDiff(approvalId: string, path: string | undefined): Promise<void>;
  /** Written edits that wait for Keep or Undo. */
  pending: PendingEditActions;
  rewind(intent: Extract<Intent, { type: "rewind" }>): Promise<void>;
  undoRewind(): Promise<void>;
  selectModel(model: string | undefined): Promise<void>;
  actOnNotice(action: NoticeAction): Promise<void>;
  openLink(href: string): Promise<void>;
  openFile(path: string, line: number | undefined): Promise<void>;
  /** The output of the command that a tool call ran. */
  showInTerminal(callId: string): void;
  /** The output of a command that runs in the background. */
  showCommandOutput(commandId: string): void;
  /** Ends a command that runs in the background. */
  stopCommand(commandId: string): Promise<void>;
  copy(text: string): Promise<void>;
  insertAtCursor(text: string): Promise<void>;
  /** Resolves when the user has reviewed the edit. */
  applyCode(intent: Extract<Intent, { type: "applyCode" }>): Promise<void>;
  steering: SteeringActions;
  /** Compaction, budgets and traces. */
  runs(chat: Chat, intent: RunsIntent): Promise<void>;
}

/** Of one file, of one agent and what it spawned, or without either, all of them. */
interface PendingEditActions {
  review(scope: { agentId?: string }): Promise<void>;
  keep(scope: { path?: string; agentId?: string }): Promise<void>;
  undo(scope: { path?: string; agentId?: string }): Promise<void>;
  redo(): Promise<void>;
  forgetUndone(): Promise<void>;
}

/** Intents that concern a chat or the editor; those about the view itself never get here. */
export async function carryOut(intent: Intent, actions: IntentActions): Promise<void> {
  const chat = actions.currentChat();
  switch (intent.type) {
    case "send":
      return actions.send(intent);
    case "stop":
      return chat.stop(intent.agentId);
    case "messageAgent":
      return actions.messageAgent(intent.agentId, intent.text);
    case "removeQueued":
      chat.removeQueued(intent.messageId);
      return;
    case "editQueued":
      return actions.editQueued(intent.messageId);
    case "sendQueued":
      return chat.sendQueued(intent.messageId);
    case "decide":
      return actions.decide(intent);
    case "decideEdits":
      return actions.decideEdits(intent);
    case "answerQuestion":
      chat.questions.answer(intent.questionId, intent.text);
      return;
    case "removeGrant":
      return chat.grants.remove(intent.grantId);
    case "setMode":
      return actions.steering.setMode(intent.mode);
    case "focusChanged":
      return actions.steering.setFocused(intent.isFocused);
    case "setThinking":
      return actions.steering.setThinking(intent.level);
    case "openDiff":
      return actions.openDiff(intent.approvalId, intent.path);
    case "reviewPending":
      return actions.pending.review(scopeOf(intent));
    case "keepAll":
      return actions.pending.keep(scopeOf(intent));
    case "redoEdits":
      return actions.pending.redo();
    case "forgetUndoneEdits":
      return actions.pending.forgetUndone();
    case "undoAll":
      return actions.pending.undo(scopeOf(intent));
    case "rewind":
      return actions.rewind(intent);
    case "undoRewind":
      return actions.undoRewind();
    case "newChat":
      return actions.newChat();
    case "listHistory":
    case "closeHistory":
    case "openChat":
    case "openInEditor":
    case "renameChat":
    case "deleteChat":
    case "restoreChat":
    case "exportChat":
    case "importChat":
    case "showChatFile":
    case "forkChat":
    case "showEarlier":
      return actions.history(intent);
    case "selectModel":
      return actions.selectModel(intent.model);
    case "noticeAction":
      if (intent.action === "continueHere") return actions.continueHere();
      if (intent.noticeId !== undefined) chat.notices.close(intent.noticeId);
      if (intent.action === "compact") await actions.runs(chat, { type: "compact" });
      if (["retry", "resume", "compact"].includes(intent.action)) return chat.retry();
      return intent.action === "fork" ? actions.history({ type: "forkChat" }) : actions.actOnNotice(intent.action);
    case "dismissNotice":
      return chat.notices.close(intent.noticeId);
    case "openLink":
      return actions.openLink(intent.href);
    case "openFile":
      return actions.openFile(intent.path, intent.line);
    case "showInTerminal":
      return actions.showInTerminal(intent.callId);
    case "stopCommand":
      return actions.stopCommand(intent.commandId);
    case "showCommandOutput":
      return actions.showCommandOutput(intent.commandId);
    case "copy":
      return actions.copy(intent.text);
    case "copyTranscript":
      return actions.copy(transcriptText(chat.transcriptOf(intent.agentId)?.messages ?? []));
    case "insertAtCursor":
      return actions.insertAtCursor(intent.text);
    case "applyCode":
      return actions.applyCode(intent);
    case "draft":
      return actions.keepDraft(intent.chatId ?? chat.id, intent);
    case "command":
      return actions.runCommand(intent);
    case "dropFiles":
      return actions.dropFiles(intent.uris);
    case "suggest":
    case "ready":
    case "openAgent":
    case "closeAgent":
      return;
    case "compact":
    case "setBudget":
    case "answerBudget":
    case "showTrace":
      return actions.runs(chat, intent);
    default:
      return assertNever(intent);
  }
}

function scopeOf({ path, agentId }: { path?: string; agentId?: string }): { path?: string; agentId?: string } {
  return { ...(path !== undefined && { path }), ...(agentId !== undefined && { agentId }) };
}
