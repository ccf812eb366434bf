import type { LogEntry } from "../../protocol/messages.ts";
import { type DeltaRun, entryOf, extendRun, startRun } from "./deltaRun.ts";

/** What is still being written, by message or by call: its deltas, merged between two points where somebody looked. */
export class OpenRuns {
  readonly #runs = new Map<string, DeltaRun[]>();
  /** Those that may go on. */
  readonly #growing = new Map<string, DeltaRun>();

  add(key: string, entry: LogEntry): void {
    const growing = this.#growing.get(key);
    if (growing !== undefined && extendRun(growing, entry)) return;
    const run = startRun(entry);
    this.#growing.set(key, run);
    const runs = this.#runs.get(key);
    if (runs === undefined) this.#runs.set(key, [run]);
    else runs.push(run);
  }

  divide(): void {
    this.#growing.clear();
  }

  /** Whether entries up to the number were merged with later ones. */
  hasAcross(seq: number): boolean {
    for (const runs of this.#runs.values()) {
      const run = runs.findLast(({ first }) => first <= seq);
      if (run !== undefined && run.last.seq > seq) return true;
    }
    return false;
  }

  entries(): LogEntry[] {
    return [...this.#runs.values()].flat().map(entryOf);
  }

  /** Gives what it forgets. */
  delete(key: string): LogEntry[] {
    const runs = this.#runs.get(key) ?? [];
    this.#runs.delete(key);
    this.#growing.delete(key);
    return runs.map(entryOf);
  }
}
