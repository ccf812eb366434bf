import { join } from "node:path";
import * as z from "zod";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";
import { type FileStat, type Files, replaceFile } from "./files.ts";

const summary = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messageCount: z.number(),
  tokens: z.number(),
  cost: z.number().exactOptional(),
  isInterrupted: z.boolean(),
  isDamaged: z.literal(true).exactOptional(),
});
const indexed = z.object({
  size: z.number(),
  mtimeMs: z.number(),
  /** Absent for a file in which nothing was said. */
  summary: summary.exactOptional(),
});
/** Of the index. The first one left out what can't be read. */
const version = 2;
const schema = z.object({ version: z.literal(version), sessions: z.record(z.string(), indexed) });

export type IndexedSession = z.infer<typeof indexed>;

/**
 * What the history shows of each session, so that it need not be searched each time. It only repeats what the files
 * say: whatever is wrong with it, it is made anew, and that it can't be written is nobody's concern.
 */
export class SummaryIndex {
  readonly #path: string;
  readonly #files: Files;

  constructor(folder: string, files: Files) {
    this.#path = join(folder, "index.json");
    this.#files = files;
  }

  read(): ReadonlyMap<string, IndexedSession> {
    try {
      const json = this.#files.read(this.#path);
      const index = json === undefined ? undefined : schema.safeParse(JSON.parse(json)).data;
      return new Map(Object.entries(index?.sessions ?? {}));
    } catch (error) {
      if (error instanceof SyntaxError || isFileSystemError(error)) return new Map();
      throw error;
    }
  }

  write(sessions: ReadonlyMap<string, IndexedSession>): void {
    try {
      replaceFile(this.#files, this.#path, JSON.stringify({ version, sessions: Object.fromEntries(sessions) }));
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
    }
  }
}

/** The file is as it was when it was summarized. */
export function isCurrent(known: IndexedSession | undefined, stat: FileStat): known is IndexedSession {
  return known !== undefined && known.size === stat.size && known.mtimeMs === stat.mtimeMs;
}
