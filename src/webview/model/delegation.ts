import type { AgentTree, TreeNode } from "../../agent/types.ts";
import { textOfContent, typedText } from "../../protocol/messageTexts.ts";
import { isRecord, ownValue } from "../../protocol/records.ts";

/** The task an agent got from the one that created it, and the answer that one got. */
export interface Delegated {
  brief: string;
  /** Undefined until the call has ended. */
  answer: string | undefined;
  /** What is known of the call: a rewind removes it, and of an agent that is not opened none may be here. */
  call: "running" | "ended" | "missing";
}

/**
 * Undefined for an agent that no call created. The call's own arguments and result are whole, where the panel
 * may hold no more than a preview of the agent's messages.
 */
export function delegatedTo(tree: AgentTree, node: TreeNode): Delegated | undefined {
  const { parentId, toolCallId } = node.meta;
  const parent = parentId === undefined ? undefined : tree.nodes[parentId];
  if (parent === undefined) return undefined;
  const call = callIn(parent, toolCallId);
  const siblings = parent.children.filter((id) => tree.nodes[id]?.meta.toolCallId === toolCallId);
  const position = { index: siblings.indexOf(node.meta.id), name: node.meta.name };
  return {
    brief: briefOf(taskOf(call?.args, position)) ?? firstMessages(node),
    answer: call?.result === undefined ? undefined : answerOf(textOfContent(call.result), position),
    call: call === undefined ? "missing" : call.isRunning ? "running" : "ended",
  };
}

interface Call {
  args: unknown;
  isRunning: boolean;
  /** Undefined until it has ended. */
  result: Parameters<typeof textOfContent>[0] | undefined;
}

/** A call as its agent made it. After a rewind and its undo only the messages have it. */
function callIn({ messages, tools, status }: TreeNode, callId: string | undefined): Call | undefined {
  if (callId === undefined) return undefined;
  const tool = ownValue(tools, callId);
  if (tool !== undefined) {
    const hasEnded = tool.status !== "running";
    // What a stop cut off has no end.
    return {
      args: tool.args,
      isRunning: !hasEnded && status === "running",
      result: hasEnded ? tool.result?.content : undefined,
    };
  }
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const part = parts.findLast((each) => each.type === "toolCall" && each.id === callId);
  if (part?.type !== "toolCall") return undefined;
  const result = messages.findLast((message) => message.role === "toolResult" && message.callId === callId);
  const content = result?.role === "toolResult" ? result.content : undefined;
  return { args: part.arguments, isRunning: content === undefined && status === "running", result: content };
}

interface Position {
  /** Among the agents of the same call. */
  index: number;
  name: string | undefined;
}

interface Task {
  task: string;
  context: string;
}

/** Of a call for several agents, the task at the agent's position, if that is for an agent of this name. */
function taskOf(args: unknown, position: Position): Task | undefined {
  if (!isRecord(args)) return undefined;
  const entry = Array.isArray(args.tasks) ? ownEntry(args.tasks, position) : args;
  if (!isRecord(entry) || typeof entry.task !== "string") return undefined;
  return { task: entry.task, context: typeof entry.context === "string" ? entry.context.trim() : "" };
}

function briefOf(task: Task | undefined): string | undefined {
  if (task === undefined) return undefined;
  return task.context === "" ? task.task : `${task.task}\n\n${task.context}`;
}

/** A call for several agents answers with a list in the order of its tasks. */
function answerOf(text: string, position: Position): string {
  const entry = ownEntry(parsedList(text), position);
  const own = isRecord(entry) ? (entry.result ?? entry.error) : undefined;
  return typeof own === "string" ? own : text;
}

function ownEntry(list: readonly unknown[], { index, name }: Position): unknown {
  // Agents start in the order of their tasks unless one was refused; then the name does not fit.
  const entry = list[index];
  return isRecord(entry) && entry.agent === name ? entry : undefined;
}

function parsedList(text: string): unknown[] {
  if (!text.startsWith("[")) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** The messages to it before it first answered. */
function firstMessages({ messages }: TreeNode): string {
  const answered = messages.findIndex((message) => message.role !== "user");
  const received = answered < 0 ? messages : messages.slice(0, answered);
  return received.flatMap((message) => (message.role === "user" ? [typedText(message)] : [])).join("\n\n");
}
