import type { AgentEvent, AgentTree, TreeNode, Usage } from "../../agent/types.ts";

/** One run of the root agent. Times in milliseconds since the epoch. */
export interface Run {
  startedAt: number;
  /** What the chat had used before it. */
  before: Usage | undefined;
  /** The id of the message that preceded it. */
  after: string | undefined;
}

/** A run that another one has followed. */
export interface EarlierRun extends Run {
  /** When the next one began. */
  until: number;
  /** How long it took. */
  elapsedMs: number;
  /** What the chat had used by then. */
  total: Usage;
  /** The id of its last message. */
  last: string;
}

/** Where a run of the root agent ended before it was done. */
export interface RunStop {
  /** The id of the last message then. */
  last: string;
  status: "aborted" | "limit" | "error";
  error?: string;
}

/** The runs of the root agent. */
export interface RunHistory {
  /** When each began, in milliseconds since the epoch; 0 for one whose beginning is not here. */
  starts: readonly number[];
  /** All but the latest, as far as anything was said in them. */
  ended: readonly EarlierRun[];
  /** Those that were stopped, interrupted or failed, and after which another one began or the same one went on. */
  stops: readonly RunStop[];
  /** What the chat had used before the latest. */
  before: Usage | undefined;
  /** The id of the message that preceded the latest. */
  after: string | undefined;
}

export function startsOrResumesRun({ type, agent }: AgentEvent): boolean {
  return type === "agent_start" && agent.depth === 0;
}

/** The runs once this event has started or resumed one of `tree`. */
export function runsAfter(runs: RunHistory, event: AgentEvent, tree: AgentTree): RunHistory {
  const { starts, ended } = runs;
  const root = tree.nodes[event.agent.id];
  const stops = [...runs.stops, ...stopOf(root)];
  const resumes = "resumes" in event;
  // A run that goes on after it was cut off is still the same one: its time and its cost are, too.
  if (resumes && starts.length > 0) return { ...runs, stops };
  const startedAt = resumes ? 0 : event.timestamp;
  return {
    starts: [...starts, startedAt],
    ended: root === undefined || starts.length === 0 ? ended : [...ended, ...earlierRun(runs, root, event.timestamp)],
    ...{ stops, before: root?.total, after: root?.messages.at(-1)?.id },
  };
}

/** What the root agent has come to, where that was not the end of its run and no message says so. */
function stopOf(root: TreeNode | undefined): RunStop[] {
  const message = root?.messages.findLast(({ role }) => role !== "toolResult");
  if (root === undefined || message === undefined || root.status === "running" || root.status === "done") return [];
  const saysSo =
    message.role === "assistant" && (message.stopReason === "aborted" || message.errorMessage !== undefined);
  if (saysSo) return [];
  const error = root.error?.message;
  return [{ last: message.id, status: root.status, ...(error !== undefined && { error }) }];
}

/** The run that was the latest until then; none where nothing was said in it, as when a context was only summarized. */
function earlierRun({ starts, before, after }: RunHistory, root: TreeNode, until: number): EarlierRun[] {
  const last = root.messages.findLast(({ role }) => role !== "toolResult")?.id;
  if (last === undefined || last === after) return [];
  const { startedAt, endedAt = until, earlierMs = 0, total } = root;
  const elapsedMs = Math.max(0, endedAt - startedAt) + earlierMs;
  return [{ startedAt: starts.at(-1) ?? startedAt, until, elapsedMs, before, after, total, last }];
}
