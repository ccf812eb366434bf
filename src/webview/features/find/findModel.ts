import { type ReadonlySignal, signal } from "@preact/signals";
import type { ChatModel } from "../../model/chatModel.ts";
import type { Timing } from "../../timing.ts";

/** Find in the conversation. */
export interface FindModel {
  /** Undefined while it is closed; a new object each time it is opened, also while it is open. */
  readonly request: ReadonlySignal<object | undefined>;
  readonly timing: Timing;
  open(): void;
  close(): void;
  announce(text: string): void;
}

export function createFind({ timing, announcer }: Pick<ChatModel, "timing" | "announcer">): FindModel {
  const request = signal<object | undefined>(undefined);
  return {
    request,
    timing,
    open() {
      request.value = {};
    },
    close() {
      request.value = undefined;
    },
    announce: (text) => announcer.announce([text]),
  };
}
