import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../common/userError.ts";
import { type ProcessRow, readProcesses, sendSignal } from "./processTable.ts";

/** A formatter or another program that is waited for might be one of those that are paused. */
const maxPauseMs = 5_000;

/** Processes of commands, found among all of the system, which are read when they are asked for. */
type ProcessSource = (all: () => readonly ProcessRow[]) => ProcessRow[];

/**
 * Lets commands pause while the editor changes a file. It goes by the file's name, and a program that runs could swap a
 * folder on the way for a link after the path was judged.
 */
export class PausedCommands {
  readonly #sources = new Set<ProcessSource>();
  readonly #maxMs: number;
  readonly #paused = new Set<number>();
  #uses = 0;
  #ended = Promise.withResolvers<void>();

  constructor(maxMs = maxPauseMs) {
    this.#maxMs = maxMs;
  }

  /** Until the result is called. */
  include(processes: ProcessSource): () => void {
    this.#sources.add(processes);
    return () => this.#sources.delete(processes);
  }

  /** Resolves when no command is paused, so that none starts beside a change. */
  async going(): Promise<void> {
    while (this.#uses > 0) await this.#ended.promise;
  }

  /** All that `use` judges and changes happens while no command runs, or in the first seconds of it. */
  async during<T>(use: () => Promise<T>): Promise<T> {
    this.#uses++;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      if (--this.#uses > 0) return;
      resumeProcesses([...this.#paused]);
      this.#paused.clear();
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    };
    const timer = setTimeout(end, this.#maxMs);
    try {
      const paused = await pauseProcesses(() => this.#find());
      if (paused === undefined) {
        throw new ToolError(
          "A command keeps starting processes. Nothing was changed. Stop it with stop_command first.",
        );
      }
      for (const pid of paused) this.#paused.add(pid);
      // It took too long: what was paused since then must not stay so.
      if (isOver) resumeProcesses(paused);
      return await use();
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  /** The system is looked through once for all, and not at all where no command runs. */
  #find(): ProcessRow[] {
    let rows: readonly ProcessRow[] | undefined;
    const all = () => {
      rows ??= readProcesses();
      return rows;
    };
    return [...this.#sources].flatMap((processes) => processes(all));
  }
}

const maxPauseRounds = 50;
const betweenPausesMs = 1;
/**
 * Pauses all that `find` finds, also what is being spawned meanwhile. Gives the processes that it paused, for
 * `resumeProcesses`; undefined where new ones kept turning up, and then none stays paused. One that waits for a disk stops
 * when it is done with that: it is not waited for for ever.
 */
async function pauseProcesses(find: () => ProcessRow[]): Promise<number[] | undefined> {
  const paused = new Set<number>();
  for (let round = 1; ; round++) {
    const going = find().filter((row) => !row.isPaused);
    const isNew = going.some(({ pid }) => !paused.has(pid));
    if (going.length === 0 || (round > maxPauseRounds && !isNew)) return [...paused];
    if (round > maxPauseRounds) break;
    for (const { pid } of going) {
      paused.add(pid);
      sendSignal(pid, "SIGSTOP");
    }
    // The system stops them a moment later.
    await delay(betweenPausesMs);
  }
  resumeProcesses([...paused]);
  return undefined;
}

function resumeProcesses(pids: readonly number[]): void {
  for (const pid of pids) sendSignal(pid, "SIGCONT");
}
