import * as z from "zod";
import { SerialQueue } from "../common/serialQueue.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { WrittenHunk } from "./model/change.ts";
import { isNearer } from "./model/nearer.ts";
import { storedWritten, writtenFileSchema } from "./model/schema.ts";
import { liveText } from "./model/trackedLines.ts";
import { typeInto } from "./model/typeInto.ts";
import { keepHunks, unanswerable } from "./model/undoHunks.ts";
import type { LeftEdits, PersistedEdits } from "./persistedEdits.ts";
import type { ReviewedWorkspace } from "./reviewedWorkspace.ts";
import type { UndoneFile } from "./undoWritten.ts";

interface UndoneDependencies {
  store: ChangeStore;
  saved: PersistedEdits;
  workspace: Pick<ReviewedWorkspace, "move">;
  currentTextOf(path: string): Promise<string | undefined>;
  /** Resolves when what waits for Keep or Undo is saved. */
  onceSaved(): Promise<void>;
  onError(error: unknown): void;
}

/** The oldest undos are left out of what is saved until it is no longer than this. */
const maxCharacters = 8 * 1_024 * 1_024;

const undoneFile = z.object({
  before: writtenFileSchema,
  /** There was a file, with the lines of `before` unless another text is given. */
  textBefore: z.union([z.literal(true), z.string()]).exactOptional(),
  pathAfter: z.string(),
  textAfter: z.string().exactOptional(),
  undone: z.array(z.string()),
});
const schema = z.object({
  version: z.literal(1),
  undone: z.array(z.array(undoneFile)),
  underWay: z.array(undoneFile).exactOptional(),
});

type Undos = Pick<ChangeStore, "undone" | "underWay">;

/**
 * Keeps what was undone where a reload of the window finds it, so that it can be redone. Files of an undo, or of a redo,
 * are saved before they are written: where the window ends in the middle, those that hold what was to be written by an
 * undo can be redone, and in the others the edits wait for Keep or Undo.
 */
export class UndoneEditsFile {
  readonly #dependencies: UndoneDependencies;
  readonly #writes = new SerialQueue();
  #isDue = false;
  #isLoaded = false;

  constructor(dependencies: UndoneDependencies) {
    this.#dependencies = dependencies;
  }

