// Long because it is one table: what each intent of a panel does.
import { t } from "@vscode/l10n";
import type { Model } from "../../../agent/vocabulary/model.ts";
import { attachmentsOf } from "../../../protocol/attachments.ts";
import type { NoticeAction } from "../../../protocol/hostEvents.ts";
import { type HistoryIntent, type Intent, maxIntentText } from "../../../protocol/intents.ts";
import { type TextSource, typedText } from "../../../protocol/messageTexts.ts";
import type { PermissionQueue } from "../../approvals/permissionQueue.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Rewinds } from "../../changes/rewind/rewinds.ts";
import { undoConflictMessage } from "../../changes/undoConflicts.ts";
import { sendUndoReason } from "../../chat/agents/editOrigins.ts";
import { branchOf, retriedTask } from "../../chat/agents/retriedTask.ts";
import type { SteeringActions } from "../../chat/agents/steering.ts";
import { transcriptText } from "../../chat/agents/transcriptText.ts";
import type { Chat } from "../../chat/chat.ts";
import type { Composing } from "../../chat/compose/composing.ts";
import type { Drafts } from "../../chat/compose/drafts.ts";
import { runCommand } from "../../chat/compose/slashCommands.ts";
import type { Conversation } from "../../chat/conversation.ts";
import type { Runs } from "../../chat/runs/chatRuns.ts";
import { UserError } from "../../common/userError.ts";
import { type CostLimitQuestion, costLimitNoticeId } from "../../models/costLimit.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Panel } from "../panel.ts";

/** For each type of intent what it does; whatever that gives is waited for. */
export type IntentTable<Handled extends { type: string }, Context extends unknown[] = []> = {
  readonly [Type in Handled["type"]]: (intent: Extract<Handled, { type: Type }>, ...context: Context) => unknown;
};

/** What the editor does for an intent. */
export interface EditorActions {
  openExternal(url: string): Promise<void>;
  /** A path of the workspace, which is judged. */
  showFile(path: string, line: number | undefined): Promise<void>;
  copy(text: string): Promise<void>;
  /** Opens a text of the chat in an editor that is only read. */
  showWhole(chatId: string, source: TextSource): Promise<void>;
  /** False without an editor. */
  insertAtCursor(text: string): Promise<boolean>;
  execute(command: string): Promise<void>;
  isTrusted(): boolean;
  activeFile(): string | undefined;
  /** Says that so many edits do not fit their files any more. */
  conflictText(count: number): string;
  /** `keyOf`: the provider whose key the notice is about. */
  actOnNotice(action: NoticeAction, keyOf?: string): Promise<void>;
  selectModel(model?: string): Promise<void>;
  /** Undefined: none was picked. */
  pickModel(title: string): Promise<string | undefined>;
}

export interface IntentDependencies {
  panel: Panel;
  conversation: Conversation;
  workspace: Workspace;
  review: Pick<
    RegisteredReview,
    "commands" | "history" | "hunks" | "open" | "openDiff" | "openRunDiff" | "proposals" | "reviewFor" | "showNext"
  > & { editorCommands: Pick<RegisteredReview["editorCommands"], "mergeHunk"> };
  permissions: Pick<PermissionQueue, "has" | "decide">;
  rewinds: Pick<Rewinds, "rewind" | "undo" | "undoBranch">;
  steering: SteeringActions;
  runs: Pick<Runs<Chat>, "of" | "showTrace">;
  composing: Pick<Composing, "dropped" | "promptContext" | "attachmentsOfCommand" | "prompts">;
  drafts: Pick<Drafts, "keep">;
  /** Loads what the first request needs. Where it can't, that request fails. */
  prepare(chat: Chat): Promise<void>;
  /** Undefined where the settings know no provider of it. */
  modelNamed(name: string): Model | undefined;
  editor: EditorActions;
  history: IntentTable<HistoryIntent, [Panel]>;
  /** Gives the panel what the user said in other chats. */
  sendPrompts(): Promise<void>;
  /** Opens a chat again from its session. */
  reopen(chat: Chat): Promise<Chat>;
  costLimit: Pick<CostLimitQuestion, "answer">;
  /** Does what is asked about runs of one task. */
  compare(chat: Chat, intent: CompareIntent, model?: string): Promise<void>;
  commands: {
    showCall(chat: Chat, callId: string): void;
    showOutput(commandId: string): void;
    stop(commandId: string): Promise<void>;
  };
}

