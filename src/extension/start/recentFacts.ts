import type { WorkspaceFacts } from "./offers.ts";

/** What takes a search. */
export type SearchedFacts = Pick<WorkspaceFacts, "todo" | "testCommand" | "hasReadme">;

export interface FactsOptions {
  search(signal: AbortSignal): Promise<SearchedFacts>;
  /** Whether anybody would see what is offered. */
  isWanted(): boolean;
  onChange(): void;
  reportFailure(error: unknown): void;
  now(): number;
}

const maxAgeMs = 30_000;

/** What was found last. */
export class RecentFacts {
  readonly #options: FactsOptions;
  readonly #lifetime = new AbortController();
  #found: SearchedFacts = { hasReadme: true };
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FactsOptions) {
    this.#options = options;
  }

  /** Also searches again, in the background, when it is old. */
  read(): SearchedFacts {
    const { now, isWanted, reportFailure } = this.#options;
    if (isWanted() && now() - this.#searchedAt >= maxAgeMs) {
      this.#searchedAt = now();
      this.#search().catch(reportFailure);
    }
    return this.#found;
  }

  dispose(): void {
    this.#lifetime.abort();
  }

  async #search(): Promise<void> {
    const found = await this.#options.search(this.#lifetime.signal);
    if (this.#lifetime.signal.aborted || JSON.stringify(found) === JSON.stringify(this.#found)) return;
    this.#found = found;
    this.#options.onChange();
  }
}
