import { statSync } from "node:fs";

/** How a moment passes before ages are looked up again. */
export type WhenQuiet = (step: () => void) => { dispose(): void };

const quietMs = 250;
const filesAtOnce = 200;
const maxKnown = 500_000;

/**
 * When the files of one folder were last changed. To ask the file system costs as much as to find a file, so an age
 * stays known until the editor reports a change. Where the editor watches nothing, an age that was used is looked up
 * again as soon as no search asks for more: it is wrong once at most.
 */
export class FileAges {
  readonly #folder: string;
  readonly #whenQuiet: WhenQuiet;
  readonly #known = new Map<string, number>();
  /** Answered from what was known, since the last review began. */
  #used: (readonly string[])[] = [];
  /** Not yet looked at by a review. */
  readonly #doubtful = new Set<string>();
  /** Those still to come: to begin at the start each time would pass all that were removed. */
  #rest: SetIterator<string> | undefined;
  #review: { dispose(): void } | undefined;

  constructor(folder: string, whenQuiet: WhenQuiet = afterAMoment) {
    this.#folder = folder;
    this.#whenQuiet = whenQuiet;
  }

  /**
   * Milliseconds since 1970, for paths relative to the folder; 0 where there is no file to be looked at. Files are asked
   * one by one, without waiting: a round through the thread pool costs several times what the file system takes.
   */
  modifiedAt(paths: readonly string[]): number[] {
    let isKnown = false;
    const ages = paths.map((path) => {
      const known = this.#known.get(path);
      if (known === undefined) return this.#look(path);
      isKnown = true;
      return known;
    });
    if (isKnown) this.#used.push(paths);
    this.#reviewWhenQuiet();
    return ages;
  }

  /** The file changed. */
  forget(path: string): void {
    this.#known.delete(path);
  }

  dispose(): void {
    this.#review?.dispose();
    this.#known.clear();
    this.#used = [];
    this.#doubtful.clear();
    this.#rest = undefined;
  }

  #look(path: string): number {
    const age = modifiedAt(`${this.#folder}/${path}`);
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(path, age);
    return age;
  }

  #reviewWhenQuiet(): void {
    this.#review?.dispose();
    this.#review = this.isReviewed ? undefined : this.#whenQuiet(() => this.#reviewSome());
  }

  /** Nothing that was used is to be looked up again. */
  get isReviewed(): boolean {
    return this.#used.length === 0 && this.#doubtful.size === 0;
  }

  /** Bit by bit: to gather half a million paths at once would hold up the process as well. */
  #reviewSome(): void {
    for (const path of this.#used.pop() ?? []) this.#doubtful.add(path);
    this.#rest ??= this.#doubtful.values();
    for (let left = filesAtOnce; left > 0; left--) {
      const { value: path, done } = this.#rest.next();
      if (done === true) {
        this.#rest = undefined;
        break;
      }
      this.#doubtful.delete(path);
      this.#look(path);
    }
    this.#review = this.isReviewed ? undefined : atOnce(() => this.#reviewSome());
  }
}

function modifiedAt(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    // Found, but not ours to look at: its age is unknown.
    return 0;
  }
}

function afterAMoment(step: () => void): { dispose(): void } {
  const timer = setTimeout(step, quietMs);
  timer.unref();
  return { dispose: () => clearTimeout(timer) };
}

/** The event loop has its turn between. */
function atOnce(step: () => void): { dispose(): void } {
  const immediate = setImmediate(step);
  return { dispose: () => clearImmediate(immediate) };
}