  /** Loads what an earlier window left, then saves every change. To be called in turn. */
  async load(): Promise<{ dispose(): void }> {
    const { store, saved, onceSaved, onError } = this.#dependencies;
    const wasCutOff = (await this.#take(saved))?.underWay.length ?? 0;
    if (wasCutOff > 0) {
      await onceSaved();
      // On a full disk it is saved with the next change.
      await saved.write(formatUndone(store)).catch(onError);
    }
    this.#isLoaded = true;
    return store.onDidChange(() => this.#changed(), "undone");
  }

  /**
   * Loads what a window left that is closed, unless something was undone here. It is saved here before it is removed
   * there. To be called in turn.
   */
  async adopt(left: LeftEdits): Promise<void> {
    const { store, saved, onceSaved } = this.#dependencies;
    // What could not be read here must not be written over.
    if (!this.#isLoaded || store.undone.length > 0 || (await this.#take(left)) === undefined) return;
    await onceSaved();
    await this.#writes.run(() => saved.write(formatUndone(store)));
    await left.remove();
  }

  /** Of edits that files do not hold any more: those that can't be redone, here or with what a closed window left. */
  async lostOf<Edit extends { hunk: WrittenHunk }>(dropped: readonly Edit[], left?: PersistedEdits): Promise<Edit[]> {
    const json = await left?.read();
    const { undone, underWay } = (json === undefined ? undefined : parseUndone(json)) ?? { undone: [], underWay: [] };
    const files = [...this.#dependencies.store.undone.flat(), ...undone.flat(), ...underWay];
    const ids = new Set(files.flatMap((file) => file.undone.map(({ id }) => id)));
    return dropped.filter(({ hunk }) => !ids.has(hunk.id));
  }

  /** Resolves when everything so far is written. */
  flush(): Promise<void> {
    return this.#writes.settled();
  }

  async #take(from: PersistedEdits): Promise<Undos | undefined> {
    const { store } = this.#dependencies;
    const json = await from.read();
    if (json === undefined) return undefined;
    const undone = parseUndone(json);
    if (undone === undefined) {
      await from.setAside();
      return undefined;
    }
    const isUndone = new Set<UndoneFile>();
    for (const file of undone.underWay) {
      if (await this.#isUndone(file)) isUndone.add(file);
      else await this.#offer(file);
    }
    const cutOff = undone.underWay.filter((file) => isUndone.has(file));
    for (const { before, undone: hunks } of cutOff) {
      const known = store.find(before.path);
      if (known !== undefined) store.put(keepHunks(known, ({ id }) => hunks.some((hunk) => hunk.id === id)));
    }
    // What was undone while this was read is later.
    store.setUndone([...undone.undone, ...(cutOff.length > 0 ? [cutOff] : []), ...store.undone]);
    return undone;
  }

  /** Whether the file holds what an undo was to leave. A move that the end of the window left out is made up for. */
  async #isUndone({ before, textBefore, pathAfter, textAfter }: UndoneFile): Promise<boolean> {
    const { currentTextOf, workspace, onError } = this.#dependencies;
    const now = await currentTextOf(before.path);
    if (pathAfter === before.path) {
      if (now === undefined || textBefore === undefined || textAfter === undefined)
        return (now === undefined) === (textAfter === undefined);
      return isNearer(now, textBefore, textAfter);
    }
    if (now === undefined) return true;
    const isMoveLeft = textBefore !== textAfter && now === textAfter && (await currentTextOf(pathAfter)) === undefined;
    try {
      if (isMoveLeft) await workspace.move(before.path, pathAfter);
    } catch (error) {
      onError(error);
      return false;
    }
    return isMoveLeft;
  }

  /** What a file holds that was to be undone, or was redone already, waits again. */
  async #offer({ before, undone }: UndoneFile): Promise<void> {
    const { store, currentTextOf } = this.#dependencies;
    const known = store.find(before.path);
    const isKnown = ({ id }: WrittenHunk) => known?.hunks.some((hunk) => hunk.id === id) === true;
    // What others wrote since is built on what the file holds.
    const isBuiltOn = known?.hunks.some(({ id }) => before.hunks.every((hunk) => hunk.id !== id));
    if (undone.every(isKnown) || isBuiltOn === true) return;
    const text = (await currentTextOf(before.path)) ?? "";
    const now = liveText(before) === text ? before : typeInto(before, text);
    const isMeant = (hunk: WrittenHunk) => isKnown(hunk) || undone.some(({ id }) => id === hunk.id);
    const lost = unanswerable(now);
    store.put(keepHunks(now, (hunk) => !isMeant(hunk) || lost.includes(hunk)));
  }

  /** Changes that come while a write is under way lead to a single further one. */
  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const { saved, store, onError } = this.#dependencies;
    void this.#writes.run(async () => {
      this.#isDue = false;
      await saved.write(formatUndone(store)).catch(onError);
    });
  }
}

function formatUndone({ undone, underWay }: Undos): string {
  const undos: string[] = [];
  let room = maxCharacters;
  for (const files of undone.toReversed()) {
    const json = JSON.stringify(files.map(stored));
    room -= json.length;
    if (room < 0) break;
    undos.unshift(json);
  }
  const now = underWay.length === 0 ? "" : `,"underWay":${JSON.stringify(underWay.map(stored))}`;
  return `{"version":1,"undone":[${undos.join()}]${now}}`;
}

function stored({ before, textBefore, undone, ...after }: UndoneFile): unknown {
  return {
    ...after,
    before: storedWritten(before),
    ...(textBefore !== undefined && { textBefore: textBefore === liveText(before) ? true : textBefore }),
    undone: undone.map(({ id }) => id),
  };
}

/** Undefined for what another version wrote, or what is damaged. */
function parseUndone(json: string): Undos | undefined {
  try {
    const { undone, underWay = [] } = schema.parse(JSON.parse(json));
    return { undone: undone.map((files) => files.map(fromStored)), underWay: underWay.map(fromStored) };
  } catch {
    return undefined;
  }
}

function fromStored({ before, textBefore, undone, ...after }: z.infer<typeof undoneFile>): UndoneFile {
  const text = textBefore === true ? liveText(before) : textBefore;
  const hunks = undone.flatMap((id) => before.hunks.find((hunk) => hunk.id === id) ?? []);
  return { ...after, before, undone: hunks, ...(text !== undefined && { textBefore: text }) };
}