type CompareIntent = Extract<Intent, { type: "runAgain" | "useRun" | "closeComparison" }>;

/** Intents about the page itself, which never get here. */
type PageIntent = Extract<Intent, { type: "ready" | "openAgent" | "closeAgent" | "suggest" }>;
type HostIntent = Exclude<Intent, PageIntent>;

/** What a panel's intents do. The panel shows text of models: each path and link is judged. */
function intentHandlers(dependencies: IntentDependencies): IntentTable<Exclude<HostIntent, HistoryIntent>> {
  const { panel, conversation, review, rewinds, steering, runs, composing, drafts } = dependencies;
  const { editor, history, reopen, commands, costLimit, compare } = dependencies;
  const chat = conversation.current;
  const pending = review.commands;
  const compose = (text: string, attachments: Extract<Intent, { type: "send" }>["attachments"]) =>
    panel.send({ type: "compose", text, attachments });
  return {
    send: ({ text, attachments, whenBusy }) => conversation.send(text, attachments, whenBusy),
    stop: ({ agentId }) => chat.stop(agentId),
    pauseBranch({ agentId }) {
      chat.refuseWhileReadOnly();
      runs.of(chat).pause(agentId);
    },
    resumeBranch({ agentId }) {
      chat.refuseWhileReadOnly();
      runs.of(chat).resumePaused(agentId);
    },
    messageAgent: ({ agentId, text }) => conversation.messageAgent(agentId, text),
    askAgain({ agentId, text }) {
      chat.refuseWhileReadOnly();
      return runs.of(chat).reports.askAgain(agentId, text);
    },
    async retryAgent({ agentId, asksForModel }) {
      const task = retriedTask(chat, agentId);
      if (asksForModel !== true) return chat.retry(task);
      const name = await editor.pickModel(t("Retry With"));
      const model = name === undefined ? undefined : dependencies.modelNamed(name);
      if (model !== undefined) await chat.retry({ ...retriedTask(chat, agentId), model });
    },
    async runAgain(intent) {
      const model = intent.asksForModel === true ? await editor.pickModel(t("Run Again With")) : undefined;
      if (intent.asksForModel !== true || model !== undefined) await compare(chat, intent, model);
    },
    useRun: (intent) => compare(chat, intent),
    closeComparison: (intent) => compare(chat, intent),
    removeQueued: ({ messageId }) => void chat.removeQueued(messageId),
    editQueued: ({ messageId }) => conversation.editQueued(messageId),
    sendQueued: ({ messageId }) => chat.sendQueued(messageId),
    decide: (intent) => decide(intent, dependencies),
    async decideEdits({ approvalIds, decision, reason }) {
      const scope = { proposalIds: approvalIds };
      const left = decision === "accepted" ? await review.proposals.accept(scope) : 0;
      if (decision === "rejected") await review.proposals.reject(scope, reason);
      if (left > 0) throw new UserError(editor.conflictText(left));
      review.showNext();
    },
    answerQuestion({ questionId, text }) {
      const isAsked = chat.questions.answer(questionId, text);
      return !isAsked && chat.left?.answerQuestion(questionId, text.trim()) ? chat.retry() : undefined;
    },
    removeGrant: ({ grantId }) => chat.grants.remove(grantId),
    setMode: ({ mode }) => steering.setMode(mode),
    async focusChanged({ isFocused }) {
      await Promise.all([steering.setFocused(isFocused), isFocused && dependencies.sendPrompts()]);
    },
    setThinking: ({ level }) => steering.setThinking(level),
    setEditorState: ({ isSent }) => steering.setEditorState(isSent),
    mergeHunk: ({ hunkId }) => review.editorCommands.mergeHunk(hunkId),
    openDiff: ({ approvalId, path }) => review.openDiff(approvalId, path),
    reviewRun: ({ messageId }) => review.openRunDiff(messageId),
    reviewPending: (intent) => pending.review(scopeOf(intent)),
    keepAll: (intent) => pending.keep(scopeOf(intent)),
    undoAll: (intent) => pending.undo(scopeOf(intent)),
    keepHunks: ({ hunkIds }) => review.hunks.keep(new Set(hunkIds)),
    undoHunks: ({ hunkIds, reason }) => undoHunks(dependencies, hunkIds, reason),
    diffHunks: ({ hunkIds }) => review.hunks.openDiff(new Set(hunkIds)),
    redoEdits: () => pending.redo(),
    forgetUndoneEdits: () => pending.forgetUndone(),
    async rewind({ messageId, what, isResend = false, isSent = false }) {
      if (isResend && !isSent) await refuseTooLong(chat, messageId);
      await rewinds.rewind(chat, messageId, what, isResend);
    },
    undoRewind: () => rewinds.undo(chat),
    async undoBranch({ agentId }) {
      chat.refuseWhileReadOnly();
      await rewinds.undoBranch(chat, () => branchOf(chat, agentId));
    },
    newChat: () => conversation.startNew(),
    selectModel: ({ model }) => editor.selectModel(model),
    async noticeAction({ noticeId, action }) {
      if (action === "continueHere") return reopen(chat);
      const keyOf = chat.host.notices.find(({ id }) => id === noticeId)?.keyOf;
      if (noticeId !== undefined) chat.notices.close(noticeId);
      if (action === "limitCost" || action === "noCostLimit") return costLimit.answer(action === "limitCost");
      if (action === "compact") await runs.of(chat).compact();
      if (action === "retry" || action === "resume" || action === "compact") return chat.retry();
      return action === "fork" ? history.forkChat({ type: "forkChat" }, panel) : editor.actOnNotice(action, keyOf);
    },
    dismissNotice({ noticeId }) {
      chat.notices.close(noticeId);
      return noticeId === costLimitNoticeId ? costLimit.answer(false) : undefined;
    },
    openLink({ href }) {
      const target = linkTarget(href);
      if (target === undefined) throw new UserError(strayLinkText(href));
      return target.kind === "web" ? editor.openExternal(target.url) : editor.showFile(target.path, target.line);
    },
    openFile: ({ path, line }) => editor.showFile(path, line),
    showInTerminal: ({ callId }) => commands.showCall(chat, callId),
    showCommandOutput: ({ commandId }) => commands.showOutput(commandId),
    stopCommand: ({ commandId }) => commands.stop(commandId),
    copy: ({ text }) => editor.copy(text),
    async copyMessage({ agentId, messageId }) {
      const { wholeMessageText } = await wholeTexts();
      await editor.copy(required(await wholeMessageText(chat, agentId, messageId)));
    },
    showWhole: ({ source }) => editor.showWhole(chat.id, source),
    async composeMessage({ agentId, messageId, isSent }) {
      const { sentMessage } = await wholeTexts();
      const message = required(await sentMessage(chat, agentId, messageId));
      const [text, attachments] = [typedText(message), attachmentsOf(message)];
      if (isSent) return conversation.send(text, attachments, "queue");
      if (text.length > maxIntentText) throw tooLong();
      return compose(text, attachments);
    },
    async copyTranscript({ agentId }) {
      const { messagesOf } = await wholeTexts();
      await editor.copy(transcriptText(await messagesOf(chat, agentId)));
    },
    async insertAtCursor({ text }) {
      if (!(await editor.insertAtCursor(text)))
        throw new UserError(t("Open a file first: there is no cursor to insert at."));
    },
    async applyCode(intent) {
      const closing = new AbortController();
      chat.own({ dispose: () => closing.abort() });
      const { applyCode } = await import("../../chat/code/applyCode.ts");
      return applyCode(intent, {
        workspace: dependencies.workspace,
        review: review.reviewFor({
          ...{ id: chat.id, emit: (event) => chat.emit(event), lineage: (id) => [id], grants: chat.grants },
        }),
        isTrusted: editor.isTrusted,
        activeFile: editor.activeFile,
        signal: closing.signal,
      });
    },
    draft({ chatId = chat.id, text, attachments, typedAt }) {
      // While the user still types.
      if (text !== "") void dependencies.prepare(chat);
      drafts.keep(chatId, text, attachments, typedAt);
    },
    command: (call) =>
      runCommand(call, {
        conversation,
        context: () => composing.promptContext(),
        attachmentsOf: (name, text) => composing.attachmentsOfCommand(name, text),
        execute: editor.execute,
        serverPrompt: composing.prompts.text,
        returnToComposer: (text, attachments) => compose(text, [...attachments]),
      }),
    dropFiles: async ({ uris }) => compose("", await composing.dropped(uris)),
    compact: ({ agentId }) => runs.of(chat).compact(agentId),
    setBudget: ({ target, limits }) => runs.of(chat).setBudget(target, limits),
    answerBudget({ questionId, decision }) {
      const isLeft = chat.left?.answerBudget(questionId, decision);
      return isLeft ? chat.retry() : runs.of(chat).answerBudget(questionId, decision);
    },
    showTrace: () => runs.showTrace(),
  };
}

