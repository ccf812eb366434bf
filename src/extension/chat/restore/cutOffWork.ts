import { randomUUID } from "node:crypto";
import {
  type Agent,
  type AgentEvent,
  type AgentMessage,
  type AgentMeta,
  type AgentSnapshot,
  type AgentTree,
  type EventBody,
  type ToolCall,
  type ToolResultMessage,
  type TreeNode,
  textOf,
} from "../../../agent/index.ts";
import { delegationToolNames } from "../../../agent/toolkits/delegation.ts";
import { openCallsOf } from "../../../agent/vocabulary/pause.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { ownValue } from "../../../protocol/records.ts";
import type { CallResults } from "../../sessions/session.ts";
import { isInterruptedResult } from "../../tools/interruptedReport.ts";
import type { Chat } from "../chat.ts";
import { interruptedResult, type ResultOf } from "./closeAgents.ts";
import { foldLog } from "./restoredChat.ts";

/** What agents were at when the end of the editor cut them off, for their root agent to go on with. */
export interface CutOffWork {
  /** By the root agent's calls that go on. */
  children: AgentSnapshot["children"];
  /** Of the agents that go on. */
  agentIds: string[];
  /** Of calls that are not run again, since they may have done something: neither log nor transcript has them yet. */
  results: { agent: AgentMeta; message: ToolResultMessage }[];
  /** The same of the root agent. */
  ownResults: ToolResultMessage[];
}

interface CutOffWorkOptions {
  /** The chat's log. */
  entries: readonly LogEntry[];
  /** What the session has of an agent. */
  messagesOf(agentId: string): Promise<readonly AgentMessage[]>;
  callResultsOf(agentId: string): Promise<CallResults>;
  /** What is known of calls that were interrupted. */
  resultOf: ResultOf;
  /** A call that did nothing but wait for the user: it is run again. */
  isWaiting(agentId: string, callId: string): boolean;
  newId(): string;
  now(): number;
}

/** The work below the root agent's calls that the editor cut off; an agent whose call is not among them has ended. */
async function readCutOffWork(root: Pick<Agent, "id" | "messages">, options: CutOffWorkOptions): Promise<CutOffWork> {
  const { tree } = foldLog(options.entries);
  const ends = endsIn(options.entries);
  const work: CutOffWork = { children: {}, agentIds: [], results: [], ownResults: [] };

  async function childrenOf(parentId: string, callId: string): Promise<AgentSnapshot[]> {
    return Promise.all(nodesOf(tree, parentId, callId).map(snapshotOf));
  }

  async function snapshotOf(node: TreeNode): Promise<AgentSnapshot> {
    const { meta, own: usage, total } = node;
    const messages = [...(await options.messagesOf(meta.id))];
    const turnIndex = messages.filter(({ role }) => role === "assistant").length;
    const { name, label } = meta;
    const snapshot = {
      ...{ agentId: meta.id, messages, usage, total, turnIndex, children: {} },
      ...(name !== undefined && { name }),
      ...(label !== undefined && { label }),
    };
    const end = ends.get(meta.id);
    if (end !== undefined && !isCutOff(end)) {
      const { reason, result, error } = end;
      return { ...snapshot, ended: { reason, ...(result !== undefined && { result }), ...(error && { error }) } };
    }
    work.agentIds.push(meta.id);
    const children = await openCalls(node, messages);
    return { ...snapshot, children };
  }

  /** Those that delegate are left open, and those that wait for the user. */
  function goesOn(agentId: string, { id, name }: Pick<ToolCall, "id" | "name">): boolean {
    return delegationToolNames.has(name) || options.isWaiting(agentId, id);
  }

  /** Of the last answer: the calls that do not go on get the results that they gave or could not give. */
  async function openCalls({ meta }: TreeNode, messages: AgentMessage[]): Promise<AgentSnapshot["children"]> {
    const calls = openCallsOf(messages)?.calls ?? [];
    for (const message of await resultsOfOthers(meta.id, calls)) {
      messages.push(message);
      work.results.push({ agent: meta, message });
    }
    const children: AgentSnapshot["children"] = {};
    for (const call of calls) if (goesOn(meta.id, call)) children[call.id] = await childrenOf(meta.id, call.id);
    return children;
  }

  async function resultsOfOthers(agentId: string, calls: readonly ToolCall[]): Promise<ToolResultMessage[]> {
    const others = calls.filter((call) => !goesOn(agentId, call));
    const known = others.length === 0 ? new Map() : await options.callResultsOf(agentId);
    const { newId, now, resultOf } = options;
    return others.map((call) => interruptedResult(call, known.get(call.id), { newId, timestamp: now(), resultOf }));
  }

  // Where only the last page of the log was there, they were given no results when the chat was opened.
  const open = openCallsOf(root.messages)?.calls ?? [];
  work.ownResults = await resultsOfOthers(root.id, open);
  const cutOff = lastResults(root.messages)
    .filter((message) => isInterruptedResult(textOf(message)))
    .map(({ callId, toolName }) => ({ id: callId, name: toolName }));
  for (const call of [...cutOff, ...open]) {
    if (goesOn(root.id, call)) work.children[call.id] = await childrenOf(root.id, call.id);
  }
  return work;
}

