import type { AgentTree, AssistantMessage, ToolActivity, ToolResultMessage, TreeNode } from "../../../agent/types.ts";
import { type Omitted, omittedOf, type ShownMessage, textOfContent } from "../../../protocol/messageTexts.ts";
import { ownValue } from "../../../protocol/records.ts";
import { agentName } from "../../model/agents.ts";
import { chunksOf } from "../../ui/rendering.ts";

/** One message with all that its article shows. */
export interface TranscriptRow {
  key: string;
  author: string;
  message: ShownMessage;
  /** By call id, for the calls in the message. */
  calls: CallViews;
  /** The author is named above the row: of turns that follow one another only the first is. */
  isFirstOfAuthor: boolean;
  isStreaming: boolean;
  /** An answer that failed and was asked for again. */
  isAskedAgain: boolean;
  /** Only the root agent's conversation can be rewound. */
  isOfRoot: boolean;
}

/** Rows are drawn and laid out in groups: the browser skips whole groups that are out of view. */
export type RowGroup = readonly TranscriptRow[];

export interface TranscriptView {
  groups: readonly RowGroup[];
  rows: readonly TranscriptRow[];
}

/** The author of what the user wrote; shown in the user's language. */
export const user = "You";

export const emptyTranscript: TranscriptView = { groups: [], rows: [] };
const rowsPerGroup = 50;
const noCalls: CallViews = new Map();

/** An agent's messages as rows. Rows and groups that did not change keep the identity they had in `previous`. */
export function viewTranscript(tree: AgentTree, node: TreeNode, previous: TranscriptView): TranscriptView {
  const rows: TranscriptRow[] = [];
  const sources = callSources(tree, node);
  const authors = authorsOf(tree, node);
  const isOfRoot = node.meta.depth === 0;
  let isBrief = true;
  let authorBefore: string | undefined;
  let index = -1;
  // With each delta all messages of a long chat pass here: what did not change costs no memory.
  for (const message of node.messages) {
    index++;
    if (message.role === "toolResult") continue;
    isBrief &&= message.role === "user";
    const author = authorOf(message, authors, isBrief);
    const isFirstOfAuthor = author !== authorBefore;
    const isStreaming = node.status === "running" && index === node.messages.length - 1;
    const isAskedAgain = wasAskedAgain(node, index);
    const before = previous.rows[rows.length];
    const calls = callsOf(message, sources, before);
    const isSame =
      before !== undefined &&
      before.message === message &&
      before.calls === calls &&
      before.author === author &&
      before.isFirstOfAuthor === isFirstOfAuthor &&
      before.isStreaming === isStreaming &&
      before.isAskedAgain === isAskedAgain &&
      before.isOfRoot === isOfRoot;
    rows.push(
      isSame
        ? before
        : { key: message.id, message, calls, author, isFirstOfAuthor, isStreaming, isAskedAgain, isOfRoot },
    );
    authorBefore = author;
  }
  return { rows, groups: chunksOf(rows, rowsPerGroup, previous.groups) };
}

/** Right after an answer only another attempt at it follows: everything else is between two answers. */
function wasAskedAgain({ messages, retry }: TreeNode, index: number): boolean {
  const message = messages[index];
  if (message?.role !== "assistant" || message.stopReason !== "error") return false;
  const next = messages[index + 1];
  return next === undefined ? retry !== undefined : next.role === "assistant";
}

interface Authors {
  agent: string;
  /** Who gave the brief; undefined for the root agent. */
  parent: string | undefined;
}

function authorsOf(tree: AgentTree, { meta }: TreeNode): Authors {
  const parent = meta.parentId === undefined ? undefined : tree.nodes[meta.parentId];
  return { agent: agentName(meta), parent: parent === undefined ? undefined : agentName(parent.meta) };
}

/** What a child is sent before it first answers is the brief of its parent; what comes later was typed by the user. */
function authorOf(message: TranscriptRow["message"], { agent, parent }: Authors, isBrief: boolean): string {
  if (message.role === "agentResponse") return message.from.name ?? message.from.id;
  if (message.role !== "user") return agent;
  return isBrief && parent !== undefined ? parent : user;
}

function callsOf(
  message: TranscriptRow["message"],
  sources: CallSources,
  before: TranscriptRow | undefined,
): CallViews {
  if (message.role !== "assistant") return noCalls;
  return callViews(message, sources, before?.message.id === message.id ? before.calls : undefined);
}

