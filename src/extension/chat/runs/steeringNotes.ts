import type { HostState } from "../../../protocol/hostState.ts";
import { steeredNote } from "../../prompts/steeredNote.ts";

/**
 * What an agent has to know of the user's messages to the agents it started: their reports may follow these rather than
 * its own task. Each is given once, with the agent's next tool result, which is the report or comes with it.
 */
export class SteeringNotes {
  readonly #host: () => Pick<HostState, "steered">;
  readonly #given: Set<string>;

  constructor(host: () => Pick<HostState, "steered">) {
    this.#host = host;
    // Of an earlier run of the editor.
    this.#given = new Set(host().steered.map(({ messageId }) => messageId));
  }

  /** Undefined when there is nothing new. */
  take(parentId: string): string | undefined {
    const due = this.#host().steered.filter((each) => each.parentId === parentId && !this.#given.has(each.messageId));
    for (const { messageId } of due) this.#given.add(messageId);
    return due.length === 0 ? undefined : steeredNote(due);
  }
}
