import type { AgentMessage, AgentTree, ToolResultMessage, TreeNode } from "../../../agent/types.ts";
import { agentName } from "../../model/agentStatus.ts";
import { chunksOf } from "../../ui/chunks.ts";
import { type CallSources, type CallViews, callSources, callViews } from "./callViews.ts";

/** One message with all that its article shows. */
export interface TranscriptRow {
  key: string;
  author: string;
  message: Exclude<AgentMessage, ToolResultMessage>;
  /** By call id, for the calls in the message. */
  calls: CallViews;
  /** The author is named above the row: of turns that follow one another only the first is. */
  isFirstOfAuthor: boolean;
  isStreaming: boolean;
  /** An answer that failed and was asked for again. */
  isAskedAgain: boolean;
  /** Only the root agent's conversation can be taken back. */
  isOfRoot: boolean;
}

/** Rows are drawn and laid out in groups: the browser skips whole groups that are out of view. */
export type RowGroup = readonly TranscriptRow[];

export interface Transcript {
  groups: readonly RowGroup[];
  rows: readonly TranscriptRow[];
}

/** The author of what the user wrote; shown in the user's language. */
export const user = "You";

export const emptyTranscript: Transcript = { groups: [], rows: [] };
const rowsPerGroup = 50;
const noCalls: CallViews = new Map();

/** An agent's messages as rows. Rows and groups that did not change keep the identity they had in `previous`. */
export function transcriptOf(tree: AgentTree, node: TreeNode, previous: Transcript): Transcript {
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

/** Right after an answer only another attempt at it follows: everything else stands between two answers. */
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

/** What a child is told before it first answers is the brief of its parent; what comes later was typed by the user. */
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
