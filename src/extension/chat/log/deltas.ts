import type { AgentEvent } from "../../../agent/types.ts";
import type { LogEntry } from "../../../protocol/messages.ts";

/**
 * Entries that become one: deltas of the same part of the same message, or the live output of one call. It has the
 * place and the number of the last of them and the text of all. Events are built once, not once per delta.
 */
export interface DeltaRun {
  /** The number of its first entry. */
  readonly first: number;
  last: LogEntry;
  /** The texts of all, joined when they are needed: a string that grows by concatenation keeps all its pieces. */
  texts: string[];
}

/** A run of one entry. */
export function startRun(entry: LogEntry): DeltaRun {
  return { first: entry.seq, last: entry, texts: [] };
}

/** Adds the entry to the run if it is its next part. */
export function extendRun(run: DeltaRun, entry: LogEntry): boolean {
  if (!("agent" in run.last) || !("agent" in entry) || !isContinued(run.last.agent, entry.agent)) return false;
  if (run.texts.length === 0) run.texts.push(textOf(run.last.agent));
  run.texts.push(textOf(entry.agent));
  run.last = entry;
  return true;
}

/** The run as one entry. */
export function entryOf({ last, texts }: DeltaRun): LogEntry {
  if (texts.length === 0 || !("agent" in last)) return last;
  const { seq, agent } = last;
  if (agent.type === "tool_execution_update") return { seq, agent: { ...agent, output: texts.join("") } };
  if (agent.type !== "message_update" || !("delta" in agent.delta)) return last;
  return { seq, agent: { ...agent, delta: { ...agent.delta, delta: texts.join("") } } };
}

function isContinued(first: AgentEvent, next: AgentEvent): boolean {
  if (first.type === "message_update" && next.type === "message_update") {
    const a = first.delta;
    const b = next.delta;
    return (
      first.messageId === next.messageId && "delta" in a && "delta" in b && a.type === b.type && a.index === b.index
    );
  }
  if (first.type === "tool_execution_update" && next.type === "tool_execution_update") {
    if (first.callId !== next.callId || first.output === undefined || next.output === undefined) return false;
    return first.partial === undefined && next.partial === undefined;
  }
  return false;
}

function textOf(event: AgentEvent): string {
  if (event.type === "message_update") return "delta" in event.delta ? event.delta.delta : "";
  return event.type === "tool_execution_update" ? (event.output ?? "") : "";
}

/** Entries that wait to be sent. What can be joined is joined as it comes, so that a flood of deltas waits as one. */
export interface EntryBatch {
  add(entry: LogEntry): void;
  /** All that waits, in the order of its numbers; the batch is empty then. */
  take(): LogEntry[];
}

/**
 * Joins deltas that follow one another for their agent. A joined entry is where its last part stood, so that
 * sequence numbers keep rising; it may pass other agents' entries on the way, since only the order within an agent
 * matters to the fold.
 */
export function createBatch(): EntryBatch {
  let runs: (DeltaRun | undefined)[] = [];
  const lastOfAgent = new Map<string, number>();

  function add(entry: LogEntry): void {
    // Nothing else came between: it is where it has to.
    const newest = runs.at(-1);
    if (newest !== undefined && extendRun(newest, entry)) return;
    if ("host" in entry) {
      // What the host says may answer what an agent did: nothing is moved across it.
      lastOfAgent.clear();
      runs.push(startRun(entry));
      return;
    }
    const agentId = entry.agent.agent.id;
    const index = lastOfAgent.get(agentId);
    const known = index === undefined ? undefined : runs[index];
    lastOfAgent.set(agentId, runs.length);
    if (index === undefined || known === undefined || !extendRun(known, entry)) {
      runs.push(startRun(entry));
      return;
    }
    runs[index] = undefined;
    runs.push(known);
  }

  return {
    add,
    take() {
      const taken = runs.flatMap((run) => (run === undefined ? [] : [entryOf(run)]));
      runs = [];
      lastOfAgent.clear();
      return taken;
    },
  };
}

/** The entries, joined as far as they can be. */
export function coalesce(entries: readonly LogEntry[]): LogEntry[] {
  const batch = createBatch();
  for (const entry of entries) batch.add(entry);
  return batch.take();
}