/** Handles the intents of all panels; `workOf` gives what those of one act on. */
export function createIntentHandler(
  workOf: (panel: Panel) => IntentDependencies,
  reportFailure: (error: unknown) => void,
): (intent: Intent, panel: Panel) => void {
  return (intent, panel) => void handleIntent(intent, workOf(panel)).catch(reportFailure);
}

async function handleIntent(intent: Intent, dependencies: IntentDependencies): Promise<void> {
  const { history, panel } = dependencies;
  const handlers = intentHandlers(dependencies);
  if (isIn(intent, handlers)) await dispatch(handlers, intent);
  else if (isIn(intent, history)) await dispatch(history, intent, panel);
}

function isIn<Handled extends { type: string }, Context extends unknown[]>(
  intent: { type: string },
  table: IntentTable<Handled, Context>,
): intent is Handled {
  return intent.type in table;
}

/** Calls the handler of the intent's type. */
export async function dispatch<Handled extends { type: string }, Context extends unknown[]>(
  table: IntentTable<Handled, Context>,
  intent: Handled,
  ...context: Context
): Promise<void> {
  // The table has for each type the handler of that type: the compiler can't follow one intent through the union.
  const handler = table[intent.type as Handled["type"]] as (intent: Handled, ...rest: Context) => unknown;
  await handler(intent, ...context);
}

