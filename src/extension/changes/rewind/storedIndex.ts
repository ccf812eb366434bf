import type { Exclusively } from "../../common/exclusively.ts";
import { UserError } from "../../common/userError.ts";
import {
  blobsOf,
  type CheckpointIndex,
  emptyIndex,
  formatIndex,
  parseIndex,
  type StoredStep,
} from "./checkpointIndex.ts";
import type { CheckpointStorage } from "./storage.ts";

export interface IndexHost {
  storage: CheckpointStorage;
  warn(message: string): void;
  /** Runs a step while no other window reads or writes there. Absent where there is no other one. */
  exclusively?: Exclusively;
}

/** Older ones are dropped when the editor starts. */
const maxCheckpoints = 100;

/** The index in its storage, which other windows may write too. */
export class StoredIndex {
  readonly #host: IndexHost;
  #index: CheckpointIndex = emptyIndex();
  /** As it was last read or written: another window may have written another one since. */
  #stored: string | undefined;
  #queue: Promise<unknown>;

  constructor(host: IndexHost) {
    this.#host = host;
    this.#queue = this.#alone(() => this.#load()).catch((error: unknown) =>
      host.warn(`Earlier checkpoints can't be read, so no rewind to them is offered: ${error}`),
    );
  }

  /** As it is in the course of a step. */
  get now(): CheckpointIndex {
    return this.#index;
  }

  /** In the order in which they were made. */
  get latestSteps(): readonly StoredStep[] {
    return this.#index.checkpoints.at(-1)?.steps ?? [];
  }

  /** Runs a step on the index as it is, after those before. */
  inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(() =>
      this.#alone(async () => {
        await this.#refresh();
        return step();
      }),
    );
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** From now on changes count as made after this message. In memory alone, until something changes. */
  begin(messageId: string): void {
    this.#index = { ...this.#index, checkpoints: [...this.#index.checkpoints, { messageId, steps: [] }] };
  }

  saveLatestSteps(steps: readonly StoredStep[]): Promise<void> {
    return this.save(withLatestSteps(this.#index, steps));
  }

  async save(index: CheckpointIndex): Promise<void> {
    const json = formatIndex(index);
    await this.#host.storage.writeIndex(json).catch((error: unknown) => {
      throw new UserError(`Nothing was written: Arbor's storage can't be written${reasonOf(error)}.`);
    });
    this.#stored = json;
    this.#index = index;
  }

  async #load(): Promise<void> {
    const { storage } = this.#host;
    const json = await storage.readIndex();
    if (json === undefined) return;
    const index = parseIndex(json);
    if (index === undefined) {
      await storage.setAside();
      throw new Error("their index is damaged or of another version, and was kept aside.");
    }
    this.#stored = json;
    this.#index = { ...index, checkpoints: index.checkpoints.slice(-maxCheckpoints) };
    const needed = blobsOf(this.#index);
    for (const hash of await storage.listBlobs()) if (!needed.has(hash)) await storage.removeBlob(hash);
  }

  #alone<T>(step: () => Promise<T>): Promise<T> {
    const { exclusively } = this.#host;
    return exclusively === undefined ? step() : exclusively(step);
  }

  /** Reads what another window has added. Checkpoints without a pre-image are in this window's memory alone. */
  async #refresh(): Promise<void> {
    const { storage, exclusively } = this.#host;
    if (exclusively === undefined) return;
    // What can't be read now is known as it was read last.
    const json = await storage.readIndex().catch(() => this.#stored);
    if (json === this.#stored) return;
    const index = json === undefined ? emptyIndex() : parseIndex(json);
    if (index === undefined) return;
    const known = new Set(index.checkpoints.map(({ messageId }) => messageId));
    const begun = this.#index.checkpoints.filter(
      ({ messageId, steps, lost }) => steps.length === 0 && lost === undefined && !known.has(messageId),
    );
    this.#stored = json;
    this.#index = { ...index, checkpoints: [...index.checkpoints, ...begun] };
  }
}

export function withLatestSteps(index: CheckpointIndex, steps: readonly StoredStep[]): CheckpointIndex {
  const latest = index.checkpoints.at(-1);
  return latest === undefined ? index : { ...index, checkpoints: index.checkpoints.with(-1, { ...latest, steps }) };
}

/** Why the storage could not be written, as the rest of a sentence. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOSPC" || code === "EDQUOT") return ": the disk is full. Ask the user to make room";
  return code === "" ? "" : ` (${code})`;
}
