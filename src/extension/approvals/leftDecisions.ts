/** A decision that waited for the user when the editor ended. */
export interface LeftDecision {
  readonly id: string;
  /** What each who waited for it asked for: asked for again, it is the same decision. */
  readonly keys: readonly string[];
}

/**
 * What was shown to the user when the editor ended, and is shown still. It can be answered before anybody asks for it
 * again; who then does gets that answer, or waits for it under the same id.
 */
export class LeftDecisions<Answer> {
  readonly #left = new Map<string, { keys: Set<string>; answer?: Answer }>();

  constructor(decisions: readonly LeftDecision[] = []) {
    for (const { id, keys } of decisions) this.#left.set(id, { keys: new Set(keys) });
  }

  /** False for one that is not left, or was answered: a second click answers nothing. */
  answer(id: string, answer: Answer): boolean {
    const left = this.#left.get(id);
    if (left === undefined || left.answer !== undefined) return false;
    left.answer = answer;
    return true;
  }

  /** The decision that is asked for again. Each who waited for it gets it once. */
  claim(key: string): { id: string; answer?: Answer } | undefined {
    for (const [id, { keys, answer }] of this.#left) {
      if (!keys.delete(key)) continue;
      if (keys.size === 0) this.#left.delete(id);
      return { id, ...(answer !== undefined && { answer }) };
    }
    return undefined;
  }

  /** They will not be asked for again. Gives the ids of those that have no answer. */
  withdraw(): string[] {
    const open = [...this.#left].flatMap(([id, { answer }]) => (answer === undefined ? [id] : []));
    this.#left.clear();
    return open;
  }
}
