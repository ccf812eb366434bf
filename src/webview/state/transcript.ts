import type { AgentMessage, AgentTree, ToolResultMessage, TreeNode } from "../../agent/types.ts";
import { agentName } from "./agentStatus.ts";
import { type CallSources, type CallViews, callSources, callViews } from "./callViews.ts";
import { chunksOf } from "./chunks.ts";

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
  /** Only the root agent's conversation can be taken back. */
  isOfRoot: boolean;
}

/** Rows are drawn and laid out in groups: the browser skips whole groups that are out of view. */
export type RowGroup = readonly TranscriptRow[];

export interface Transcript {
  groups: readonly RowGroup[];
  rows: readonly TranscriptRow[];
}

export const emptyTranscript: Transcript = { groups: [], rows: [] };
const rowsPerGroup = 50;
const noCalls: CallViews = new Map();

/** An agent's messages as rows. Rows and groups that did not change keep the identity they had in `previous`. */
export function transcriptOf(tree: AgentTree, node: TreeNode, previous: Transcript): Transcript {
  const rows: TranscriptRow[] = [];
  const sources = callSources(tree, node);
  const last = node.messages.length - 1;
  let isBrief = true;
  for (const [index, message] of node.messages.entries()) {
    if (message.role === "toolResult") continue;
    isBrief &&= message.role === "user";
    const author = authorOf(message, tree, node, isBrief);
    const place = {
      author,
      isFirstOfAuthor: rows.at(-1)?.author !== author,
      isStreaming: node.status === "running" && index === last,
      isOfRoot: node.meta.depth === 0,
    };
    rows.push(rowOf(message, place, sources, previous.rows[rows.length]));
  }
  return { rows, groups: chunksOf(rows, rowsPerGroup, previous.groups) };
}

/** What a child is told before it first answers is the brief of its parent; what comes later was typed by the user. */
function authorOf(message: TranscriptRow["message"], tree: AgentTree, node: TreeNode, isBrief: boolean): string {
  if (message.role === "agentResponse") return message.from.name ?? message.from.id;
  if (message.role !== "user") return agentName(node.meta);
  const parent = node.meta.parentId === undefined ? undefined : tree.nodes[node.meta.parentId];
  return isBrief && parent !== undefined ? agentName(parent.meta) : "You";
}

function rowOf(
  message: TranscriptRow["message"],
  place: Pick<TranscriptRow, "author" | "isFirstOfAuthor" | "isStreaming" | "isOfRoot">,
  sources: CallSources,
  before: TranscriptRow | undefined,
): TranscriptRow {
  const isSameMessage = before?.message.id === message.id;
  const calls =
    message.role === "assistant" ? callViews(message, sources, isSameMessage ? before.calls : undefined) : noCalls;
  const isSame =
    before !== undefined &&
    before.message === message &&
    before.calls === calls &&
    before.author === place.author &&
    before.isFirstOfAuthor === place.isFirstOfAuthor &&
    before.isStreaming === place.isStreaming;
  return isSame ? before : { key: message.id, message, calls, ...place };
}
