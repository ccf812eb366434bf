import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "../common/userError.ts";
import type { OutputPlace } from "./keptOutput.ts";
import { type FileLines, readLines } from "./readLines.ts";

const prefix = "arbor-output:/";
const keptDays = 7;

/** The name of a file in the store's own folder. */
const fileNamed = /^arbor-output:\/([\w-]+\.\w+)$/;
const hasMark = /^[0-9a-f]{8}-/;

/**
 * Output that is too long for a model, in files of Arbor's own storage. A model reads it by a name like
 * `arbor-output:/3f2a9c1b-command-1.txt`, which reveals nothing of the machine and can't lead anywhere else. A chat that
 * is opened again has a new store in the same folder: what its transcript names is still read by the same name.
 */
export class OutputStore {
  readonly #folder: string;
  /** Each store counts from 1: this keeps its names apart from those of the ones before. */
  readonly #mark = randomUUID().slice(0, 8);
  #keptCount = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether a path is meant for this store rather than for the workspace. */
  static isName(path: string): boolean {
    return path.startsWith(prefix);
  }

  /** A place for an output; the file is made when it is needed. */
  place(label: string): OutputPlace {
    const fileName = `${this.#mark}-${label}`;
    return {
      name: `${prefix}${fileName}`,
      file: async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        return join(this.#folder, fileName);
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
    const fileName = fileNamed.exec(name)?.[1];
    if (fileName === undefined) throw new ToolError(`${name} is no output of this chat. Take the name from a result.`);
    const file = join(this.#folder, fileName);
    // A name without a mark may have been given more than once; a link may lead anywhere.
    const isKept = hasMark.test(fileName) && (await lstat(file).catch(() => undefined))?.isFile() === true;
    if (isKept) return readLines(file, start, limit);
    const again = /\bcommand-\d/.test(fileName) ? "Run the command again." : "Call its tool again.";
    throw new ToolError(`The output ${name} is no longer kept. ${again}`);
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
