import { applyDelta } from "../vocabulary/applyDelta.ts";
import type { AgentEvent, AgentMeta, EndReason } from "../vocabulary/events.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { addUsage, emptyUsage } from "../vocabulary/usage.ts";
import type { AgentTree, PendingRetry, ToolActivity, TreeNode } from "./treeTypes.ts";
import { copying, copyingOnce, type TreeWriting } from "./treeWriting.ts";

/** The tree before any event. */
export function emptyTree(): AgentTree {
  return { nodes: {}, roots: [], lastSeq: -1 };
}

/**
 * The state of all agents as a fold over their events: `events.reduce(reduceTree, emptyTree())`. Pure; what an event
 * does not touch keeps its identity. An event that was folded already, or whose type is unknown, changes nothing.
 */
export function reduceTree(tree: AgentTree, event: AgentEvent): AgentTree {
  return step(tree, event, copying);
}

/** As `events.reduce(reduceTree, tree)`, at a cost that follows the number of events and not its square. */
export function foldTree(tree: AgentTree, events: Iterable<AgentEvent>): AgentTree {
  const writing = copyingOnce();
  let folded = tree;
  for (const event of events) folded = step(folded, event, writing);
  return folded;
}

function step(tree: AgentTree, event: AgentEvent, writing: TreeWriting): AgentTree {
  if (event.seq <= tree.lastSeq) return tree;
  const change = (changed: (node: TreeNode) => TreeNode) => update(tree, event, { changed, writing });
  switch (event.type) {
    case "message_update":
      return change((node) => updateMessage(node, event, writing));
    case "message_start":
      return change((node) => ({ ...node, messages: writing.set(node.messages, node.messages.length, event.message) }));
    case "retry":
      return change((node) => ({ ...node, retry: pendingRetry(event) }));
    case "message_end":
      return change((node) => putMessage(node, event.message, writing));
    case "agent_start":
      return change((node) => startRun(node, event));
    case "agent_end":
      return change((node) => endRun(node, event));
    case "tool_execution_start":
      return change((node) => putTool(node, startedTool(event), writing));
    case "tool_execution_update":
      return change((node) =>
        changeTool(node, event.callId, { changed: (tool) => reportedTool(tool, event), writing }),
      );
    case "tool_execution_end":
      return change((node) => changeTool(node, event.callId, { changed: (tool) => settledTool(tool, event), writing }));
    case "usage":
      return rollUp(
        change((node) => putUsage(node, event)),
        event,
        writing,
      );
    case "transcript":
      return change((node) => replaceTranscript(node, event));
    case "agent_spawned":
      return spawned(tree, event, writing);
    case "agent_exit":
      return exited(tree, event, writing);
    case "turn_start":
    case "turn_end":
    case "queue_update":
    case "compaction_start":
    case "compaction_end":
    case "limit_reached":
    case "validation":
    case "warning":
      return change((node) => node);
    default:
      event satisfies never;
      return tree;
  }
}

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** Events that may come from an agent which has not run (yet). */
const idleEvents: ReadonlySet<AgentEvent["type"]> = new Set(["transcript", "agent_spawned", "agent_exit"]);

interface Change<Part> {
  changed(part: Part): Part;
  writing: TreeWriting;
}