/** A tool call as its card shows it. */
export interface CallView {
  id: string;
  name: string;
  label?: string;
  args: unknown;
  /** "pending" until it starts; "interrupted" when it never ended and its agent is at work no more. */
  status: ToolActivity["status"] | "pending" | "interrupted";
  output: string;
  result?: string;
  /** What the panel lacks of the arguments. */
  omitted?: Omitted;
  /** As the tool gives them, of a call that has ended. */
  details?: unknown;
  durationMs?: number;
  /** Agents that this call created: it is shown as links to them. */
  childIds: readonly string[];
  /** What the view was made from: the same source means the same view. */
  source: ToolActivity | ToolResultMessage | undefined;
}

export type CallViews = ReadonlyMap<string, CallView>;

const noViews: CallViews = new Map();
const noChildren: readonly string[] = [];

/** Where the calls of one agent find what became of them. */
interface CallSources {
  sourceOf(callId: string): CallView["source"];
  childIdsOf(callId: string): readonly string[];
  /** The agent is not at work: what of its calls has no end gets none any more. */
  isOver: boolean;
}

function callSources(tree: AgentTree, node: TreeNode): CallSources {
  const children = childrenByCall(tree, node);
  let results: Map<string, ToolResultMessage> | undefined;
  return {
    // A transcript that was fetched or restored may lack the activity; its result messages say as much.
    sourceOf(callId) {
      const activity = ownValue(node.tools, callId);
      if (activity !== undefined) return activity;
      results ??= resultsByCall(node);
      return results.get(callId);
    },
    childIdsOf: (callId) => children.get(callId) ?? noChildren,
    isOver: node.status !== "running",
  };
}

/** The views of a message's calls; `previous` itself when nothing changed. */
function callViews(message: AssistantMessage, sources: CallSources, previous: CallViews | undefined): CallViews {
  let views: Map<string, CallView> | undefined;
  let isSame = previous !== undefined;
  // The calls of an answer that failed are never run.
  const isOver = sources.isOver || message.stopReason === "error" || message.stopReason === "aborted";
  for (const part of message.content) {
    if (part.type !== "toolCall") continue;
    const known = previous?.get(part.id);
    const source = sources.sourceOf(part.id);
    const childIds = sources.childIdsOf(part.id);
    const isKnown =
      known?.source === source && known?.args === part.arguments && known?.childIds.length === childIds.length;
    const isStill = isOver
      ? known?.status !== "pending" && known?.status !== "running"
      : known?.status !== "interrupted";
    const view = isKnown && isStill && known !== undefined ? known : viewOf(part, source, { childIds, isOver });
    if (view !== known) isSame = false;
    views ??= new Map();
    views.set(part.id, view);
  }
  if (views === undefined) return noViews;
  return isSame && previous?.size === views.size ? previous : views;
}

function viewOf(
  part: { id: string; name: string; arguments: unknown },
  source: CallView["source"],
  { childIds, isOver }: { childIds: readonly string[]; isOver: boolean },
): CallView {
  const omitted = omittedOf(part);
  const view = { id: part.id, name: part.name, args: part.arguments, childIds, source, ...(omitted && { omitted }) };
  if (source === undefined) return { ...view, status: isOver ? "interrupted" : "pending", output: "" };
  if ("role" in source) {
    const status = source.isError ? "error" : "done";
    const ended = { ...view, status, output: "", result: textOfContent(source.content) } as const;
    return source.details === undefined ? ended : { ...ended, details: source.details };
  }
  const { label, output, result, durationMs } = source;
  return {
    ...view,
    status: isOver && source.status === "running" ? "interrupted" : source.status,
    output,
    ...(label === undefined ? {} : { label }),
    ...(result === undefined ? {} : { result: textOfContent(result.content) }),
    ...(result?.details === undefined ? {} : { details: result.details }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

function resultsByCall(node: TreeNode): Map<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (const message of node.messages) if (message.role === "toolResult") results.set(message.callId, message);
  return results;
}

function childrenByCall(tree: AgentTree, node: TreeNode): Map<string, string[]> {
  const byCall = new Map<string, string[]>();
  for (const id of node.children) {
    const callId = tree.nodes[id]?.meta.toolCallId;
    if (callId === undefined) continue;
    const ids = byCall.get(callId);
    if (ids === undefined) byCall.set(callId, [id]);
    else ids.push(id);
  }
  return byCall;
}
