import { growMessage } from "../vocabulary/growth.ts";
import type { AssistantMessage } from "../vocabulary/messages.ts";
import type { MessageDelta } from "../vocabulary/model.ts";

type TextDelta = Extract<MessageDelta, { delta: string }>;

/** Deltas weigh several times what they say, so that not all of a long message are kept. */
const mostWaiting = 1_000;

/** An assistant message while it arrives. Its deltas only wait, and are put together when somebody looks. */
export class StreamedMessage {
  readonly id: string;
  #message: AssistantMessage;
  #waiting: MessageDelta[] = [];

  constructor(message: AssistantMessage) {
    this.id = message.id;
    this.#message = message;
  }

  grow(delta: MessageDelta): void {
    this.#waiting.push(delta);
    if (this.#waiting.length >= mostWaiting) this.#join();
  }

  /** What has arrived so far. The arguments of a call that is not complete are its raw text. */
  get message(): AssistantMessage {
    this.#join();
    return this.#message;
  }

  #join(): void {
    const deltas = this.#waiting;
    this.#waiting = [];
    for (const delta of withoutRuns(deltas)) this.#message = growMessage(this.#message, delta);
  }
}

/** Neighbouring texts of one part as one delta: growing by each would copy the message for each. */
function* withoutRuns(deltas: readonly MessageDelta[]): Generator<MessageDelta, void, undefined> {
  let run: { first: TextDelta; pieces: string[] } | undefined;
  for (const delta of deltas) {
    if (run !== undefined && isText(delta) && delta.type === run.first.type && delta.index === run.first.index) {
      run.pieces.push(delta.delta);
      continue;
    }
    if (run !== undefined) yield { ...run.first, delta: run.pieces.join("") };
    run = isText(delta) ? { first: delta, pieces: [delta.delta] } : undefined;
    if (run === undefined) yield delta;
  }
  if (run !== undefined) yield { ...run.first, delta: run.pieces.join("") };
}

function isText(delta: MessageDelta): delta is TextDelta {
  return delta.type === "text_delta" || delta.type === "thinking_delta" || delta.type === "toolcall_delta";
}
