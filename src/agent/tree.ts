import type { AgentEvent, AgentMeta, EndReason, SerializedError } from "./events.ts";
import { growMessage } from "./growth.ts";
import type { AgentMessage } from "./messages.ts";
import type { ToolResult } from "./toolShapes.ts";
import { addUsage, emptyUsage, type Usage } from "./usage.ts";

/** One tool call as it can be shown: what was asked, what it printed so far, what came of it. */
export interface ToolActivity {
  callId: string;
  toolName: string;
  label?: string;
  /** The raw arguments as the model sent them. */
  args: unknown;
  status: "running" | "done" | "error";
  /** Live output so far. */
  output: string;
  /** The final result, or the latest partial one while it runs. */
  result?: ToolResult;
  durationMs?: number;
}

/** A request that waits before it is sent again. */
export interface PendingRetry {
  /** How often it was sent; 0 for one that waits because others were sent away. */
  attempt: number;
  /** When it will be sent, as events are timed. */
  until: number;
  error: string;
}

/** One agent. The message that is being streamed is the last entry of `messages`. Times are those of its latest run. */
export interface TreeNode {
  meta: AgentMeta;
  status: "running" | "done" | "error" | "aborted" | "limit";
  /** Ids, in order of appearance. */
  children: string[];
  messages: AgentMessage[];
  own: Usage;
  /** With all descendants. */
  total: Usage;
  /** Of the latest request. */
  contextTokens: number;
  contextPercent: number;
  /** By call id. */
  tools: Record<string, ToolActivity>;
  startedAt: number;
  endedAt?: number;
  error?: SerializedError;
  /** From the failed request until something of an answer comes. */
  retry?: PendingRetry;
}

export interface AgentTree {
  nodes: Record<string, TreeNode>;
  roots: string[];
  lastSeq: number;
}

export function emptyTree(): AgentTree {
  return { nodes: {}, roots: [], lastSeq: -1 };
}

/**
 * The state of all agents as a fold over their events: `events.reduce(reduceTree, emptyTree())`. Pure; what an event
 * does not touch keeps its identity. An event that was folded already, or whose type is unknown, changes nothing.
 */
export function reduceTree(tree: AgentTree, event: AgentEvent): AgentTree {
  if (event.seq <= tree.lastSeq) return tree;
  switch (event.type) {
    case "message_update":
      return update(tree, event, (node) => updateMessage(node, event));
    case "message_start":
      return update(tree, event, (node) => ({ ...node, messages: [...node.messages, event.message] }));
    case "retry":
      return update(tree, event, (node) => ({ ...node, retry: pendingRetry(event) }));
    case "message_end":
      return update(tree, event, (node) => putMessage(node, event.message));
    case "agent_start":
      return update(tree, event, (node) => startRun(node, event));
    case "agent_end":
      return update(tree, event, (node) => endRun(node, event));
    case "tool_execution_start":
      return update(tree, event, (node) => putTool(node, startedTool(event)));
    case "tool_execution_update":
      return update(tree, event, (node) => changeTool(node, event.callId, (tool) => reportedTool(tool, event)));
    case "tool_execution_end":
      return update(tree, event, (node) => changeTool(node, event.callId, (tool) => settledTool(tool, event)));
    case "usage":
      return rollUp(
        update(tree, event, (node) => putUsage(node, event)),
        event.agent,
        event.delta,
      );
    case "transcript":
      return update(tree, event, (node) => replaceTranscript(node, event));
    case "agent_spawned":
      return spawned(tree, event);
    case "agent_exit":
      return exited(tree, event);
    case "turn_start":
    case "turn_end":
    case "queue_update":
    case "compaction_start":
    case "compaction_end":
    case "limit_reached":
    case "validation":
    case "warning":
      return update(tree, event, (node) => node);
    default:
      event satisfies never;
      return tree;
  }
}

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** Events that may come from an agent which has not run (yet). */
const idleEvents: ReadonlySet<AgentEvent["type"]> = new Set(["transcript", "agent_spawned", "agent_exit"]);

function update(tree: AgentTree, event: AgentEvent, change: (node: TreeNode) => TreeNode): AgentTree {
  const known = own(tree.nodes, event.agent.id);
  if (known === undefined) {
    const grown = addNode(tree, event.agent, event.agent.parentId, newNode(event.agent, event));
    return update(grown, event, change);
  }
  const node = change(known);
  if (node === known) return { nodes: tree.nodes, roots: tree.roots, lastSeq: event.seq };
  return { nodes: { ...tree.nodes, [event.agent.id]: node }, roots: tree.roots, lastSeq: event.seq };
}

function newNode(meta: AgentMeta, event: AgentEvent): TreeNode {
  return {
    meta,
    status: idleEvents.has(event.type) ? "done" : "running",
    children: [],
    messages: [],
    own: emptyUsage(),
    total: emptyUsage(),
    contextTokens: 0,
    contextPercent: 0,
    tools: {},
    startedAt: event.timestamp,
  };
}

/** An agent whose parent never appeared (a log that was cut) is a root, so that nothing is lost from view. */
function addNode(tree: AgentTree, meta: AgentMeta, parentId: string | undefined, node: TreeNode): AgentTree {
  const parent = parentId === undefined || parentId === meta.id ? undefined : own(tree.nodes, parentId);
  if (parent === undefined) {
    return { ...tree, nodes: { ...tree.nodes, [meta.id]: node }, roots: [...tree.roots, meta.id] };
  }
  const grown = { ...parent, children: [...parent.children, meta.id] };
  return { ...tree, nodes: { ...tree.nodes, [parent.meta.id]: grown, [meta.id]: node } };
}

