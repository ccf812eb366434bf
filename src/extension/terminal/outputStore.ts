import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "../common/userError.ts";
import type { OutputPlace } from "./keptOutput.ts";
import { type FileLines, readLines } from "./readLines.ts";

const prefix = "arbor-output:/";
const keptDays = 7;

/**
 * Output that is too long for a model, in files of Arbor's own storage. A model reads it by a name like
 * `arbor-output:/command-1.txt`, which reveals nothing of the machine and can't lead anywhere else.
 */
export class OutputStore {
  readonly #folder: string;
  readonly #files = new Map<string, string>();
  #keptCount = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether a path is meant for this store rather than for the workspace. */
  static isName(path: string): boolean {
    return path.startsWith(prefix);
  }

  /** A place for an output; the file is made when it is needed. */
  place(fileName: string): OutputPlace {
    const name = `${prefix}${fileName}`;
    return {
      name,
      file: async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        const file = join(this.#folder, fileName);
        this.#files.set(name, file);
        return file;
      },
    };
  }

  /** Keeps a whole text under a name of its own, which it gives. */
  async keep(kind: string, extension: string, text: string): Promise<string> {
    const { name, file } = this.place(`${kind}-${++this.#keptCount}.${extension}`);
    await writeFile(await file(), text, { mode: 0o600 });
    return name;
  }

  /** Reads on from line `start`, at most `limit.lines` lines and `limit.bytes` of them. */
  async lines(name: string, start: number, limit: { lines: number; bytes: number }): Promise<FileLines> {
    const file = this.#files.get(name);
    if (file === undefined) throw new ToolError(`${name} is no output of this chat. Take the name from a result.`);
    return readLines(file, start, limit);
  }
}

/** Removes what chats left in a folder of stores long ago. */
export async function removeOldOutputs(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > keptDays * 86_400_000) await rm(path, { recursive: true, force: true });
  }
}
