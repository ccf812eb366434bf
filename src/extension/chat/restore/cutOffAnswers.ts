import {
  type AgentEvent,
  type AgentTree,
  type AssistantMessage,
  addUsage,
  contextTokens,
  emptyUsage,
  estimateTokens,
  foldTree,
  type TreeNode,
  type Usage,
} from "../../../agent/index.ts";
import { emptyTree } from "../../../agent/tree.ts";
import type { ReportedUsage } from "../../../agent/types.ts";
import { usageOfCutAnswer } from "../../../agent/vocabulary/usage.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { ownValue } from "../../../protocol/records.ts";
import type { Unfinished } from "../../sessions/records.ts";

/**
 * The events that a log lacks whose editor died while agents were speaking: each answer as far as it was saved, cut off;
 * what its request cost, as far as that is known; and what running calls had printed.
 */
export function endUnfinished(tree: AgentTree, unfinished: readonly Unfinished[]): AgentEvent[] {
  let folded = tree;
  const ends: AgentEvent[] = [];
  for (const each of unfinished) {
    const node = nodeOf(folded, each);
    if (node?.status !== "running") continue;
    const bodies = [...printedBy(node, each.events), ...answerOf(node, each)];
    for (const event of bodies) {
      const numbered = { ...event, seq: folded.lastSeq + 1 };
      ends.push(numbered);
      folded = foldTree(folded, [numbered]);
    }
  }
  return ends;
}

function nodeOf(tree: AgentTree, { events }: Unfinished): TreeNode | undefined {
  return ownValue(tree.nodes, events[0]?.agent.id ?? "");
}

/** Of a sub-agent's call nothing is known here: its transcript is read when somebody looks at it. */
function printedBy(node: TreeNode, events: readonly AgentEvent[]): AgentEvent[] {
  const updates = events.filter((event) => event.type === "tool_execution_update");
  const last = updates.at(-1);
  if (last === undefined || node.tools[last.callId]?.status !== "running") return [];
  return [{ ...last, output: updates.map(({ output = "" }) => output).join("") }];
}

function answerOf(node: TreeNode, { events, reported }: Unfinished): AgentEvent[] {
  // They were numbered when they were said, and several were saved under one number.
  const entries = events.map((agent, at) => ({ seq: at, agent: { ...agent, seq: at } }));
  const [end] = cutOffMessages(entries);
  const base = end ?? events.at(-1);
  const message = end?.type === "message_end" && end.message.role === "assistant" ? end.message : undefined;
  // A request of which nothing has come may never have reached the provider.
  if (base === undefined || (message === undefined && reported === undefined)) return [];
  const usage = usageOf(node, message, reported);
  const { agent, sessionId, runId, timestamp } = base;
  const about = { agent, sessionId, runId, timestamp, seq: 0 };
  return [
    ...(message === undefined ? [] : [{ ...about, type: "message_end" as const, message: { ...message, usage } }]),
    {
      ...about,
      type: "usage",
      delta: usage,
      own: addUsage(node.own, usage),
      total: addUsage(node.total, usage),
      contextTokens: reported === undefined ? node.contextTokens : contextTokens(usage),
      contextPercent: node.contextPercent,
    },
  ];
}

/** What was reported, or else an estimate: the request held at least what the one before it did. */
function usageOf(node: TreeNode, message: AssistantMessage | undefined, reported: ReportedUsage | undefined): Usage {
  const output = message === undefined ? 0 : estimateTokens([message]);
  if (reported !== undefined) return usageOfCutAnswer(reported, output);
  const input = Math.max(node.contextTokens, estimateTokens(node.messages));
  return { ...emptyUsage(), input, output, isEstimate: true };
}

/**
 * What agents were saying when the editor ended, as messages that were cut off: the words as far as they came. Calls
 * are left out, for nothing of theirs was run; so is a message without a word.
 */
function cutOffMessages(entries: readonly LogEntry[]): AgentEvent[] {
  const events = entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : []));
  const open = new Map<string, AgentEvent>();
  for (const event of events) {
    if (event.type === "message_update") open.set(event.messageId, event);
    if (event.type === "message_end") open.delete(event.message.id);
  }
  if (open.size === 0) return [];
  const { nodes, lastSeq } = foldTree(emptyTree(), events);
  let seq = lastSeq;
  return [...open].flatMap(([messageId, { agent, sessionId, runId, timestamp }]) => {
    const message = nodes[agent.id]?.messages.findLast(({ id }) => id === messageId);
    const kept = message?.role === "assistant" ? wordsOf(message) : undefined;
    if (kept === undefined) return [];
    return [{ type: "message_end", message: kept, agent, sessionId, runId, timestamp, seq: ++seq }];
  });
}

function wordsOf(message: AssistantMessage): AssistantMessage | undefined {
  const content = message.content.filter((part) => part.type !== "toolCall" && part.text.trim() !== "");
  return content.length === 0
    ? undefined
    : { ...message, content, stopReason: "aborted", errorMessage: interruptedError };
}