function updateMessage(node: TreeNode, event: Event<"message_update">): TreeNode {
  const at = indexOfMessage(node.messages, event.messageId);
  const message = node.messages[at];
  if (message?.role !== "assistant") return node;
  const messages = node.messages.slice();
  messages[at] = growMessage(message, event.delta);
  return { ...withoutRetry(node), messages };
}

function pendingRetry({ attempt, delayMs, error, timestamp }: Event<"retry">): PendingRetry {
  return { attempt, until: timestamp + delayMs, error };
}

function withoutRetry(node: TreeNode): TreeNode {
  if (node.retry === undefined) return node;
  const { retry: _over, ...rest } = node;
  return rest;
}

function putMessage(node: TreeNode, message: AgentMessage): TreeNode {
  const at = indexOfMessage(node.messages, message.id);
  const messages = node.messages.slice();
  messages[at < 0 ? messages.length : at] = message;
  return { ...withoutRetry(node), messages };
}

/** From the end, where the streamed message is: a delta must not cost more in a long transcript. */
function indexOfMessage(messages: readonly AgentMessage[], id: string): number {
  for (let at = messages.length - 1; at >= 0; at--) if (messages[at]?.id === id) return at;
  return -1;
}

/** A later run of the same agent repeats no metadata of its creation, so what is known stays. */
function startRun(node: TreeNode, event: Event<"agent_start">): TreeNode {
  const { endedAt: _endedAt, error: _error, ...rest } = withoutRetry(node);
  return { ...rest, meta: { ...node.meta, ...event.agent }, status: "running", startedAt: event.timestamp };
}

function endRun(node: TreeNode, event: Event<"agent_end">): TreeNode {
  const ended = { ...withoutRetry(node), status: statusOf(event.reason), endedAt: event.timestamp };
  return event.error === undefined ? ended : { ...ended, error: event.error };
}

function statusOf(reason: EndReason): TreeNode["status"] {
  return reason === "error" || reason === "aborted" || reason === "limit" ? reason : "done";
}

function putTool(node: TreeNode, tool: ToolActivity): TreeNode {
  return { ...node, tools: { ...node.tools, [tool.callId]: tool } };
}

function changeTool(node: TreeNode, callId: string, change: (tool: ToolActivity) => ToolActivity): TreeNode {
  const tool = own(node.tools, callId);
  return tool === undefined ? node : putTool(node, change(tool));
}

function startedTool(event: Event<"tool_execution_start">): ToolActivity {
  const { callId, toolName, label, args } = event;
  const tool: ToolActivity = { callId, toolName, args, status: "running", output: "" };
  return label === undefined ? tool : { ...tool, label };
}

function reportedTool(tool: ToolActivity, event: Event<"tool_execution_update">): ToolActivity {
  const reported = event.output === undefined ? tool : { ...tool, output: tool.output + event.output };
  return event.partial === undefined ? reported : { ...reported, result: event.partial };
}

function settledTool(tool: ToolActivity, event: Event<"tool_execution_end">): ToolActivity {
  return { ...tool, status: event.isError ? "error" : "done", result: event.result, durationMs: event.durationMs };
}

function putUsage(node: TreeNode, event: Event<"usage">): TreeNode {
  const { own, total, contextTokens, contextPercent } = event;
  return { ...node, own, total, contextTokens, contextPercent };
}

/** Only the agent that spent reports it, so its ancestors' totals are raised here. */
function rollUp(tree: AgentTree, meta: AgentMeta, delta: Usage): AgentTree {
  let nodes = tree.nodes;
  let parentId = meta.parentId;
  while (parentId !== undefined) {
    const parent: TreeNode | undefined = own(nodes, parentId);
    if (parent === undefined) break;
    nodes = { ...nodes, [parentId]: { ...parent, total: addUsage(parent.total, delta) } };
    parentId = parent.meta.parentId;
  }
  return nodes === tree.nodes ? tree : { ...tree, nodes };
}

function replaceTranscript(node: TreeNode, event: Event<"transcript">): TreeNode {
  const calls = new Set(event.messages.flatMap(callIds));
  const tools = Object.fromEntries(Object.entries(node.tools).filter(([callId]) => calls.has(callId)));
  return { ...node, messages: event.messages, own: event.own, total: event.total, tools };
}

function callIds(message: AgentMessage): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []));
}

/** A worker stands below its spawner. Without one, the event is the worker's own. */
function spawned(tree: AgentTree, event: Event<"agent_spawned">): AgentTree {
  const withSpawner = update(tree, event, (node) => node);
  if (own(withSpawner.nodes, event.child.id) !== undefined) return withSpawner;
  return addNode(withSpawner, event.child, event.child.parentId ?? event.agent.id, newNode(event.child, event));
}

function exited(tree: AgentTree, event: Event<"agent_exit">): AgentTree {
  const node = own(tree.nodes, event.child.id);
  if (node === undefined) return { ...tree, lastSeq: event.seq };
  const status = node.status === "running" ? "aborted" : node.status;
  const nodes = { ...tree.nodes, [event.child.id]: { ...node, status, endedAt: event.timestamp } };
  return { ...tree, nodes, lastSeq: event.seq };
}

/** Call ids are the model's words and agent ids may come from a log: "constructor" must not find what every object has. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
