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

/** The runs of the root agent. */
export interface RunHistory {
  /** When each began, in milliseconds since the epoch; 0 for one whose beginning is not here. */
  starts: readonly number[];
  /** All but the latest, as far as anything was said in them. */
  ended: readonly EarlierRun[];
  /** What the chat had used before the latest. */
  before: Usage | undefined;
  /** The id of the message that preceded the latest. */
  after: string | undefined;
}

/** A run that goes on after it was cut off is still the same one: its time and its cost are, too. */
export function startsRun({ type, agent, ...event }: AgentEvent, { starts }: RunHistory): boolean {
  if (type !== "agent_start" || agent.depth > 0) return false;
  return starts.length === 0 || !("resumes" in event);
}

/** The runs once this event has started another one of `tree`. */
export function runsAfter(runs: RunHistory, event: AgentEvent, tree: AgentTree): RunHistory {
  const { starts, ended } = runs;
  const root = tree.nodes[event.agent.id];
  const startedAt = starts.length === 0 && "resumes" in event ? 0 : event.timestamp;
  return {
    starts: [...starts, startedAt],
    ended: root === undefined || starts.length === 0 ? ended : [...ended, ...earlierRun(runs, root, event.timestamp)],
    ...{ before: root?.total, after: root?.messages.at(-1)?.id },
  };
}

/** The run that was the latest until then; none where nothing was said in it, as when a context was only summarized. */
function earlierRun({ starts, before, after }: RunHistory, root: TreeNode, until: number): EarlierRun[] {
  const last = root.messages.findLast(({ role }) => role !== "toolResult")?.id;
  if (last === undefined || last === after) return [];
  const { startedAt, endedAt = until, earlierMs = 0, total } = root;
  const elapsedMs = Math.max(0, endedAt - startedAt) + earlierMs;
  return [{ startedAt: starts.at(-1) ?? startedAt, until, elapsedMs, before, after, total, last }];
}