/** The answer to a permission, also one that an earlier window left, to an edit that an earlier window left, or to a proposed edit. */
async function decide(
  { approvalId, hunkId, path, decision, reason, scope: reach, command, isOver }: Extract<Intent, { type: "decide" }>,
  { permissions, conversation, review }: IntentDependencies,
): Promise<void> {
  const details = {
    ...(reason !== undefined && { reason }),
    ...(reach !== undefined && { scope: reach }),
    ...(command !== undefined && { command }),
  };
  if (permissions.has(approvalId)) return permissions.decide(approvalId, decision, details);
  const chat = conversation.current;
  if (chat.left?.answerApproval(approvalId, { decision, ...details })) return chat.retry();
  // Of files that were written before the window ended, each hunk is answered separately.
  if (path === undefined && (await chat.edits?.decide(approvalId, hunkId, decision))) return;
  const part = { ...(hunkId !== undefined && { hunkId }), ...(path !== undefined && { path }) };
  const scope = { proposalId: approvalId, ...part };
  if (decision === "rejected") await review.proposals.reject(scope, reason);
  else if (isOver === true) refuseConflicts(await review.proposals.acceptOver(scope));
  else if (reach === undefined) refuseConflicts(await review.proposals.accept(scope));
  else {
    // All of it is written before a conflict is reported.
    let conflicts = 0;
    for (const proposalId of review.open.grant(approvalId, reach))
      conflicts += await review.proposals.accept({ proposalId });
    refuseConflicts(conflicts);
  }
  review.showNext();
}

