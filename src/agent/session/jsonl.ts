import { dirname } from "node:path";
import * as z from "zod";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { chapterBefore, latestChapter, nextRow, type SessionRows, selectRows } from "./memory.ts";
import type { Chapter, SessionRow, SessionStore } from "./store.ts";

/** Node's, loaded when the first session is opened. */
type Files = typeof import("node:fs/promises");

/**
 * A session in a file of one JSON record a line. Lines are only ever appended, except by a truncation, which writes the
 * file again beside the old one and swaps them. A line that a crash tore is passed over.
 */
export class JsonlSessionStore implements SessionStore {
  readonly #files: Files;
  readonly #path: string;
  readonly #state: SessionRows = { rows: [], lastId: 0 };
  readonly #unknown: string[] = [];
  #meta: Record<string, string> = {};
  /** Writes follow each other, so that lines never mix and ids stand in order. */
  #writes: Promise<void> = Promise.resolve();
  /** A write failed, perhaps in the middle of a line: the next one starts a new line. */
  #torn = false;
  #closed = false;

  private constructor(files: Files, path: string, records: readonly SessionRecord[]) {
    this.#files = files;
    this.#path = path;
    for (const record of records) {
      if (record.type === "meta") this.#meta = { ...this.#meta, ...record.meta };
      else if (record.type === "unknown") this.#unknown.push(record.line);
      else {
        this.#state.rows.push(record.row);
        this.#state.lastId = Math.max(this.#state.lastId, record.row.id);
      }
    }
  }

  /** Opens a session file, and creates it with its folder if need be. */
  static async open(path: string): Promise<JsonlSessionStore> {
    const files = await import("node:fs/promises");
    await files.mkdir(dirname(path), { recursive: true });
    await files.appendFile(path, "");
    const text = await files.readFile(path, "utf8");
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (text !== "" && !text.endsWith("\n")) await files.appendFile(path, "\n");
    return new JsonlSessionStore(
      files,
      path,
      lines.flatMap((line) => parseRecord(line) ?? []),
    );
  }

  async append(agentId: string, message: AgentMessage): Promise<number> {
    this.#refuseWhenClosed();
    const row = nextRow(this.#state, { agentId, message });
    await this.#append(formatRow(row));
    return row.id;
  }

  async list(options?: { agentId?: string; from?: number }): Promise<SessionRow[]> {
    return selectRows(this.#state.rows, options);
  }

  async truncateFrom(id: number): Promise<void> {
    this.#refuseWhenClosed();
    this.#state.rows = this.#state.rows.filter((row) => row.id < id);
    await this.#write(() => this.#rewrite());
  }

  async latestChapter(agentId?: string): Promise<Chapter> {
    return latestChapter(this.#state.rows, agentId);
  }

  async chapterBefore(cursor: number, agentId?: string): Promise<Chapter | undefined> {
    return chapterBefore(this.#state.rows, cursor, agentId);
  }

  async getMeta(): Promise<Record<string, string>> {
    return { ...this.#meta };
  }

  async setMeta(meta: Record<string, string>): Promise<void> {
    this.#refuseWhenClosed();
    this.#meta = { ...this.#meta, ...meta };
    await this.#append(formatMeta(meta));
  }

  /** Resolves when everything is written; afterwards the session can only be read. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writes;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new AgentError("scope_closed", `The session ${this.#path} is closed.`);
  }

  /** A failed write rejects its own caller only; the next one is tried again. */
  #write(write: () => Promise<void>): Promise<void> {
    const written = this.#writes.then(write);
    this.#writes = written.catch(() => {});
    return written;
  }

  #append(line: string): Promise<void> {
    return this.#write(async () => {
      const lead = this.#torn ? "\n" : "";
      this.#torn = true;
      await this.#files.appendFile(this.#path, lead + line);
      this.#torn = false;
    });
  }

  async #rewrite(): Promise<void> {
    const rows = this.#state.rows.map(formatRow);
    const unknown = this.#unknown.map((line) => `${line}\n`);
    const temporary = `${this.#path}.new`;
    await this.#files.writeFile(temporary, [...unknown, formatMeta(this.#meta), ...rows].join(""));
    await this.#files.rename(temporary, this.#path);
    this.#torn = false;
  }
}

const messageRecord = z.object({
  type: z.literal("message"),
  id: z.number().int().positive(),
  agentId: z.string(),
  message: z.looseObject({ role: z.string(), id: z.string() }),
});
const metaRecord = z.object({ type: z.literal("meta"), meta: z.record(z.string(), z.string()) });
const record = z.discriminatedUnion("type", [messageRecord, metaRecord]);

/** One line of a session file. A record of an unknown kind is kept as it is: a later version may have written it. */
export type SessionRecord =
  | { type: "message"; row: SessionRow }
  | { type: "meta"; meta: Record<string, string> }
  | { type: "unknown"; line: string };

/** Undefined for a line that is not JSON: a write was cut off there. */
function parseRecord(line: string): SessionRecord | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    // A torn line holds nothing that could be used, and what is around it is whole.
    return undefined;
  }
  const parsed = record.safeParse(json);
  if (!parsed.success) return { type: "unknown", line };
  if (parsed.data.type === "meta") return parsed.data;
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
