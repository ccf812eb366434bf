import type { WrittenState } from "../../../protocol/hostEvents.ts";
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

/** Emits to each chat what becomes of the edits that its agents wrote: kept, undone, or superseded by later ones. */
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
    for (const chat of writers) {
      const { writtenEdits, writtenStates: known } = chat.host;
      const changed = new Map<WrittenState, string[]>();
      for (const { id } of writtenEdits.flatMap(({ files }) => files.flatMap(({ hunks }) => hunks))) {
        const state = states.get(id);
        if (state === undefined || state === (known[id] ?? "kept")) continue;
        changed.set(state, [...(changed.get(state) ?? []), id]);
      }
      for (const [state, hunkIds] of changed) chat.emit({ type: "written_hunks_changed", hunkIds, state });
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
