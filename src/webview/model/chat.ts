import { emptyTree, foldTree } from "../../agent/tree.ts";
import type { AgentEvent, AgentTree, TreeNode } from "../../agent/types.ts";
import { emptyHostState, type HostState, reduceHost } from "../../protocol/hostState.ts";
import type { HostMessage, Intent, LogEntry, MoreText, PanelStatus } from "../../protocol/messages.ts";
import { ownValue } from "../../protocol/records.ts";
import { type RunHistory, runsAfter, startsOrResumesRun } from "./runs.ts";

/** The line that an agent writes, or that it thinks; by agent id. */
export type Activity = Extract<HostMessage, { type: "activity" }>["lines"];

/** What the host has sent: the fold of the chat's log, and the state of the editor and the settings. */
export interface ChatState {
  chatId: string | undefined;
  /** The log up to here is folded in. */
  lastSeq: number;
  tree: AgentTree;
  host: HostState;
  status: PanelStatus | undefined;
  runs: RunHistory;
  /** What agents write at the moment that are not opened, by their ids. */
  activity: Activity;
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
    runs: { starts: [], ended: [], stops: [], before: undefined, after: undefined },
    activity: {},
    hasEarlier: false,
    isBehind: false,
  };
}

/** The state after a message, and what to ask of the host. */
export interface FoldedMessage {
  state: ChatState;
  ask?: Intent;
  /** Set when text deltas are all that is new. */
  textDeltas?: readonly TextDelta[];
}

/** Pure. `compose` and `focus` concern the page, not the chat. */
export function applyHostMessage(state: ChatState, message: HostMessage): FoldedMessage {
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
    case "activity":
      if (message.chatId !== state.chatId) return { state };
      return { state: { ...state, activity: { ...state.activity, ...message.lines } } };
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
    case "prompts":
    case "recording":
      return { state };
    default:
      message satisfies never;
      return { state };
  }
}

function continueLog(state: ChatState, message: Extract<HostMessage, { type: "entries" }>): FoldedMessage {
  const entries = message.afterSeq > state.lastSeq ? undefined : entriesIn(message, state.tree);
  if (entries === undefined) {
    if (state.isBehind || state.chatId === undefined) return { state };
    const ask: Intent = { type: "ready", chatId: state.chatId, lastSeq: state.lastSeq };
    return { state: { ...state, isBehind: true }, ask };
  }
  const folded = { ...foldEntries(state, entries), lastSeq: Math.max(state.lastSeq, message.upToSeq) };
  const textDeltas = textDeltasIn(entries);
  return textDeltas === undefined ? { state: folded } : { state: folded, textDeltas };
}

/** All entries of a post, in order; undefined when it goes on with a text that is not here. */
function entriesIn(
  { entries, texts }: Extract<HostMessage, { type: "entries" }>,
  { nodes }: AgentTree,
): readonly LogEntry[] | undefined {
  if (texts === undefined) return entries;
  const all = [...entries];
  for (const text of texts) {
    const entry = entryOf(text, nodes);
    if (entry === undefined) return undefined;
    all.push(entry);
  }
  return entries.length === 0 ? all : all.sort((a, b) => a.seq - b.seq);
}

/** Of what is left out, the fold of a text delta needs nothing. */
function entryOf(
  [seq, agentSeq, id, messageId, index, delta]: MoreText,
  nodes: AgentTree["nodes"],
): LogEntry | undefined {
  const node = ownValue(nodes, id);
  const message = node?.messages.findLast((each) => each.id === messageId);
  const part = message?.role === "assistant" ? message.content[index] : undefined;
  if (node === undefined || part === undefined || part.type === "toolCall") return undefined;
  const type = part.type === "text" ? "text_delta" : "thinking_delta";
  const unused = { sessionId: "", runId: "", timestamp: node.startedAt };
  return {
    seq,
    agent: {
      ...unused,
      agent: node.meta,
      seq: agentSeq,
      type: "message_update",
      messageId,
      delta: { type, index, delta },
    },
  };
}

