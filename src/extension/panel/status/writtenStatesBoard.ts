import type { WrittenEdit, WrittenState } from "../../../protocol/hostEvents.ts";
import { movedHunks, writtenStates } from "../../changes/provenance/writtenEdits.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Chat } from "../../chat/chat.ts";

export interface WrittenStatesOptions {
  store: RegisteredReview["store"];
  history: Pick<RegisteredReview["history"], "all" | "onDidChange">;
  /** All that are open. */
  chats(): readonly Pick<Chat, "host" | "isReadOnly" | "emit">[];
  /** Runs it a moment later, when typing has paused. */
  later(run: () => void): { dispose(): void };
}

/**
 * Emits to each chat what becomes of the edits that its agents wrote: kept, undone, or superseded by later ones, and in
 * files that the user renamed.
 */
export class WrittenStatesBoard {
  readonly #options: WrittenStatesOptions;
  readonly #subscriptions: readonly { dispose(): void }[];
  #due: { dispose(): void } | undefined;

  constructor(options: WrittenStatesOptions) {
    this.#options = options;
    const { store, history } = options;
    this.#subscriptions = [
      store.onDidChange(() => this.#updateLater(), "files"),
      history.onDidChange(() => this.#updateLater()),
    ];
  }

  update(): void {
    const { store, history, chats } = this.#options;
    const writers = chats().filter(({ host, isReadOnly }) => !isReadOnly && host.writtenEdits.length > 0);
    if (writers.length === 0) return;
    const moved = movedHunks(history.all);
    const states = new Map(history.all.flatMap((file) => [...writtenStates(file, store, moved)]));
    const filesById = filesByHunk(history.all);
    for (const chat of writers) {
      const { writtenEdits, writtenStates: known } = chat.host;
      const changed = new Map<WrittenState, string[]>();
      for (const { id } of writtenEdits.flatMap(({ files }) => files.flatMap(({ hunks }) => hunks))) {
        const state = states.get(id);
        if (state === undefined || state === (known[id] ?? "kept")) continue;
        changed.set(state, [...(changed.get(state) ?? []), id]);
      }
      for (const [state, hunkIds] of changed) chat.emit({ type: "written_hunks_changed", hunkIds, state });
      for (const edit of writtenEdits) {
        const files = edit.files.map((file) => withPathNow(file, filesById));
        if (files.some((file, index) => file !== edit.files[index]))
          chat.emit({ type: "edit_written", ...edit, files });
      }
    }
  }

  dispose(): void {
    this.#due?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #updateLater(): void {
    this.#due?.dispose();
    this.#due = this.#options.later(() => this.update());
  }
}

type EditedFile = WrittenStatesOptions["history"]["all"][number];

function filesByHunk(all: readonly EditedFile[]): ReadonlyMap<string, ReadonlySet<EditedFile>> {
  const files = new Map<string, Set<EditedFile>>();
  for (const file of all) {
    for (const { id } of file.hunks) files.set(id, (files.get(id) ?? new Set()).add(file));
  }
  return files;
}

/** Where its hunks are, if that is no longer where they were written. What an agent moved is shown as a move. */
function withPathNow(
  file: WrittenEdit["files"][number],
  filesById: ReadonlyMap<string, ReadonlySet<EditedFile>>,
): WrittenEdit["files"][number] {
  const [only, ...others] = new Set(file.hunks.flatMap(({ id }) => [...(filesById.get(id) ?? [])]));
  if (only === undefined || others.length > 0 || only.path === file.path) return file;
  return only.hunks.some(({ kind }) => kind === "move") ? file : { ...file, path: only.path };
}