function update(tree: AgentTree, event: AgentEvent, change: Change<TreeNode>): AgentTree {
  const known = own(tree.nodes, event.agent.id);
  if (known === undefined) {
    const withNode = addNode(
      tree,
      { node: newNode(event.agent, event), parentId: event.agent.parentId },
      change.writing,
    );
    return update(withNode, event, change);
  }
  const node = change.changed(known);
  if (node === known) return { nodes: tree.nodes, roots: tree.roots, lastSeq: event.seq };
  return { nodes: change.writing.put(tree.nodes, event.agent.id, node), roots: tree.roots, lastSeq: event.seq };
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
function addNode(
  tree: AgentTree,
  { node, parentId }: { node: TreeNode; parentId: string | undefined },
  { set, put }: TreeWriting,
): AgentTree {
  const { id } = node.meta;
  const nodes = put(tree.nodes, id, node);
  const parent = parentId === undefined || parentId === id ? undefined : own(nodes, parentId);
  if (parent === undefined) return { ...tree, nodes, roots: set(tree.roots, tree.roots.length, id) };
  const children = set(parent.children, parent.children.length, id);
  return { ...tree, nodes: put(nodes, parent.meta.id, { ...parent, children }) };
}

function updateMessage(node: TreeNode, event: Event<"message_update">, { find, set }: TreeWriting): TreeNode {
  const at = find(node.messages, event.messageId);
  const message = node.messages[at];
  if (message?.role !== "assistant") return node;
  return { ...withoutRetry(node), messages: set(node.messages, at, applyDelta(message, event.delta)) };
}

function pendingRetry({ attempt, delayMs, error, timestamp }: Event<"retry">): PendingRetry {
  return { attempt, until: timestamp + delayMs, error };
}

function withoutRetry(node: TreeNode): TreeNode {
  if (node.retry === undefined) return node;
  const { retry: _over, ...rest } = node;
  return rest;
}

function putMessage(node: TreeNode, message: AgentMessage, { find, set }: TreeWriting): TreeNode {
  const at = find(node.messages, message.id);
  return { ...withoutRetry(node), messages: set(node.messages, at < 0 ? node.messages.length : at, message) };
}

/** A later run of the same agent repeats no metadata of its creation, so what is known stays. */
function startRun(node: TreeNode, event: Event<"agent_start">): TreeNode {
  const { endedAt = node.startedAt, error: _error, earlierMs: before = 0, ...rest } = withoutRetry(node);
  const earlierMs = event.resumes === true ? before + Math.max(0, endedAt - node.startedAt) : 0;
  const meta = { ...node.meta, ...event.agent };
  return {
    ...rest,
    ...{ meta, status: "running", startedAt: event.timestamp },
    ...(earlierMs > 0 && { earlierMs }),
  };
}

function endRun(node: TreeNode, event: Event<"agent_end">): TreeNode {
  const ended = { ...withoutRetry(node), status: statusOf(event.reason), endedAt: event.timestamp };
  return event.error === undefined ? ended : { ...ended, error: event.error };
}

function statusOf(reason: EndReason): TreeNode["status"] {
  return reason === "error" || reason === "aborted" || reason === "limit" ? reason : "done";
}

function putTool(node: TreeNode, tool: ToolActivity, { put }: TreeWriting): TreeNode {
  return { ...node, tools: put(node.tools, tool.callId, tool) };
}

function changeTool(node: TreeNode, callId: string, { changed, writing }: Change<ToolActivity>): TreeNode {
  const tool = own(node.tools, callId);
  return tool === undefined ? node : putTool(node, changed(tool), writing);
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
function rollUp(tree: AgentTree, { agent: meta, delta }: Event<"usage">, { put }: TreeWriting): AgentTree {
  let { nodes } = tree;
  let parentId = meta.parentId;
  // A log that was written by hand may say that an agent spawned itself.
  const seen = new Set([meta.id]);
  while (parentId !== undefined && !seen.has(parentId)) {
    seen.add(parentId);
    const parent: TreeNode | undefined = own(nodes, parentId);
    if (parent === undefined) break;
    nodes = put(nodes, parentId, { ...parent, total: addUsage(parent.total, delta) });
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

/** A worker is below its spawner. Without one, the event is the worker's own. */
function spawned(tree: AgentTree, event: Event<"agent_spawned">, writing: TreeWriting): AgentTree {
  const withSpawner = update(tree, event, { changed: (node) => node, writing });
  if (own(withSpawner.nodes, event.child.id) !== undefined) return withSpawner;
  const parentId = event.child.parentId ?? event.agent.id;
  return addNode(withSpawner, { node: newNode(event.child, event), parentId }, writing);
}

function exited(tree: AgentTree, event: Event<"agent_exit">, { put }: TreeWriting): AgentTree {
  const node = own(tree.nodes, event.child.id);
  if (node === undefined) return { ...tree, lastSeq: event.seq };
  const status = node.status === "running" ? "aborted" : node.status;
  const nodes = put(tree.nodes, event.child.id, { ...node, status, endedAt: event.timestamp });
  return { ...tree, nodes, lastSeq: event.seq };
}

/** Call ids are the model's words and agent ids may come from a log: "constructor" must not find what every object has. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
