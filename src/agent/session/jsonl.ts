import * as z from "zod";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { onFirstUse } from "../vocabulary/onFirstUse.ts";
import { folderOf, nodeModule } from "../vocabulary/platform.ts";
import { chapterBefore, latestChapter, type SessionRows, selectRows } from "./memory.ts";
import type { Chapter, SessionRow, SessionStore } from "./store.ts";

/** Node's, loaded when the first session is opened. */
type Files = typeof import("node:fs/promises");

/**
 * A session in a file of one JSON record a line. Lines are only ever appended, except by a truncation, which writes the
 * file again beside the old one and swaps them. A line that a crash tore is passed over. Several stores may write to
 * one file, of several processes too: each reads what the others wrote before it gives an id.
 */
export class JsonlSessionStore implements SessionStore {
  readonly #files: Files;
  readonly #path: string;
  readonly #lock: () => Promise<() => Promise<void>>;
  #state: SessionRows = { rows: [], lastId: 0 };
  #unknown: string[] = [];
  #meta: Record<string, string> = {};
  /** Writes follow each other, so that lines never mix and ids are in order. */
  #writes: Promise<void> = Promise.resolve();
  /** Which file was read, and how much of it. */
  #read = { file: 0, bytes: 0 };
  /** The file's last line has no end: a write was cut off there. */
  #torn = false;
  #closed = false;

  private constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
    this.#lock = fileLock(files, `${path}.lock`);
  }

  /** Opens a session file, and creates it with its folder if need be. */
  static async open(path: string): Promise<JsonlSessionStore> {
    const files = await nodeModule("fs/promises");
    await files.mkdir(folderOf(path), { recursive: true });
    await files.appendFile(path, "");
    const store = new JsonlSessionStore(files, path);
    await store.#readAdded();
    return store;
  }

  async append(agentId: string, message: AgentMessage): Promise<number> {
    this.#refuseWhenClosed();
    return this.#exclusively(async () => {
      const row = { id: this.#state.lastId + 1, agentId, message };
      await this.#write(formatRow(row));
      this.#state.rows.push(row);
      this.#state.lastId = row.id;
      return row.id;
    });
  }

  async list(options?: { agentId?: string; from?: number }): Promise<SessionRow[]> {
    await this.#refresh();
    return selectRows(this.#state.rows, options);
  }

  async truncateFrom(id: number): Promise<void> {
    this.#refuseWhenClosed();
    await this.#exclusively(async () => {
      this.#state.rows = this.#state.rows.filter((row) => row.id < id);
      await this.#rewrite();
    });
  }

  async latestChapter(agentId?: string): Promise<Chapter> {
    await this.#refresh();
    return latestChapter(this.#state.rows, agentId);
  }

  async chapterBefore(cursor: number, agentId?: string): Promise<Chapter | undefined> {
    await this.#refresh();
    return chapterBefore(this.#state.rows, cursor, agentId);
  }

  async getMeta(): Promise<Record<string, string>> {
    await this.#refresh();
    return { ...this.#meta };
  }

  async setMeta(meta: Record<string, string>): Promise<void> {
    this.#refuseWhenClosed();
    await this.#exclusively(async () => {
      await this.#write(formatMeta(meta));
      this.#meta = { ...this.#meta, ...meta };
    });
  }

  /** Resolves when everything is written; afterwards the session can only be read. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writes;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new AgentError("scope_closed", `The session ${this.#path} is closed.`);
  }

  /** After everything that was asked for before. A failure rejects its own caller only. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    this.#writes = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  /** With the file to itself, and with all that others have written known. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const unlock = await this.#lock();
      try {
        await this.#readAdded();
        return await work();
      } finally {
        await unlock();
      }
    });
  }

  #refresh(): Promise<void> {
    return this.#inTurn(() => this.#readAdded());
  }

  /** Reads what others have written since; the whole file where another one is in its place. */
  async #readAdded(): Promise<void> {
    const file = await this.#files.open(this.#path, "r").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    // What is known stays known; the next write creates the file again.
    if (file === undefined) return;
    try {
      const { ino, size } = await file.stat();
      const isSame = ino === this.#read.file && size >= this.#read.bytes;
      if (isSame && size === this.#read.bytes) return;
      if (!isSame) this.#forget(ino);
      const added = Buffer.alloc(size - this.#read.bytes);
      await file.read(added, 0, added.length, this.#read.bytes);
      const end = added.lastIndexOf("\n") + 1;
      for (const line of added.toString("utf8", 0, end).split("\n")) this.#take(parseRecord(line));
      this.#torn = end < added.length;
      // A line that is not whole is read again: another store may be writing it.
      this.#read.bytes += end;
    } finally {
      await file.close();
    }
  }

  #forget(file: number): void {
    this.#read = { file, bytes: 0 };
    this.#state = { rows: [], lastId: this.#state.lastId };
    this.#unknown = [];
    this.#meta = {};
  }

  #take(record: SessionRecord | undefined): void {
    if (record === undefined) return;
    if (record.type === "meta") this.#meta = { ...this.#meta, ...record.meta };
    else if (record.type === "unknown") this.#unknown.push(record.line);
    else {
      const id = record.type === "lastId" ? record.lastId : record.row.id;
      if (record.type === "message") this.#state.rows.push(record.row);
      this.#state.lastId = Math.max(this.#state.lastId, id);
    }
  }

  async #write(line: string): Promise<void> {
    const text = this.#torn ? `\n${line}` : line;
    this.#torn = true;
    await this.#files.appendFile(this.#path, text);
    this.#torn = false;
    const { ino, size } = await this.#files.stat(this.#path);
    this.#read = { file: ino, bytes: size };
  }

  async #rewrite(): Promise<void> {
    const rows = this.#state.rows.map(formatRow);
    const unknown = this.#unknown.map((line) => `${line}\n`);
    const lastId = `${JSON.stringify({ type: "lastId", lastId: this.#state.lastId })}\n`;
    const temporary = `${this.#path}.new`;
    await this.#files.writeFile(temporary, [...unknown, formatMeta(this.#meta), lastId, ...rows].join(""));
    await this.#files.rename(temporary, this.#path);
    const { ino, size } = await this.#files.stat(this.#path);
    this.#read = { file: ino, bytes: size };
    this.#torn = false;
  }
}

