import { assertNever } from "../../agent/index.ts";
import type { NoticeAction } from "../../protocol/hostEvents.ts";
import type { Intent } from "../../protocol/messages.ts";
import type { Chat } from "./chat.ts";

/** What the panel's intents need of the host. */
export interface IntentActions {
  currentChat(): Chat;
  send(intent: Extract<Intent, { type: "send" }>): Promise<void>;
  messageAgent(agentId: string, text: string): Promise<void>;
  newChat(): Promise<void>;
  decide(intent: Extract<Intent, { type: "decide" }>): Promise<void>;
  openDiff(approvalId: string, path: string | undefined): Promise<void>;
  selectModel(model: string | undefined): Promise<void>;
  actOnNotice(action: NoticeAction): Promise<void>;
  openLink(href: string): Promise<void>;
  openFile(path: string, line: number | undefined): Promise<void>;
  copy(text: string): Promise<void>;
  insertAtCursor(text: string): Promise<void>;
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
      return chat.removeQueued(intent.messageId);
    case "decide":
      return actions.decide(intent);
    case "answerQuestion":
      chat.questions.answer(intent.questionId, intent.text);
      return;
    case "openDiff":
      return actions.openDiff(intent.approvalId, intent.path);
    case "newChat":
      return actions.newChat();
    case "selectModel":
      return actions.selectModel(intent.model);
    case "noticeAction":
      if (intent.noticeId !== undefined) chat.notices.close(intent.noticeId);
      return intent.action === "retry" ? chat.retry() : actions.actOnNotice(intent.action);
    case "dismissNotice":
      return chat.notices.close(intent.noticeId);
    case "openLink":
      return actions.openLink(intent.href);
    case "openFile":
      return actions.openFile(intent.path, intent.line);
    case "copy":
      return actions.copy(intent.text);
    case "insertAtCursor":
      return actions.insertAtCursor(intent.text);
    case "draft":
      chat.draft = intent.text;
      return;
    case "ready":
    case "openAgent":
    case "closeAgent":
      return;
    default:
      return assertNever(intent);
  }
}
