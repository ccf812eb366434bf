import type { LogEntry } from "../../../protocol/messages.ts";
import { type DeltaRun, entryOf, extendRun, startRun } from "../../chat/log/deltaRun.ts";

/** Entries that wait to be sent. What can be joined is joined as it comes, so that a flood of deltas waits as one. */
export interface Batch {
  add(entry: LogEntry): void;
  /** All that waits, in the order of its numbers; the batch is empty then. */
  take(): LogEntry[];
}

/**
 * Joins deltas that follow one another for their agent. A joined entry stands where its last part stood, so that
 * sequence numbers keep rising; it may pass other agents' entries on the way, since only the order within an agent
 * matters to the fold.
 */
export function createBatch(): Batch {
  let runs: (DeltaRun | undefined)[] = [];
  const lastOfAgent = new Map<string, number>();

  function add(entry: LogEntry): void {
    // Nobody else came between: it stands where it has to.
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
