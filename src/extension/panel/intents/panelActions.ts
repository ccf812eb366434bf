import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/attachments.ts";
import type { HistoryIntent } from "../../../protocol/historyIntents.ts";
import type { NoticeAction } from "../../../protocol/hostEvents.ts";
import type { PermissionQueue } from "../../approvals/permissionQueue.ts";
import { conflictMessage } from "../../changes/editor/questions.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Rewinds } from "../../changes/rewind/rewinds.ts";
import type { Chat } from "../../chat/chat.ts";
import { applyCode } from "../../chat/code/applyCode.ts";
import type { Composing } from "../../chat/compose/composing.ts";
import type { Drafts } from "../../chat/compose/drafts.ts";
import { activeFile, insertAtCursor, showFile } from "../../chat/compose/editorContext.ts";
import { runCommand } from "../../chat/compose/slash/runCommand.ts";
import type { Conversation } from "../../chat/conversation.ts";
import { UserError } from "../../common/userError.ts";
import { lexicalPlace, placeOf, placeOfUri } from "../../workspace/editorRoots.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { IntentActions, SteeringActions } from "./intentHandler.ts";
import { linkTarget } from "./links.ts";

export interface PanelActionDependencies {
  conversation: Conversation;
  workspace: Workspace;
  review: RegisteredReview;
  permissions: PermissionQueue;
  rewinds: Rewinds;
  selectModel(model?: string): Promise<void>;
  actOnNotice(action: NoticeAction): Promise<void>;
  showInTerminal(callId: string): void;
  showCommandOutput(commandId: string): void;
  stopCommand(commandId: string): Promise<void>;
  steering: SteeringActions;
  history(intent: HistoryIntent): Promise<void>;
  /** Opens a chat anew from its session. */
  reopen(chat: Chat): Promise<Chat>;
  runs: IntentActions["runs"];
  composing: Composing;
  drafts: Drafts;
  /** Gives words and attachments to the composer. */
  compose(text: string, attachments: readonly Attachment[]): void;
}

/** What the panel's intents do in the editor. The panel shows text of models: each path and link is judged here. */
export function panelActions({
  conversation,
  workspace,
  review,
  permissions,
  rewinds,
  selectModel,
  actOnNotice,
  showInTerminal,
  showCommandOutput,
  stopCommand,
  steering,
  history,
  reopen,
  runs,
  composing,
  drafts,
  compose,
}: PanelActionDependencies): IntentActions {
  return {
    currentChat: () => conversation.current,
    send: async ({ text, attachments, whenBusy }) => {
      await conversation.send(text, attachments, whenBusy);
    },
    messageAgent: (agentId, text) => conversation.messageAgent(agentId, text),
    editQueued: (messageId) => conversation.editQueued(messageId),
    newChat: () => conversation.startNew(),
    keepDraft: (chatId, { text, attachments }) => drafts.keep(chatId, text, attachments),
    runCommand: (call) =>
      runCommand(call, {
        conversation,
        context: () => composing.promptContext(),
        execute: async (command) => void (await vscode.commands.executeCommand(command)),
        giveBack: compose,
      }),
    dropFiles: async (uris) => compose("", await composing.dropped(uris)),
    steering,
    history,
    continueHere: async () => void (await reopen(conversation.current)),
    runs,
    decide: async ({ approvalId, hunkId, decision, reason, scope: reach }) => {
      if (permissions.has(approvalId)) {
        const details = { ...(reason !== undefined && { reason }), ...(reach !== undefined && { scope: reach }) };
        return permissions.decide(approvalId, decision, details);
      }
      if (await conversation.current.edits?.decide(approvalId, hunkId, decision)) return;
      const scope = { proposalId: approvalId, ...(hunkId !== undefined && { hunkId }) };
      if (decision === "rejected") await review.proposals.reject(scope, reason);
      else if (reach !== undefined) await acceptAll(review, review.open.grant(approvalId, reach));
      else tellConflicts(await review.proposals.accept(scope));
      review.showNext();
    },
    decideEdits: async ({ approvalIds, decision, reason }) => {
      const scope = { proposalIds: approvalIds };
      const left = decision === "accepted" ? await review.proposals.accept(scope) : 0;
      if (decision === "rejected") await review.proposals.reject(scope, reason);
      if (left > 0) throw new UserError(conflictMessage(left));
      review.showNext();
    },
    openDiff: (approvalId, path) => review.openDiff(approvalId, path),
    pending: review.commands,
    rewind: ({ messageId, what, isResend = false }) => rewinds.rewind(conversation.current, messageId, what, isResend),
    undoRewind: () => rewinds.undo(conversation.current),
    selectModel,
    actOnNotice,
    showInTerminal,
    showCommandOutput,
    stopCommand,
    openLink: async (href) => {
      const target = linkTarget(href);
      if (target === undefined)
        throw new UserError(
          vscode.l10n.t(
            "This link is not followed, since it leads out of the workspace or to no web page: {0}",
            href.slice(0, 200),
          ),
        );
      if (target.kind === "web") await vscode.env.openExternal(vscode.Uri.parse(target.url, true));
      else await showFile((await placeOf(target.path)).uri, target.line);
    },
    openFile: async (path, line) => showFile((await placeOf(path)).uri, line),
    copy: async (text) => vscode.env.clipboard.writeText(text),
    insertAtCursor: async (text) => {
      if (!(await insertAtCursor(text)))
        throw new UserError(vscode.l10n.t("Open a file first: there is no cursor to insert at."));
    },
    applyCode: (intent) => {
      const chat = conversation.current;
      const closing = new AbortController();
      chat.own({ dispose: () => closing.abort() });
      return applyCode(intent, {
        workspace,
        review: review.reviewFor({
          ...{ id: chat.id, emit: (event) => chat.emit(event), lineage: (id) => [id], grants: chat.grants },
        }),
        isTrusted: () => vscode.workspace.isTrusted,
        activeFile: () => activeFile((uri) => placeOfUri(uri)?.path),
        signal: closing.signal,
      });
    },
  };
}

/** What an answer for more than once lets through: all of it is written before a conflict is told. */
async function acceptAll({ proposals }: RegisteredReview, approvalIds: readonly string[]): Promise<void> {
  let conflicts = 0;
  for (const proposalId of approvalIds) conflicts += await proposals.accept({ proposalId });
  tellConflicts(conflicts);
}

function tellConflicts(count: number): void {
  if (count > 0) throw new UserError(vscode.l10n.t("The file changed under this edit. Open the diff, or reject it."));
}

/** For the review, which shows proposals for paths that the tools have judged already. */
export function reviewedUri(path: string): vscode.Uri {
  return lexicalPlace(path).uri;
}
