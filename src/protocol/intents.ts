import * as z from "zod";
import { attachmentsSchema } from "./attachmentSchema.ts";
import { grantScopes } from "./grants.ts";
import { noticeActionSchema } from "./hostEventSchemas.ts";
import { permissionModes, thinkingLevels } from "./modes.ts";
import { budgetDecisions } from "./runs.ts";
import { suggestionKinds } from "./suggestions.ts";

const id = z.string().min(1).max(200);
/** How often a task is done again at once. */
const maxComparedRuns = 8;
/** Of a text in a message of the panel's, in characters. */
export const maxIntentText = 5_000_000;
const longText = z.string().max(maxIntentText);
const path = z.string().min(1).max(4_096);

/** What the panel asks about chats beside the one on show. Without a chat's id the one on show is meant. */
const historyIntents = [
  /** Answered by `history`, and again with each change, until `closeHistory`. */
  z.object({ type: z.literal("listHistory"), query: z.string().max(1_000), limit: z.int().positive().max(10_000) }),
  z.object({ type: z.literal("closeHistory") }),
  z.object({ type: z.literal("openChat"), chatId: id }),
  z.object({ type: z.literal("openInEditor"), chatId: id.exactOptional(), view: z.enum(["timeline"]).exactOptional() }),
  z.object({ type: z.literal("renameChat"), chatId: id, title: z.string().min(1).max(200) }),
  z.object({ type: z.literal("deleteChat"), chatId: id }),
  /** Undoes a `deleteChat`. */
  z.object({ type: z.literal("restoreChat"), chatId: id }),
  z.object({ type: z.literal("exportChat"), chatId: id.exactOptional() }),
  z.object({ type: z.literal("importChat") }),
  /** Shows the chat as it was at any moment, in an editor tab. */
  z.object({ type: z.literal("replayChat"), chatId: id.exactOptional() }),
  /** Shows where the chat's file is. */
  z.object({ type: z.literal("showChatFile"), chatId: id }),
  /** A new chat with all of the chat, or with what is before a message of the user's, whose text goes into the composer. */
  z.object({ type: z.literal("forkChat"), chatId: id.exactOptional(), messageId: id.exactOptional() }),
  /** Answered by `recording`, who did what when without contents, and again with what is added to the log, until `leaveRecording`. */
  z.object({ type: z.literal("followRecording") }),
  z.object({ type: z.literal("leaveRecording") }),
  /** What lies before the oldest message that the panel has. */
  z.object({ type: z.literal("showEarlier") }),
] as const;

export type HistoryIntent = z.infer<(typeof historyIntents)[number]>;

const hunkIds = z.array(id).min(1).max(10_000);

const figure = z.number().nonnegative().max(1_000_000_000);

/** `BudgetLimits` as the panel sends them. */
const budgetLimitsSchema = z.object({
  cost: figure.exactOptional(),
  tokens: figure.exactOptional(),
  turns: figure.exactOptional(),
  minutes: figure.exactOptional(),
});

/** `BudgetTarget` as the panel sends it. */
const budgetTargetSchema = z.discriminatedUnion("scope", [
  z.object({ scope: z.literal("tree") }),
  z.object({ scope: z.literal("eachSubAgent") }),
  z.object({ scope: z.literal("agent"), agentId: z.string().min(1).max(200) }),
]);

/**
 * What the panel may ask of the host. The panel is a web page that shows text from models and tools, so the host
 * validates each message and drops what does not match. It names chats, agents, approvals and hunks by id; it never
 * names a command of the editor or of a shell, and a path only to have a workspace file shown.
 */
