import type { PanelStatus } from "../../../protocol/messages.ts";

/** Reads the status that the panel shows beside a chat. */
export type ReadStatus = () => Promise<PanelStatus>;

/**
 * The panel's status as last read. Many things change it (settings, keys, the active editor, problems), often at once,
 * so that a refresh asked for while one is under way leads to a single further one.
 */
export class PanelStatusBoard {
  readonly #read: ReadStatus;
  readonly #onChange: (status: PanelStatus) => void;
  #current: PanelStatus;
  #refreshing: Promise<void> | undefined;
  #isStale = false;

  constructor(initial: PanelStatus, read: ReadStatus, onChange: (status: PanelStatus) => void) {
    this.#current = initial;
    this.#read = read;
    this.#onChange = onChange;
  }

  get current(): PanelStatus {
    return this.#current;
  }

  refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refreshUntilFresh().finally(() => {
      this.#refreshing = undefined;
      // Asked for after the last look whether it was, or while a read failed.
      return this.#isStale ? this.refresh() : undefined;
    });
    return this.#refreshing;
  }

  async #refreshUntilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const next = await this.#read();
      if (JSON.stringify(next) === JSON.stringify(this.#current)) continue;
      this.#current = next;
      this.#onChange(next);
    }
  }
}