const lockRetryMs = 5;
/** A lock that is older was left by a process that ended. */
const maxLockAgeMs = 5_000;

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** A lock that several processes see: a file that only one of them can create. */
function fileLock(files: Files, path: string): () => Promise<() => Promise<void>> {
  return async () => {
    for (;;) {
      try {
        await (await files.open(path, "wx")).close();
        return () => files.rm(path, { force: true });
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
      const age = await files.stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > maxLockAgeMs) await files.rm(path, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, lockRetryMs));
    }
  };
}

const record = onFirstUse(() => {
  const messageRecord = z.object({
    type: z.literal("message"),
    id: z.number().int().positive(),
    agentId: z.string(),
    message: z.looseObject({ role: z.string(), id: z.string() }),
  });
  const metaRecord = z.object({ type: z.literal("meta"), meta: z.record(z.string(), z.string()) });
  /** No id up to this one is given again, also where its row was removed. */
  const lastIdRecord = z.object({ type: z.literal("lastId"), lastId: z.number().int() });
  return z.discriminatedUnion("type", [messageRecord, metaRecord, lastIdRecord]);
});

/** One line of a session file. A record of an unknown kind stays as it is: a later version may have written it. */
export type SessionRecord =
  | { type: "message"; row: SessionRow }
  | { type: "meta"; meta: Record<string, string> }
  | { type: "lastId"; lastId: number }
  | { type: "unknown"; line: string };

/** Undefined for a line that is not JSON: a write was cut off there. */
function parseRecord(line: string): SessionRecord | undefined {
  if (line.trim() === "") return undefined;
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    // A torn line holds nothing that could be used, and what is around it is whole.
    return undefined;
  }
  const parsed = record().safeParse(json);
  if (!parsed.success) return { type: "unknown", line };
  if (parsed.data.type !== "message") return parsed.data;
  const { id, agentId, message } = parsed.data;
  // The store wrote this line from an AgentMessage; what an application added to that union only it can know.
  return { type: "message", row: { id, agentId, message: message as unknown as AgentMessage } };
}

function formatRow(row: SessionRow): string {
  return `${JSON.stringify({ type: "message", ...row })}\n`;
}

function formatMeta(meta: Record<string, string>): string {
  return `${JSON.stringify({ type: "meta", meta })}\n`;
}
