import type { AgentTree, AssistantMessage, ToolActivity, ToolResultMessage, TreeNode } from "../../../agent/types.ts";

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
  durationMs?: number;
  /** Agents that this call created: it is shown as links to them. */
  childIds: readonly string[];
  /** What the view was made from: the same source means the same view. */
  source: ToolActivity | ToolResultMessage | undefined;
}

export type CallViews = ReadonlyMap<string, CallView>;

const none: CallViews = new Map();
const noIds: readonly string[] = [];

/** Where the calls of one agent find what became of them. */
export interface CallSources {
  sourceOf(callId: string): CallView["source"];
  childIdsOf(callId: string): readonly string[];
  /** The agent is not at work: what of its calls has no end gets none any more. */
  isOver: boolean;
}

export function callSources(tree: AgentTree, node: TreeNode): CallSources {
  const children = childrenByCall(tree, node);
  let results: Map<string, ToolResultMessage> | undefined;
  return {
    // A transcript that was fetched or restored may lack the activity; its result messages tell as much.
    sourceOf(callId) {
      // The id is the model's word: "constructor" must not find what every object has.
      const activity = Object.hasOwn(node.tools, callId) ? node.tools[callId] : undefined;
      if (activity !== undefined) return activity;
      results ??= resultsByCall(node);
      return results.get(callId);
    },
    childIdsOf: (callId) => children.get(callId) ?? noIds,
    isOver: node.status !== "running",
  };
}

/** The views of a message's calls; `previous` itself when nothing changed. */
export function callViews(message: AssistantMessage, sources: CallSources, previous: CallViews | undefined): CallViews {
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
  if (views === undefined) return none;
  return isSame && previous?.size === views.size ? previous : views;
}

function viewOf(
  part: { id: string; name: string; arguments: unknown },
  source: CallView["source"],
  { childIds, isOver }: { childIds: readonly string[]; isOver: boolean },
): CallView {
  const view = { id: part.id, name: part.name, args: part.arguments, childIds, source };
  if (source === undefined) return { ...view, status: isOver ? "interrupted" : "pending", output: "" };
  if ("role" in source) {
    const status = source.isError ? "error" : "done";
    return { ...view, status, output: "", result: textOfContent(source.content) };
  }
  const { label, output, result, durationMs } = source;
  return {
    ...view,
    status: isOver && source.status === "running" ? "interrupted" : source.status,
    output,
    ...(label === undefined ? {} : { label }),
    ...(result === undefined ? {} : { result: textOfContent(result.content) }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** The text of what a tool answered; what is not text is named. */
export function textOfContent(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : `[${part.type}]`)).join("\n");
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
