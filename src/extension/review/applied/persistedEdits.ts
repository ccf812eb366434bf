import type { AppliedStore } from "./appliedStore.ts";
import { type LoadedEdits, loadEdits, saveEdits } from "./savedEdits.ts";

export interface PersistedEdits {
  /** Undefined when nothing was saved. */
  read(): Promise<string | undefined>;
  /** All or nothing. */
  write(json: string): Promise<void>;
  /** Keeps what was saved under another name. */
  setAside(): Promise<void>;
}

export interface PersistenceDependencies {
  store: AppliedStore;
  saved: PersistedEdits;
  currentTextOf(path: string): Promise<string | undefined>;
  /** Hunks that could not be taken up again. */
  onDropped(dropped: LoadedEdits["dropped"]): void;
  onError(error: unknown): void;
  typingRestsMs: number;
}

/** Keeps the pending hunks where a reload of the window finds them. */
export class PendingEditsFile {
  readonly #dependencies: PersistenceDependencies;
  #writing: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #savedHunks = "";
  #resting: NodeJS.Timeout | undefined;

  constructor(dependencies: PersistenceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes up what an earlier window left, then saves every change. */
  async load(): Promise<{ dispose(): void }> {
    const { store, saved, currentTextOf, onDropped } = this.#dependencies;
    const json = await saved.read();
    if (json !== undefined) {
      const { files, dropped, isReadable } = await loadEdits(json, currentTextOf);
      if (!isReadable) await saved.setAside();
      // What an agent wrote while this was read is newer.
      for (const file of files) if (store.find(file.path) === undefined) store.put(file);
      if (dropped.length > 0) onDropped(dropped);
    }
    const changes = store.onDidChange(() => this.#changed());
    return {
      dispose: () => {
        clearTimeout(this.#resting);
        changes.dispose();
      },
    };
  }

  /** Resolves when everything so far is written. */
  flush(): Promise<void> {
    return this.#writing;
  }

  /** Typing alone is saved when it rests: a file that was typed into further is recognised when it is loaded. */
  #changed(): void {
    const { store, typingRestsMs } = this.#dependencies;
    const hunks = store.files.flatMap((file) => file.hunks.map(({ id }) => id)).join();
    clearTimeout(this.#resting);
    if (hunks === this.#savedHunks) this.#resting = setTimeout(() => this.#save(), typingRestsMs);
    else this.#save();
    this.#savedHunks = hunks;
  }

  /** Changes that come while a write is under way lead to a single further one. */
  #save(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#writing = this.#writing.then(async () => {
      this.#isWaiting = false;
      try {
        await this.#dependencies.saved.write(saveEdits(this.#dependencies.store.files));
      } catch (error) {
        this.#dependencies.onError(error);
      }
    });
  }
}
