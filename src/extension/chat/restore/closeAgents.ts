import {
  type AgentEvent,
  type AgentMessage,
  type AgentTree,
  type EventBody,
  emptyUsage,
  type ToolActivity,
  type ToolCall,
  type ToolResultMessage,
  type TreeNode,
} from "../../../agent/index.ts";
import { interruptedError } from "../../../protocol/interruption.ts";

const interruptedCall = "This call was interrupted before it gave a result: the editor was closed or reloaded.";

/**
 * The events that a log lacks whose agents ended with the editor: each running call gets an end, the root agent's
 * unanswered calls their results, and each running agent its end. The deepest agents come first, as in life.
 */
export function closeAgents(tree: AgentTree, o: { sessionId: string; newId: () => string }): AgentEvent[] {
  const running = Object.values(tree.nodes)
    .filter(({ status }) => status === "running")
    .sort((a, b) => b.meta.depth - a.meta.depth);
  const timestamp = lastTime(tree);
  let seq = tree.lastSeq;
  return running.flatMap((node) =>
    closingBodies(node, o.newId, timestamp).map(
      (body): AgentEvent => ({
        ...body,
        agent: node.meta,
        sessionId: o.sessionId,
        runId: `${o.sessionId}-interrupted`,
        seq: ++seq,
        timestamp,
      }),
    ),
  );
}

function closingBodies(node: TreeNode, newId: () => string, timestamp: number): EventBody[] {
  const bodies: EventBody[] = Object.values(node.tools)
    .filter(({ status }) => status === "running")
    .map(({ callId, toolName }) => ({
      type: "tool_execution_end",
      callId,
      toolName,
      result: { content: interruptedCall, isError: true },
      isError: true,
      durationMs: 0,
    }));
  const results = unanswered(node.messages).map((call) => resultOf(call, node.tools[call.id], newId(), timestamp));
  for (const message of results) bodies.push({ type: "message_end", message });
  const hasAnswered = results.length === 0 && isAnswer(node.messages.at(-1));
  bodies.push({
    type: "agent_end",
    reason: hasAnswered ? "done" : "aborted",
    messages: [],
    usage: emptyUsage(),
    ...(!hasAnswered && { error: { code: "aborted", message: interruptedError } }),
  });
  return bodies;
}

/** Calls of the last answer that no result followed. */
function unanswered(messages: readonly AgentMessage[]): ToolCall[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[at];
  if (last?.role !== "assistant") return [];
  const answered = new Set(
    messages.slice(at).flatMap((message) => (message.role === "toolResult" ? [message.callId] : [])),
  );
  return last.content.flatMap((part) => (part.type === "toolCall" && !answered.has(part.id) ? [part] : []));
}

/** A call that had ended when its siblings had not keeps what it gave. */
function resultOf(
  call: ToolCall,
  activity: ToolActivity | undefined,
  id: string,
  timestamp: number,
): ToolResultMessage {
  const result = activity?.status === "running" ? undefined : activity?.result;
  const content = result?.content ?? interruptedCall;
  return {
    role: "toolResult",
    id,
    callId: call.id,
    toolName: call.name,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    isError: result === undefined || activity?.status === "error",
    ...(result?.details !== undefined && { details: result.details }),
    timestamp,
  };
}

function isAnswer(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && message.stopReason === "stop";
}

/** When something was last heard of: the agents did not work while the editor was closed. */
function lastTime(tree: AgentTree): number {
  const times = Object.values(tree.nodes).flatMap(({ startedAt, endedAt, messages }) => [
    startedAt,
    endedAt ?? 0,
    ...messages.slice(-1).map(({ timestamp }) => timestamp),
  ]);
  return Math.max(0, ...times);
}