/** What an interrupted chat's session and log say of it. */
export async function cutOffWorkIn(
  { log, past, edits, left }: Pick<Chat, "log" | "past" | "edits" | "left">,
  root: Pick<Agent, "id" | "messages">,
): Promise<CutOffWork> {
  const caller = root.messages.findLast(({ role }) => role === "assistant");
  // Agents of its calls that had ended are only there where the log is read as far back.
  while (past?.hasEarlier === true && !log.messagesOf(root.id).some(({ id }) => id === caller?.id)) {
    await past.showEarlier();
  }
  return readCutOffWork(root, {
    entries: log.entriesAfter(0) ?? [],
    messagesOf: async (agentId) => {
      const stored = (await past?.messagesOf(agentId)) ?? [];
      const ids = new Set(stored.map(({ id }) => id));
      // What was cut off may have its end in the log alone.
      return [...stored, ...log.messagesOf(agentId).filter(({ id }) => !ids.has(id))];
    },
    callResultsOf: async (agentId) => (await past?.callResultsOf(agentId)) ?? new Map(),
    resultOf: (callId) => edits?.resultOf(callId),
    isWaiting: (agentId, callId) => left?.isWaiting(agentId, callId) === true,
    newId: randomUUID,
    now: Date.now,
  });
}

/** Takes the results out again that the root agent's calls were given when the chat was opened, if they go on. */
export async function reopenCalls(
  agent: Agent,
  { children, results, ownResults }: CutOffWork,
  add: (agent: Pick<Agent, "sessionId" | "meta">, body: EventBody) => void,
): Promise<void> {
  const { sessionId } = agent;
  for (const { agent: meta, message } of results) add({ sessionId, meta }, { type: "message_end", message });
  const tail = lastResults(agent.messages);
  const kept = tail.filter(({ callId }) => !Object.hasOwn(children, callId));
  const isReopened = kept.length < tail.length;
  if (isReopened && tail[0] !== undefined) await agent.rewindTo(tail[0].id);
  const added = [...(isReopened ? kept : []), ...ownResults];
  if (added.length > 0) agent.addMessage(added);
}

type End = Extract<AgentEvent, { type: "agent_end" }>;

/** How the latest run of each agent ended. */
function endsIn(entries: readonly LogEntry[]): Map<string, End> {
  const ends = new Map<string, End>();
  for (const entry of entries) {
    if (!("agent" in entry)) continue;
    const { agent: event } = entry;
    if (event.type === "agent_end") ends.set(event.agent.id, event);
    else if (event.type === "agent_start") ends.delete(event.agent.id);
  }
  return ends;
}

function isCutOff({ reason, error }: End): boolean {
  return reason === "aborted" && error?.message === interruptedError;
}

function nodesOf({ nodes }: AgentTree, parentId: string, callId: string): TreeNode[] {
  const parent = ownValue(nodes, parentId);
  return (parent?.children ?? []).flatMap((id) => {
    const node = nodes[id];
    return node?.meta.toolCallId === callId ? [node] : [];
  });
}

/** The results of the last answer's calls, where nothing follows them. */
function lastResults(messages: readonly AgentMessage[]): ToolResultMessage[] {
  const first = messages.findLastIndex(({ role }) => role !== "toolResult") + 1;
  return messages.slice(first).filter((message) => message.role === "toolResult");
}
