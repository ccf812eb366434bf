import type { FoundFiles } from "../workspace.ts";
import { compareText } from "./ignoreRules.ts";

interface DatedPath {
  path: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

/**
 * The newest of many files, newest first; of equal age in order of path. Only as many as are wanted are kept, in order:
 * of thousands of files a hundred are wanted, and to sort all of them takes longer than to find them.
 */
export class NewestFiles {
  readonly #limit: number;
  readonly #kept: DatedPath[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(path: string, modifiedAt: number): void {
    this.#count++;
    const last = this.#kept.length < this.#limit ? undefined : this.#kept.at(-1);
    if (last !== undefined && modifiedAt < last.modifiedAt) return;
    const file = { path, modifiedAt };
    this.#kept.splice(placeOf(this.#kept, file), 0, file);
    if (this.#kept.length > this.#limit) this.#kept.pop();
  }

  found(): FoundFiles {
    return { paths: this.#kept.map(({ path }) => path), truncated: this.#count > this.#limit };
  }
}

function placeOf(kept: readonly DatedPath[], file: DatedPath): number {
  let [low, high] = [0, kept.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = kept[middle];
    if (other !== undefined && compare(other, file) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(one: DatedPath, other: DatedPath): number {
  return other.modifiedAt - one.modifiedAt || compareText(one.path, other.path);
}
