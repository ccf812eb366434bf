import type { AgentMessage, AgentTree, TreeNode } from "../../../agent/types.ts";
import { type FileEdit, fileEditsIn } from "../../../protocol/fileEdits.ts";
import type { Approval, FileRead, WrittenEdit, WrittenState } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import { callReason } from "../../../protocol/writtenEdits.ts";
import { agentPathText, agentTitle } from "../../model/agents.ts";

/** A change of an agent to one part of a file. */
export interface Change {
  key: string;
  /** By which it is kept and undone; absent for what an older version has written, and for what is only proposed. */
  hunkId?: string;
  /** Of what is proposed. */
  approvalId?: string;
  agentId: string;
  agent: string;
  path: string;
  /** Where the file was, or goes. */
  moved?: string;
  change: FileEdit["change"];
  /** In the file before the edit, from 1. */
  line: number;
  added: number;
  removed: number;
  /** Absent where they are not known here. */
  oldLines?: readonly string[];
  newLines?: readonly string[];
  state: "proposed" | WrittenState;
  /** Why, in the model's words before the call. */
  reason?: string;
}

type KnownHost = Pick<HostState, "writtenEdits" | "writtenStates" | "approvals">;

/** What agents changed since a time, in milliseconds since the epoch: the events of the log, and nothing else. */
export function changesSince(tree: AgentTree, host: KnownHost, start: number): Change[] {
  const calls = callsSince(tree, start);
  const written = host.writtenEdits.filter(({ callId, agentId }) => {
    const found = calls.get(callId);
    // After a reload, the messages of a sub-agent are here only when it is opened.
    return found?.isMeant ?? (tree.nodes[agentId]?.startedAt ?? start) >= start;
  });
  const known = new Set(host.writtenEdits.map(({ callId }) => callId));
  const older = [...calls].flatMap(([callId, { node, result, isMeant }]) =>
    isMeant && !known.has(callId) && result !== undefined ? olderChanges(tree, node, callId, result) : [],
  );
  const proposed = host.approvals.filter(({ agentId }) => tree.nodes[agentId] !== undefined);
  return [
    ...older,
    ...written.flatMap((edit) => writtenChanges(tree, edit, host.writtenStates)),
    ...proposed.flatMap((approval) => proposedChanges(tree, approval)),
  ];
}

interface Call {
  node: TreeNode;
  result?: AgentMessage & { role: "toolResult" };
  /** It belongs to the time that is asked about. */
  isMeant: boolean;
}

function callsSince(tree: AgentTree, start: number): Map<string, Call> {
  const calls = new Map<string, Call>();
  for (const node of Object.values(tree.nodes)) {
    for (const [callId, { status }] of Object.entries(node.tools)) {
      calls.set(callId, { node, isMeant: status === "running" || node.startedAt >= start });
    }
    for (const message of node.messages) {
      if (message.role !== "toolResult") continue;
      calls.set(message.callId, { node, result: message, isMeant: message.timestamp >= start });
    }
  }
  return calls;
}

function writtenChanges(
  tree: AgentTree,
  { agentId, agentPath, files, reason }: WrittenEdit,
  states: KnownHost["writtenStates"],
): Change[] {
  const by = { agentId, agent: nameOf(tree, { agentId, agentPath }), ...(reason !== undefined && { reason }) };
  return files.flatMap(({ path, change, movedFrom, hunks }) =>
    hunks.map(({ id, ...lines }) => ({
      ...{ key: id, hunkId: id, path, change, state: states[id] ?? "kept" },
      ...(movedFrom !== undefined && { moved: movedFrom }),
      ...by,
      ...lines,
    })),
  );
}

/** Of a session of before hunks had ids: what the results say. */
function olderChanges(tree: AgentTree, node: TreeNode, callId: string, result: NonNullable<Call["result"]>): Change[] {
  const { id: agentId } = node.meta;
  const reason = callReason(node.messages, callId);
  const agent = nameOf(tree, { agentId, agentPath: [agentTitle(node.meta)] });
  return fileEditsIn(result.details).flatMap(({ path, change, movedTo, accepted, added, removed, hunks }) => {
    if (accepted === 0) return [];
    const shared = {
      ...{ agentId, agent, path: movedTo ?? path, change, state: "kept" as const },
      ...(movedTo !== undefined && { moved: path }),
      ...(reason !== undefined && { reason }),
    };
    const written = hunks?.filter(({ left }) => left === undefined);
    if (written === undefined || written.length === 0) {
      return [{ ...shared, key: `${callId} ${path}`, line: 1, added, removed }];
    }
    return written.map(({ line, oldLines, newLines }, index) => ({
      ...{ ...shared, key: `${callId} ${path} ${index}`, line, oldLines, newLines },
      ...{ added: newLines.length, removed: oldLines.length },
    }));
  });
}

