import { growMessage } from "./growth.ts";
import type { AssistantMessage } from "./messages.ts";
import type { MessageDelta } from "./model.ts";

type TextDelta = Extract<MessageDelta, { type: "text_delta" | "thinking_delta" | "toolcall_delta" }>;

/** A string that grows by concatenation keeps its pieces in memory, which weigh several times what they say. */
const mostPieces = 1_000;

/** An assistant message while it arrives. A run of deltas of one part is only joined when somebody looks. */
export class StreamedMessage {
  #message: AssistantMessage;
  #pending: { type: TextDelta["type"]; index: number; pieces: string[] } | undefined;

  constructor(message: AssistantMessage) {
    this.#message = message;
  }

  get id(): string {
    return this.#message.id;
  }

  grow(delta: MessageDelta): void {
    if (delta.type !== "text_delta" && delta.type !== "thinking_delta" && delta.type !== "toolcall_delta") {
      this.#join();
      this.#message = growMessage(this.#message, delta);
      return;
    }
    const pending = this.#pending;
    if (pending !== undefined && pending.index === delta.index && pending.type === delta.type) {
      pending.pieces.push(delta.delta);
      if (pending.pieces.length === mostPieces) this.#join();
      return;
    }
    this.#join();
    this.#pending = { type: delta.type, index: delta.index, pieces: [delta.delta] };
  }

  /** What has arrived so far. The arguments of a call that is not complete are its raw text. */
  get message(): AssistantMessage {
    this.#join();
    return this.#message;
  }

  #join(): void {
    if (this.#pending === undefined) return;
    const { type, index, pieces } = this.#pending;
    this.#message = growMessage(this.#message, { type, index, delta: pieces.join("") });
    this.#pending = undefined;
  }
}
