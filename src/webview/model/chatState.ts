import { emptyTree, foldTree } from "../../agent/tree.ts";
import type { AgentEvent, AgentTree } from "../../agent/types.ts";
import { emptyHostState, type HostState, reduceHost } from "../../protocol/hostState.ts";
import type { HostMessage, Intent, LogEntry, PanelStatus } from "../../protocol/messages.ts";
import { withEarlier } from "./earlier.ts";
import { type Growth, growthOf } from "./growth.ts";

/** What the host has told: the fold of the chat's log, and the editor's small facts. */
export interface ChatState {
  chatId: string | undefined;
  /** The log up to here is folded in. */
  lastSeq: number;
  tree: AgentTree;
  host: HostState;
  status: PanelStatus | undefined;
  /** The host has messages before these. */
  hasEarlier: boolean;
  /** A post was missed and asked for; what comes meanwhile is left for the answer. */
  isBehind: boolean;
}

export function emptyChatState(): ChatState {
  return {
    chatId: undefined,
    lastSeq: 0,
    tree: emptyTree(),
    host: emptyHostState(),
    status: undefined,
    hasEarlier: false,
    isBehind: false,
  };
}

/** What came of a message: the state after it, and what to ask of the host. */
export interface Step {
  state: ChatState;
  ask?: Intent;
  /** Set when words that texts gained are all that is new. */
  growths?: readonly Growth[];
}

/** Pure. `compose` and `focus` concern the page, not the chat. */
export function applyHostMessage(state: ChatState, message: HostMessage): Step {
  switch (message.type) {
    case "chat": {
      const known = message.reset || message.chatId !== state.chatId ? emptyChatState() : state;
      const folded = foldEntries({ ...known, chatId: message.chatId, isBehind: false }, message.entries);
      const { status, hasEarlier = false } = message;
      return { state: { ...folded, lastSeq: Math.max(folded.lastSeq, message.upToSeq), status, hasEarlier } };
    }
    case "entries":
      return message.chatId === state.chatId ? continueLog(state, message) : { state };
    case "agentTranscript":
      return message.chatId === state.chatId ? { state: patchTranscript(state, message) } : { state };
    case "status":
      return { state: { ...state, status: message.status } };
    case "earlier": {
      if (message.chatId !== state.chatId) return { state };
      const tree = withEarlier(state.tree, message.entries);
      return { state: { ...state, tree, hasEarlier: message.hasEarlier } };
    }
    case "history":
    case "chatKept":
    case "compose":
    case "focus":
    case "showConversation":
    case "answer":
    case "suggestions":
      return { state };
    default:
      message satisfies never;
      return { state };
  }
}

function continueLog(state: ChatState, message: Extract<HostMessage, { type: "entries" }>): Step {
  if (message.afterSeq > state.lastSeq) {
    if (state.isBehind || state.chatId === undefined) return { state };
    const ask: Intent = { type: "ready", chatId: state.chatId, lastSeq: state.lastSeq };
    return { state: { ...state, isBehind: true }, ask };
  }
  const folded = { ...foldEntries(state, message.entries), lastSeq: Math.max(state.lastSeq, message.upToSeq) };
  const growths = growthOf(message.entries);
  return growths === undefined ? { state: folded } : { state: folded, growths };
}

/** Entries that are folded in already, as after a resync, change nothing. */
function foldEntries(state: ChatState, entries: readonly LogEntry[]): ChatState {
  const begun = state.lastSeq === 0 ? new Set<string>() : undefined;
  const agents: AgentEvent[] = [];
  let { host } = state;
  for (const entry of entries) {
    if (entry.seq <= state.lastSeq) continue;
    if ("agent" in entry) agents.push(begun === undefined ? entry.agent : begunBy(entry.agent, begun));
    else host = reduceHost(host, entry.host);
  }
  return { ...state, tree: foldTree(state.tree, agents), host };
}

/**
 * A chat that is sent from its beginning names most messages once, by their end: they begin there. To look for each of
 * them among all that came before would cost more the longer the chat is.
 */
function begunBy(event: AgentEvent, begun: Set<string>): AgentEvent {
  if (event.type === "message_start") begun.add(event.message.id);
  if (event.type === "transcript") for (const { id } of event.messages) begun.add(id);
  if (event.type !== "message_end" || begun.has(event.message.id)) return event;
  begun.add(event.message.id);
  return { ...event, type: "message_start" };
}

function patchTranscript(state: ChatState, message: Extract<HostMessage, { type: "agentTranscript" }>): ChatState {
  const node = state.tree.nodes[message.agentId];
  if (node === undefined) return state;
  const nodes = { ...state.tree.nodes, [message.agentId]: { ...node, messages: message.messages } };
  return { ...state, tree: { ...state.tree, nodes, lastSeq: Math.max(state.tree.lastSeq, message.upToSeq) } };
}
