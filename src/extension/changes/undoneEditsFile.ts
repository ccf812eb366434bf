import * as z from "zod";
import { SerialQueue } from "../common/serialQueue.ts";
import type { ChangeStore } from "./changeStore.ts";
import { storedWritten, writtenFileSchema } from "./model/schema.ts";
import { liveText } from "./model/trackedLines.ts";
import type { LeftEdits, PersistedEdits } from "./persistedEdits.ts";
import type { UndoneFile } from "./undoWritten.ts";

interface UndoneDependencies {
  store: ChangeStore;
  saved: PersistedEdits;
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
const schema = z.object({ version: z.literal(1), undone: z.array(z.array(undoneFile)) });

type Undos = ChangeStore["undone"];

/** Keeps what was undone where a reload of the window finds it, so that it can be redone. */
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
    const { store, saved } = this.#dependencies;
    await this.#take(saved);
    this.#isLoaded = true;
    return store.onDidChange(() => this.#changed(), "undone");
  }

  /**
   * Loads what a window left that is closed, unless something was undone here. It is saved here before it is removed
   * there. To be called in turn.
   */
  async adopt(left: LeftEdits): Promise<void> {
    const { store, saved } = this.#dependencies;
    // What could not be read here must not be written over.
    if (!this.#isLoaded || store.undone.length > 0 || !(await this.#take(left))) return;
    await this.#writes.run(() => saved.write(formatUndone(store.undone)));
    await left.remove();
  }

  /** Resolves when everything so far is written. */
  flush(): Promise<void> {
    return this.#writes.settled();
  }

  async #take(from: PersistedEdits): Promise<boolean> {
    const { store } = this.#dependencies;
    const json = await from.read();
    if (json === undefined) return false;
    const undone = parseUndone(json);
    if (undone === undefined) {
      await from.setAside();
      return false;
    }
    // What was undone while this was read is later.
    store.setUndone([...undone, ...store.undone]);
    return true;
  }

  /** Changes that come while a write is under way lead to a single further one. */
  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const { saved, store, onError } = this.#dependencies;
    void this.#writes.run(async () => {
      this.#isDue = false;
      await saved.write(formatUndone(store.undone)).catch(onError);
    });
  }
}

function formatUndone(undone: Undos): string {
  const undos: string[] = [];
  let room = maxCharacters;
  for (const files of undone.toReversed()) {
    const json = JSON.stringify(files.map(stored));
    room -= json.length;
    if (room < 0) break;
    undos.unshift(json);
  }
  return `{"version":1,"undone":[${undos.join()}]}`;
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
    return schema.parse(JSON.parse(json)).undone.map((files) =>
      files.map(({ before, textBefore, undone, ...after }): UndoneFile => {
        const text = textBefore === true ? liveText(before) : textBefore;
        const hunks = undone.flatMap((id) => before.hunks.find((hunk) => hunk.id === id) ?? []);
        return { ...after, before, undone: hunks, ...(text !== undefined && { textBefore: text }) };
      }),
    );
  } catch {
    return undefined;
  }
}
