import type { LogEntry } from "../../../protocol/messages.ts";
import { type DeltaRun, entryOf, extendRun, startRun } from "./deltaRun.ts";

const longestRun = 1_000;

interface OpenRuns {
  /** Whole runs, as entries; `first` is the number of the first delta in it. */
  settled: { first: number; entry: LogEntry }[];
  growing: DeltaRun | undefined;
}

/** What is still being written, by message or by call: its deltas, merged between two points where somebody looked. */
export class OpenDeltas {
  readonly #open = new Map<string, OpenRuns>();

  add(key: string, entry: LogEntry): void {
    const open = this.#open.get(key);
    if (open === undefined) {
      this.#open.set(key, { settled: [], growing: startRun(entry) });
      return;
    }
    if (open.growing !== undefined && open.growing.texts.length < longestRun && extendRun(open.growing, entry)) return;
    settle(open);
    open.growing = startRun(entry);
  }

  /** What comes is not merged with what is there. */
  divide(): void {
    for (const open of this.#open.values()) settle(open);
  }

  /** Whether entries up to the number were merged with later ones. */
  hasAcross(seq: number): boolean {
    const isAcross = (first: number, entry: LogEntry) => first <= seq && seq < entry.seq;
    for (const { settled, growing } of this.#open.values()) {
      if (growing !== undefined && isAcross(growing.first, growing.last)) return true;
      if (settled.some(({ first, entry }) => isAcross(first, entry))) return true;
    }
    return false;
  }

  entries(): LogEntry[] {
    return [...this.#open.values()].flatMap(entriesOf);
  }

  /** Gives what it forgets. */
  delete(key: string): LogEntry[] {
    const open = this.#open.get(key);
    this.#open.delete(key);
    return open === undefined ? [] : entriesOf(open);
  }
}

function settle(open: OpenRuns): void {
  if (open.growing === undefined) return;
  open.settled.push({ first: open.growing.first, entry: entryOf(open.growing) });
  open.growing = undefined;
}

function entriesOf({ settled, growing }: OpenRuns): LogEntry[] {
  const entries = settled.map(({ entry }) => entry);
  return growing === undefined ? entries : [...entries, entryOf(growing)];
}
