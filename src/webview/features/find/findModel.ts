import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ChatModel } from "../../model/chatModel.ts";
import type { PanelTiming } from "../../timing.ts";

interface FindRequest {
  /** The field has been focused for it, and is not when it is drawn again. */
  isAnswered: boolean;
}

/** Find in the conversation. */
export interface FindModel {
  /** Undefined while it is closed; a new object each time it is opened, also while it is open. */
  readonly request: ReadonlySignal<FindRequest | undefined>;
  /** It stays while another agent or the history is shown, and until another chat is. */
  readonly query: Signal<string>;
  readonly timing: PanelTiming;
  open(): void;
  close(): void;
  /** Another chat is shown. */
  reset(): void;
  announce(text: string): void;
}

export function createFind({ timing, announcer }: Pick<ChatModel, "timing" | "announcer">): FindModel {
  const request = signal<FindRequest | undefined>(undefined);
  const query = signal("");
  return {
    request,
    query,
    timing,
    open() {
      request.value = { isAnswered: false };
    },
    close() {
      request.value = undefined;
    },
    reset() {
      request.value = undefined;
      query.value = "";
    },
    announce: (text) => announcer.announce([text]),
  };
}
