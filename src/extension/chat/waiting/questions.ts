import type { HostEvent, Question } from "../../../protocol/hostEvents.ts";

/** What agents ask the user. Each waits until it is answered or its agent is stopped. */
export class Questions {
  readonly #emit: (event: HostEvent) => void;
  readonly #newId: () => string;
  readonly #waiting = new Map<string, (answer: string) => void>();

  constructor(emit: (event: HostEvent) => void, newId: () => string) {
    this.#emit = emit;
    this.#newId = newId;
  }

  /** Resolves with the user's words. Rejects with the signal's reason, and the question is withdrawn. */
  async ask(asked: Omit<Question, "id">, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const id = this.#newId();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const withdraw = () => {
      if (this.#close(id)) reject(signal.reason);
    };
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", withdraw, { once: true });
    this.#emit({ type: "question_asked", question: { ...asked, id } });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
    }
  }

  /** False when the question does not wait any more: a second click answers nothing. */
  answer(questionId: string, text: string): boolean {
    const resolve = this.#waiting.get(questionId);
    if (resolve === undefined) return false;
    const answer = text.trim();
    this.#close(questionId, answer);
    resolve(answer);
    return true;
  }

  #close(questionId: string, answer?: string): boolean {
    if (!this.#waiting.delete(questionId)) return false;
    this.#emit({ type: "question_answered", questionId, ...(answer === undefined ? {} : { answer }) });
    return true;
  }
}
