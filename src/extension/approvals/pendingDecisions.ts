import { onAbort } from "../common/abort.ts";

/** A decision that is shown to the user, with all who wait for it. */
export interface QueuedDecision<Request> {
  readonly id: string;
  /** The same in the same scope is decided once: requests with one key wait together. */
  readonly scope: string;
  readonly key: string;
  /** Of those who wait, in the order in which they came. */
  requests: readonly Request[];
}

export interface DecisionDisplay<Request, Answer> {
  newId(): string;
  /** Called when it begins to wait, and again when others wait for it than before. */
  show(decision: QueuedDecision<Request>, isNew: boolean): void;
  /** Called before those who wait get the answer; without one when all of them were aborted. */
  close(decision: QueuedDecision<Request>, answer?: Answer): void;
}

interface Waiting<Request, Answer> {
  decision: QueuedDecision<Request>;
  waiters: { request: Request; resolve(answer: Answer): void }[];
}

interface WaitOptions {
  scope?: string;
  /** Without one no other request waits with it. */
  key?: string;
  /** Of a decision that no other request waits for yet. Default: a new one. */
  id?: string;
}

/** What waits for the user, of one kind: permissions, edits, questions or budgets. Oldest first. */
export class PendingDecisions<Request, Answer> {
  readonly #display: DecisionDisplay<Request, Answer>;
  readonly #open = new Map<string, Waiting<Request, Answer>>();

  constructor(display: DecisionDisplay<Request, Answer>) {
    this.#display = display;
  }

  get all(): readonly QueuedDecision<Request>[] {
    return [...this.#open.values()].map(({ decision }) => decision);
  }

  find(id: string): QueuedDecision<Request> | undefined {
    return this.#open.get(id)?.decision;
  }

  /** The one that a request with this key would wait for. */
  findSame(scope: string, key: string): QueuedDecision<Request> | undefined {
    return this.all.find((decision) => decision.key === key && decision.scope === scope);
  }

  /** Resolves with the answer, and rejects with the signal's reason. */
  async wait(request: Request, signal: AbortSignal, { scope = "", key, id }: WaitOptions = {}) {
    signal.throwIfAborted();
    const same = key === undefined ? undefined : this.#open.get(this.findSame(scope, key)?.id ?? "");
    const waiting = same ?? {
      decision: { id: id ?? this.#display.newId(), scope, key: key ?? "", requests: [] },
      waiters: [],
    };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiter = { request, resolve };
    this.#setWaiters(waiting, [...waiting.waiters, waiter]);
    this.#open.set(waiting.decision.id, waiting);
    this.#display.show(waiting.decision, same === undefined);
    const listening = onAbort(signal, () => {
      reject(signal.reason);
      this.#leave(waiting, waiter);
    });
    try {
      return await promise;
    } finally {
      listening.dispose();
    }
  }

  /** False when it does not wait any more: a second click answers nothing. */
  answer(id: string, answer: Answer): boolean {
    const waiting = this.#open.get(id);
    if (waiting === undefined) return false;
    this.#open.delete(id);
    this.#display.close(waiting.decision, answer);
    for (const { resolve } of waiting.waiters) resolve(answer);
    return true;
  }

  #leave(waiting: Waiting<Request, Answer>, waiter: Waiting<Request, Answer>["waiters"][number]): void {
    const { id } = waiting.decision;
    if (this.#open.get(id) !== waiting) return;
    const left = waiting.waiters.filter((other) => other !== waiter);
    if (left.length > 0) {
      this.#setWaiters(waiting, left);
      this.#display.show(waiting.decision, false);
      return;
    }
    this.#open.delete(id);
    this.#display.close(waiting.decision);
  }

  #setWaiters(waiting: Waiting<Request, Answer>, waiters: Waiting<Request, Answer>["waiters"]): void {
    waiting.waiters = waiters;
    waiting.decision.requests = waiters.map(({ request }) => request);
  }
}