function proposedChanges(tree: AgentTree, { id, agentId, agentPath, callId, files }: Approval): Change[] {
  const reason = callReason(tree.nodes[agentId]?.messages ?? [], callId);
  return files.flatMap(({ path, change, movedTo, hunks }) =>
    hunks
      .filter(({ decision }) => decision === "pending")
      .map(({ id: hunkId, oldStart, oldLines, newLines }) => ({
        ...{ key: `${id} ${hunkId}`, approvalId: id, agentId, agent: nameOf(tree, { agentId, agentPath }), path },
        ...{ change: movedTo === undefined ? change : ("move" as const), state: "proposed" as const },
        ...(movedTo !== undefined && { moved: movedTo }),
        ...(reason !== undefined && { reason }),
        ...{ line: oldStart, oldLines, newLines, added: newLines.length, removed: oldLines.length },
      })),
  );
}

/** Titles of the work from the root agent down; the root agent has none. */
function nameOf(tree: AgentTree, agent: { agentId: string; agentPath: readonly string[] }): string {
  const path = agentPathText(tree, agent);
  return path === "" ? "main" : path;
}

export interface ChangeGroup {
  key: string;
  label: string;
  /** What is dimmed behind it: the folder of a file. */
  detail: string;
  /** Of a group by agent. */
  agentId?: string;
  changes: readonly Change[];
  /** Of a group by agent: with those of the agents below it, where these changed something. */
  branch?: readonly Change[];
}

export function groupByFile(changes: readonly Change[]): ChangeGroup[] {
  const groups = Map.groupBy(changes, ({ path }) => path);
  return [...groups].map(([path, own]) => {
    const slash = path.lastIndexOf("/");
    return { key: path, label: path.slice(slash + 1), detail: path.slice(0, Math.max(0, slash)), changes: own };
  });
}

export function groupByAgent(tree: AgentTree, changes: readonly Change[]): ChangeGroup[] {
  const groups = Map.groupBy(changes, ({ agentId }) => agentId);
  const isBelow = (agentId: string, ancestor: string) => {
    // A damaged log may have a circle.
    for (let id: string | undefined = agentId, depth = 0; id !== undefined && depth < 100; depth++) {
      if (id === ancestor) return true;
      id = tree.nodes[id]?.meta.parentId;
    }
    return false;
  };
  return [...groups].map(([agentId, own]) => {
    const branch = changes.filter((change) => isBelow(change.agentId, agentId));
    return {
      ...{ key: agentId, label: own[0]?.agent ?? agentId, detail: "", agentId, changes: own },
      ...(branch.length > own.length && { branch }),
    };
  });
}

/** Lines that are in the files, or would be. */
export function lineCounts(changes: readonly Change[]): { added: number; removed: number } {
  const counted = changes.filter(({ state }) => state !== "undone" && state !== "superseded");
  return {
    added: counted.reduce((sum, { added }) => sum + added, 0),
    removed: counted.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/** Ids of those that can be kept. */
export function keepable(changes: readonly Change[]): string[] {
  return changes.flatMap(({ hunkId, state }) => (hunkId !== undefined && state === "written" ? hunkId : []));
}

/** Ids of those that can be undone, and shown in a diff. */
export function undoable(changes: readonly Change[]): string[] {
  return changes.flatMap(({ hunkId, state }) =>
    hunkId !== undefined && (state === "written" || state === "kept") ? hunkId : [],
  );
}

/** A file that more than one agent read. */
export interface SharedFile {
  path: string;
  agents: readonly string[];
  /** Of all of them, as estimated from what they were given. */
  tokens: number;
}

/** What more than one of the agents read that started since a time, or went on then: what cost most comes first. */
export function readBySeveral(
  tree: AgentTree,
  { fileReads }: Pick<HostState, "fileReads">,
  start: number,
): SharedFile[] {
  const isMeant = ({ agentId }: FileRead) => {
    const node = tree.nodes[agentId];
    return node !== undefined && (node.meta.depth === 0 || node.startedAt >= start);
  };
  const groups = Map.groupBy(Object.values(fileReads).filter(isMeant), ({ path }) => path);
  return [...groups]
    .filter(([, reads]) => reads.length > 1)
    .map(([path, reads]) => ({
      path,
      agents: reads.map((read) => nameOf(tree, read)),
      tokens: reads.reduce((sum, { tokens }) => sum + tokens, 0),
    }))
    .toSorted((one, other) => other.tokens - one.tokens);
}