/** Entries that are folded in already, as after a resync, change nothing. */
export function foldEntries(state: ChatState, entries: readonly LogEntry[]): ChatState {
  let agents: AgentEvent[] = [];
  let { host, activity, tree, runs } = state;
  for (const entry of entries) {
    if (entry.seq <= state.lastSeq) continue;
    if ("agent" in entry) activity = activityAfter(activity, entry.agent);
    if ("agent" in entry && startsOrResumesRun(entry.agent)) {
      tree = foldTree(tree, agents);
      agents = [];
      runs = runsAfter(runs, entry.agent, tree);
    }
    if ("agent" in entry) agents.push(entry.agent);
    else host = reduceHost(host, entry.host);
  }
  return { ...state, tree: foldTree(tree, agents), host, activity, runs };
}

/** What an agent wrote is over when it does something else. */
function activityAfter(activity: Activity, { type, agent: { id } }: AgentEvent): Activity {
  const isOver = type === "tool_execution_start" || type === "message_start" || type === "agent_end";
  return isOver ? withoutLine(activity, id) : activity;
}

function withoutLine(activity: Activity, agentId: string): Activity {
  if (!Object.hasOwn(activity, agentId)) return activity;
  const { [agentId]: _over, ...rest } = activity;
  return rest;
}

/** More text of one part of one message. */
export interface TextDelta {
  agentId: string;
  messageId: string;
  /** Of the part in the message. */
  index: number;
  text: string;
}

/** What the entries append to texts, when that is all they do; undefined when they do anything else. */
function textDeltasIn(entries: readonly LogEntry[]): TextDelta[] | undefined {
  const deltas: TextDelta[] = [];
  for (const entry of entries) {
    if (!("agent" in entry) || entry.agent.type !== "message_update") return undefined;
    const { agent, messageId, delta } = entry.agent;
    if (delta.type !== "text_delta" && delta.type !== "thinking_delta") return undefined;
    deltas.push({ agentId: agent.id, messageId, index: delta.index, text: delta.delta });
  }
  return deltas;
}

function patchTranscript(state: ChatState, message: Extract<HostMessage, { type: "agentTranscript" }>): ChatState {
  const node = state.tree.nodes[message.agentId];
  if (node === undefined) return state;
  const nodes = { ...state.tree.nodes, [message.agentId]: { ...node, messages: message.messages } };
  const tree = { ...state.tree, nodes, lastSeq: Math.max(state.tree.lastSeq, message.upToSeq) };
  // From now on its messages say what it writes.
  return { ...state, tree, activity: withoutLine(state.activity, message.agentId) };
}

/** The tree with what lies before its log: older messages in front of the newer, and agents that had ended by then. */
export function withEarlier(tree: AgentTree, entries: readonly LogEntry[]): AgentTree {
  const earlier = foldTree(
    emptyTree(),
    entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : [])),
  );
  const nodes = { ...tree.nodes };
  for (const node of Object.values(earlier.nodes)) {
    const known = nodes[node.meta.id];
    nodes[node.meta.id] = known === undefined ? ended(node) : joined(node, known);
  }
  const roots: string[] = [];
  for (const id of new Set([...earlier.roots, ...tree.roots])) {
    const parentId = nodes[id]?.meta.parentId;
    const parent = parentId === undefined ? undefined : nodes[parentId];
    if (parent === undefined) roots.push(id);
    else if (!parent.children.includes(id)) {
      // It was a root only because its parent came earlier.
      nodes[parent.meta.id] = { ...parent, children: [id, ...parent.children] };
    }
  }
  return { nodes, roots, lastSeq: tree.lastSeq };
}

/** The later part has the status; both have messages. */
function joined(earlier: TreeNode, later: TreeNode): TreeNode {
  const known = new Set(later.messages.map(({ id }) => id));
  return {
    ...later,
    messages: [...earlier.messages.filter(({ id }) => !known.has(id)), ...later.messages],
    tools: { ...earlier.tools, ...later.tools },
    children: [...new Set([...earlier.children, ...later.children])],
  };
}

/** Its end lies in the part that is shown, if it is in the log at all: nothing of it runs. */
function ended(node: TreeNode): TreeNode {
  return node.status === "running" ? { ...node, status: "done" } : node;
}