/** Undoes written hunks, and says why to the agents that wrote them. */
async function undoHunks(
  { review, conversation }: IntentDependencies,
  hunkIds: readonly string[],
  reason = "",
): Promise<void> {
  const { left, conflicts, authors, paths } = await review.hunks.undo(new Set(hunkIds));
  const isUndone = left < hunkIds.length;
  if (isUndone && reason.trim() !== "")
    sendUndoReason(conversation.current, review.history, { authors, paths, reason });
  if (left > 0) throw new UserError(undoConflictMessage(left, conflicts));
}

/** Loaded when a text is asked for that the panel does not have. */
const wholeTexts = () => import("../wholeTexts.ts");

function required<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new UserError(t("This text is no longer in the chat."));
  return found;
}

const tooLong = () => new UserError(t("This message is too long to be edited here."));

/** Before a rewind takes a message out of the conversation that no composer could send again. */
async function refuseTooLong(chat: Chat, messageId: string): Promise<void> {
  const { sentMessage } = await wholeTexts();
  const message = chat.rootId === undefined ? undefined : await sentMessage(chat, chat.rootId, messageId);
  if (message !== undefined && typedText(message).length > maxIntentText) throw tooLong();
}

function refuseConflicts(count: number): void {
  if (count > 0) throw new UserError(t("The file changed under this edit. Open the diff, or reject it."));
}

function strayLinkText(href: string): string {
  return t("This link is not followed, since it leads out of the workspace or to no web page: {0}", href.slice(0, 200));
}

/** Of one file, of one agent and what it spawned, or without either, all of them. */
function scopeOf({ path, agentId }: { path?: string; agentId?: string }): { path?: string; agentId?: string } {
  return { ...(path !== undefined && { path }), ...(agentId !== undefined && { agentId }) };
}

/** Where a link in a conversation may lead: out to the browser, or to a file of the workspace. */
export type LinkTarget = { kind: "web"; url: string } | { kind: "file"; path: string; line?: number };

const webSchemes = new Set(["http:", "https:", "mailto:"]);

/** Judges a link that a model wrote; undefined for one that must not be followed. */
export function linkTarget(href: string): LinkTarget | undefined {
  const trimmed = href.trim();
  if (/^[a-z][a-z0-9+.-]*:/i.test(trimmed)) return webTarget(trimmed);
  // Neither an absolute path, nor one to another machine, nor one with an escape sequence in it.
  if (trimmed === "" || /^[\\/#?]/.test(trimmed) || /[%\\]/.test(trimmed)) return undefined;
  const [, path = "", line] = /^(.*?)(?:[:#]L?(\d+)(?:[:-]L?\d+)*)?$/.exec(trimmed) ?? [];
  if (path === "" || path.split("/").includes("..")) return undefined;
  return { kind: "file", path, ...(line !== undefined && { line: Number(line) }) };
}

function webTarget(text: string): LinkTarget | undefined {
  const fileWithLine = /^([^/:]+\.\w+):(\d+)$/.exec(text);
  if (fileWithLine?.[1] !== undefined) return { kind: "file", path: fileWithLine[1], line: Number(fileWithLine[2]) };
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return webSchemes.has(url.protocol) && url.username === "" && url.password === ""
    ? { kind: "web", url: url.href }
    : undefined;
}
