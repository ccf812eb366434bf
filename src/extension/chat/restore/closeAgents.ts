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
import { interruptedCall } from "../../tools/interruptedReport.ts";

/** What is known of an interrupted call beyond that it was interrupted. */
export type ResultOf = (callId: string) => { text: string; isOpen: boolean } | undefined;

/**
 * The events that a log lacks whose agents ended with the editor: each running call gets an end, the root agent's
 * unanswered calls their results, and each running agent its end. The deepest agents come first, as in life.
 */
export function closeAgents(
  tree: AgentTree,
  o: {
    sessionId: string;
    newId: () => string;
    resultOf?: ResultOf | undefined;
    /** When the last event happened that is known, in milliseconds since the epoch. */
    lastEventAt?: number;
  },
): AgentEvent[] {
  const { resultOf = () => undefined, lastEventAt = 0 } = o;
  const running = Object.values(tree.nodes)
    .filter(({ status }) => status === "running")
    .sort((a, b) => b.meta.depth - a.meta.depth);
  const timestamp = Math.max(lastEventAt, lastTime(tree));
  let seq = tree.lastSeq;
  return running.flatMap((node) =>
    closingBodies(node, { newId: o.newId, timestamp, resultOf }).map(
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

interface Closing {
  newId(): string;
  timestamp: number;
  resultOf: ResultOf;
}

function closingBodies(node: TreeNode, { newId, timestamp, resultOf }: Closing): EventBody[] {
  const bodies: EventBody[] = Object.values(node.tools)
    .filter(({ status }) => status === "running")
    .map(({ callId, toolName }) => {
      const { text, isOpen } = resultOf(callId) ?? { text: interruptedCall, isOpen: true };
      const result = { content: text, isError: isOpen };
      return { type: "tool_execution_end", callId, toolName, result, isError: isOpen, durationMs: 0 };
    });
  const results = unanswered(node.messages).map((call) =>
    interruptedResult(call, node.tools[call.id], { newId, timestamp, resultOf }),
  );
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
export function interruptedResult(
  call: ToolCall,
  activity: Pick<ToolActivity, "status" | "result"> | undefined,
  { newId, timestamp, resultOf }: Closing,
): ToolResultMessage {
  const result = activity?.status === "running" ? undefined : activity?.result;
  const known = result === undefined ? resultOf(call.id) : undefined;
  const content = result?.content ?? known?.text ?? interruptedCall;
  return {
    role: "toolResult",
    id: newId(),
    callId: call.id,
    toolName: call.name,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    isError: result === undefined ? (known?.isOpen ?? true) : activity?.status === "error",
    ...(result?.details !== undefined && { details: result.details }),
    timestamp,
  };
}

function isAnswer(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && message.stopReason === "stop";
}

/** The time of the last event: the agents did not work while the editor was closed. */
function lastTime(tree: AgentTree): number {
  const times = Object.values(tree.nodes).flatMap(({ startedAt, endedAt, messages }) => [
    startedAt,
    endedAt ?? 0,
    ...messages.slice(-1).map(({ timestamp }) => timestamp),
  ]);
  return Math.max(0, ...times);
}