export const intentSchema = z.discriminatedUnion("type", [
  /** The panel is up; `lastSeq` is the last log entry of `chatId` it already has. */
  z.object({ type: z.literal("ready"), chatId: id.exactOptional(), lastSeq: z.int().nonnegative().exactOptional() }),
  z.object({
    type: z.literal("send"),
    text: longText,
    attachments: attachmentsSchema,
    whenBusy: z.enum(["queue", "steer"]),
  }),
  /** Without an agent: the whole run. */
  z.object({ type: z.literal("stop"), agentId: id.exactOptional() }),
  /** An agent and all below it make no further request; their tools finish. */
  z.object({ type: z.literal("pauseBranch"), agentId: id }),
  z.object({ type: z.literal("resumeBranch"), agentId: id }),
  z.object({ type: z.literal("messageAgent"), agentId: id, text: longText }),
  /** Gives the task of a sub-agent that has ended to another one, which starts from the beginning. */
  z.object({ type: z.literal("retryAgent"), agentId: id, asksForModel: z.literal(true).exactOptional() }),
  /** The same several times, each in a worktree, to be compared. An empty task: the same as before. */
  z.object({
    type: z.literal("runAgain"),
    agentId: id,
    task: longText,
    times: z.int().min(1).max(maxComparedRuns),
    asksForModel: z.literal(true).exactOptional(),
  }),
  /** Proposes what one of them changed. */
  z.object({ type: z.literal("useRun"), comparisonId: id, index: z.int().nonnegative().max(maxComparedRuns) }),
  z.object({ type: z.literal("closeComparison"), comparisonId: id }),
  /** Sends a sub-agent that has reported a follow-up, in the context it has. Without a text: what its report lacks. */
  z.object({ type: z.literal("askAgain"), agentId: id, text: longText.exactOptional() }),
  z.object({ type: z.literal("removeQueued"), messageId: id }),
  /** A queued message goes back into the composer. */
  z.object({ type: z.literal("editQueued"), messageId: id }),
  /** A queued message steers the run instead of waiting for its end. */
  z.object({ type: z.literal("sendQueued"), messageId: id }),
  z.object({ type: z.literal("openAgent"), agentId: id }),
  z.object({ type: z.literal("closeAgent"), agentId: id }),
  /** Without a hunk: all that are still pending, of one file or of all. */
  z.object({
    type: z.literal("decide"),
    approvalId: id,
    hunkId: id.exactOptional(),
    path: path.exactOptional(),
    decision: z.enum(["accepted", "rejected"]),
    reason: z.string().max(10_000).exactOptional(),
    /** Of an acceptance: what else needs no answer from now on. */
    scope: z.enum(grantScopes).exactOptional(),
    /** Of an acceptance: what is to run in place of the command that was asked for. */
    command: z.string().min(1).max(100_000).exactOptional(),
    /** Of an acceptance: also over lines that have changed meanwhile. */
    isOver: z.literal(true).exactOptional(),
  }),
  /** Opens the editor's merge editor for the file of a hunk whose lines have changed. */
  z.object({ type: z.literal("mergeHunk"), hunkId: id }),
  /** Edits that waited when the answer was given, and none that came since. Commands and fetches are not among them. */
  z.object({
    type: z.literal("decideEdits"),
    approvalIds: z.array(id).min(1).max(10_000),
    decision: z.enum(["accepted", "rejected"]),
    reason: z.string().max(10_000).exactOptional(),
  }),
  /** The panel's page got or lost the focus, of which the editor has no event. */
  z.object({ type: z.literal("focusChanged"), isFocused: z.boolean() }),
  /** Asked again from now on. */
  z.object({ type: z.literal("removeGrant"), grantId: id }),
  z.object({ type: z.literal("setMode"), mode: z.enum(permissionModes) }),
  z.object({ type: z.literal("setThinking"), level: z.enum(thinkingLevels) }),
  /** Whether messages from this workspace say what the editor shows. */
  z.object({ type: z.literal("setEditorState"), isSent: z.boolean() }),
  /** Summarizes what an agent has read and done so far; without an agent: of the root agent. */
  z.object({ type: z.literal("compact"), agentId: id.exactOptional() }),
  /** What a run of this chat may use. What is absent has its default, 0 sets no limit. */
  z.object({ type: z.literal("setBudget"), target: budgetTargetSchema, limits: budgetLimitsSchema }),
  z.object({ type: z.literal("answerBudget"), questionId: id, decision: z.enum(budgetDecisions) }),
  /** Opens what is known of the latest run: times, tokens, tools. */
  z.object({ type: z.literal("showTrace") }),
  z.object({ type: z.literal("openDiff"), approvalId: id, path: z.string().max(4_096).exactOptional() }),
  /** Shows all that agents changed since a message of the user's, answered or not. */
  z.object({ type: z.literal("reviewRun"), messageId: id }),
  /** Shows the written edits that wait for Keep or Undo: of all agents, or of one and what it spawned. */
  z.object({ type: z.literal("reviewPending"), agentId: id.exactOptional() }),
  /** Without a path: in all files. Without an agent: of all agents. */
  z.object({ type: z.literal("keepAll"), path: path.exactOptional(), agentId: id.exactOptional() }),
  /** Of written hunks, by their ids: those that wait, and of an undo and a diff those that were kept as well. */
  z.object({ type: z.literal("keepHunks"), hunkIds }),
  /** With a reason, which their agents get. */
  z.object({ type: z.literal("undoHunks"), hunkIds, reason: z.string().max(10_000).exactOptional() }),
  z.object({ type: z.literal("diffHunks"), hunkIds }),
  z.object({ type: z.literal("redoEdits") }),
  z.object({ type: z.literal("forgetUndoneEdits") }),
  z.object({ type: z.literal("undoAll"), path: path.exactOptional(), agentId: id.exactOptional() }),
  /** Back to before a message of the user's; the host asks first. */
  z.object({
    type: z.literal("rewind"),
    messageId: id,
    what: z.enum(["files", "conversation", "both"]),
    /** The message is to be written again: what only leaves the conversation is not asked about. */
    isResend: z.literal(true).exactOptional(),
    /** As it is, not composed. */
    isSent: z.boolean().exactOptional(),
  }),
  z.object({ type: z.literal("undoRewind") }),
  /** What the agent and those that it started changed; the host asks first. */
  z.object({ type: z.literal("undoBranch"), agentId: id }),
  /** The answer to an agent's question; empty: the user leaves it to the agent. */
  z.object({ type: z.literal("answerQuestion"), questionId: id, text: longText }),
  z.object({ type: z.literal("newChat") }),
  ...historyIntents,
  /** Without a model: the picker opens. */
  z.object({ type: z.literal("selectModel"), model: id.exactOptional() }),
  z.object({
    type: z.literal("noticeAction"),
    noticeId: id.exactOptional(),
    action: noticeActionSchema,
  }),
  z.object({ type: z.literal("dismissNotice"), noticeId: id }),
  z.object({ type: z.literal("openLink"), href: z.string().max(8_192) }),
  z.object({
    type: z.literal("openFile"),
    path: z.string().min(1).max(4_096),
    line: z.int().positive().exactOptional(),
  }),
  /** Shows the output of the command that a tool call ran. */
  z.object({ type: z.literal("showInTerminal"), callId: id }),
  /** Ends a background command of this window, with all that it started. */
  z.object({ type: z.literal("stopCommand"), commandId: id }),
  /** Shows the output of a background command that runs. */
  z.object({ type: z.literal("showCommandOutput"), commandId: id }),
  z.object({ type: z.literal("copy"), text: longText }),
  /** The text of a message of which the panel has only the beginning. */
  z.object({ type: z.literal("copyMessage"), agentId: id, messageId: id }),
  /** Opens a text of which the panel has only the beginning (`TextSource`). */
  z.object({
    type: z.literal("showWhole"),
    source: z.object({
      agentId: id,
      id,
      part: z.union([z.int().nonnegative(), z.enum(["arguments", "result"])]),
    }),
  }),
  /** Sends a message again that left the conversation and of which the panel has only the beginning, or composes it. */
  z.object({ type: z.literal("composeMessage"), agentId: id, messageId: id, isSent: z.boolean() }),
  /** The panel may hold no more than a preview of an agent's messages, so the host writes them out. */
  z.object({ type: z.literal("copyTranscript"), agentId: id }),
  z.object({ type: z.literal("insertAtCursor"), text: longText }),
  /** Without a path, which the host judges: the code is for the file that the user works in. */
  z.object({
    type: z.literal("applyCode"),
    text: longText,
    language: z.string().max(100).exactOptional(),
    path: path.exactOptional(),
  }),
  /**
   * What is typed so far and goes with it, saved by the host so that no reload loses it. Without attachments: those it
   * has still. Without a chat: the one that is shown.
   */
  z.object({
    type: z.literal("draft"),
    chatId: id.exactOptional(),
    text: longText,
    attachments: attachmentsSchema.exactOptional(),
    /** In ms since the epoch. */
    typedAt: z.number().exactOptional(),
  }),
  /** What could be meant by what is typed after an `@`; answered by `suggestions` with the same id. */
  z.object({
    type: z.literal("suggest"),
    requestId: id,
    kind: z.enum(suggestionKinds),
    query: z.string().max(1_000),
  }),
  /** One of the commands that the status lists, with the text after its name. */
  z.object({
    type: z.literal("command"),
    name: id,
    text: longText,
    attachments: attachmentsSchema,
    whenBusy: z.enum(["queue", "steer"]),
  }),
  /** Files that were dropped, by their addresses; the host judges them. */
  z.object({ type: z.literal("dropFiles"), uris: z.array(z.string().max(8_192)).min(1).max(50) }),
]);

export type Intent = z.infer<typeof intentSchema>;
