import disk from "node:fs/promises";
import { join } from "node:path";
import { type DiskCalls, setAside, writeWhole } from "../common/atomicFile.ts";
import { isFileSystemError } from "../common/files.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { TrackedFile, WrittenHunk } from "./model/change.ts";
import { formatEdits, parseEdits } from "./model/schema.ts";
import { liveText } from "./model/trackedLines.ts";
import { typeInto } from "./model/typeInto.ts";
import { keepHunks, unanswerable } from "./model/undoHunks.ts";

export interface PersistedEdits {
  /** Undefined when nothing was saved. */
  read(): Promise<string | undefined>;
  /** All or nothing. */
  write(json: string): Promise<void>;
  /** Keeps what was saved under another name. */
  setAside(): Promise<void>;
}

/** What a window left that is gone. */
export interface LeftEdits extends PersistedEdits {
  remove(): Promise<void>;
}

interface PersistenceDependencies {
  store: ChangeStore;
  saved: PersistedEdits;
  currentTextOf(path: string): Promise<string | undefined>;
  /** Hunks that could not be loaded again. */
  onDropped(dropped: LoadedEdits["dropped"]): void;
  onError(error: unknown): void;
  typingRestsMs: number;
}

/** Keeps the pending hunks where a reload of the window finds them. */
export class PendingEditsFile {
  readonly #dependencies: PersistenceDependencies;
  readonly #writes = new SerialQueue();
  #isWaiting = false;
  #savedHunks = "";
  #resting: NodeJS.Timeout | undefined;
  /** Hunks that were loaded in this window: what became of them since is for this window to say. */
  readonly #taken = new Set<string>();
  #isLoaded = false;

  constructor(dependencies: PersistenceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Loads what an earlier window left, then saves every change. */
  async load(): Promise<{ dispose(): void }> {
    const { store, saved, currentTextOf, onDropped } = this.#dependencies;
    const json = await saved.read();
    if (json !== undefined) {
      const { files, dropped, isReadable } = await loadEdits(json, currentTextOf);
      if (!isReadable) await saved.setAside();
      // What an agent wrote while this was read is newer.
      for (const file of files) if (store.find(file.path) === undefined) store.put(file);
      this.#noteTaken();
      if (dropped.length > 0) onDropped(dropped);
    }
    this.#isLoaded = true;
    const changes = store.onDidChange(() => this.#changed(), "files");
    return {
      dispose: () => {
        clearTimeout(this.#resting);
        changes.dispose();
      },
    };
  }

  /**
   * Loads what a window left that is closed, but for files in which something waits here: those stay there until nothing
   * does. It is saved here before it is removed there; what is in both places because a step between failed, or the
   * window ended, is loaded once. Gives what could not be loaded again.
   */
  async adopt(left: LeftEdits): Promise<LoadedEdits["dropped"]> {
    const { store, saved, currentTextOf } = this.#dependencies;
    // What could not be read here must not be written over.
    if (!this.#isLoaded) return [];
    const json = await left.read();
    if (json === undefined) return [];
    const isFree = (path: string) => store.find(path) === undefined;
    const { files, others, dropped, isReadable } = await loadEdits(json, currentTextOf, isFree);
    if (!isReadable) {
      await left.setAside();
      return [];
    }
    const isTaken = ({ id }: WrittenHunk) => this.#taken.has(id);
    const rest = others.filter((file) => !file.hunks.every(isTaken));
    if (files.length === 0 && rest.length === others.length && others.length > 0) return [];
    for (const file of files) store.put(keepHunks(file, isTaken));
    const lost = dropped.filter(({ hunk }) => !isTaken(hunk));
    this.#noteTaken();
    await this.#writes.run(() => saved.write(formatEdits(store.files)));
    if (rest.length > 0) await left.write(formatEdits(rest));
    else await left.remove();
    return lost;
  }

  #noteTaken(): void {
    for (const { hunks } of this.#dependencies.store.files) for (const { id } of hunks) this.#taken.add(id);
  }

  /** Resolves when everything so far is written. */
  flush(): Promise<void> {
    return this.#writes.settled();
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
    void this.#writes.run(async () => {
      this.#isWaiting = false;
      try {
        await this.#dependencies.saved.write(formatEdits(this.#dependencies.store.files));
      } catch (error) {
        this.#dependencies.onError(error);
      }
    });
  }
}

/** Hunks, the pending ones by default, as a file in a folder of the extension's own. */
export function editsOnDisk(folder: string, calls: DiskCalls = disk, name = "pending-edits.json"): LeftEdits {
  const file = join(folder, name);
  return {
    read: async () => {
      try {
        return await calls.readFile(file, "utf8");
      } catch (error) {
        if (isFileSystemError(error) && error.code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: async (json) => {
      await calls.mkdir(folder, { recursive: true });
      await writeWhole(file, json, calls);
    },
    setAside: () => setAside(file, calls),
    remove: () => calls.rm(file, { force: true }),
  };
}

export interface LoadedEdits {
  files: TrackedFile[];
  /** Files that were not wanted, as they were saved. */
  others: TrackedFile[];
  /** Hunks whose lines are not in their files any more. */
  dropped: { path: string; hunk: WrittenHunk }[];
  /** False for what another version wrote, or what is damaged: the files themselves hold all that was written. */
  isReadable: boolean;
}

/** Loads what was saved, as far as the files still hold it. `currentTextOf` gives undefined for no file. */
export async function loadEdits(
  json: string,
  currentTextOf: (path: string) => Promise<string | undefined>,
  isWanted: (path: string) => boolean = () => true,
): Promise<LoadedEdits> {
  const parsed = parseEdits(json);
  const loaded: LoadedEdits = { files: [], others: [], dropped: [], isReadable: parsed !== undefined };
  for (const known of parsed ?? []) {
    if (!isWanted(known.path)) {
      loaded.others.push(known);
      continue;
    }
    const text = (await currentTextOf(known.path)) ?? "";
    const now = liveText(known) === text ? known : typeInto(known, text);
    const lost = now === known ? [] : unanswerable(now);
    loaded.dropped.push(...lost.map((hunk) => ({ path: known.path, hunk })));
    loaded.files.push(keepHunks(now, (hunk) => lost.includes(hunk)));
  }
  return loaded;
}
