import type { PanelStatus } from "../../../protocol/messages.ts";
import { coalescedRuns } from "../../common/coalescedRuns.ts";

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
  readonly refresh = coalescedRuns(() => this.#refresh());

  constructor(initial: PanelStatus, read: ReadStatus, onChange: (status: PanelStatus) => void) {
    this.#current = initial;
    this.#read = read;
    this.#onChange = onChange;
  }

  get current(): PanelStatus {
    return this.#current;
  }

  async #refresh(): Promise<void> {
    const next = await this.#read();
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return;
    this.#current = next;
    this.#onChange(next);
  }
}
