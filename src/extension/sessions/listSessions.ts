import { join } from "node:path";
import * as z from "zod";
import { writeWholeSync } from "../common/atomicFile.ts";
import { type FileStat, type Files, isFileSystemError } from "../common/files.ts";
import { UserError } from "../common/userError.ts";
import { summarize as summarizeSession } from "./pages.ts";
import { isUnreadable } from "./repair.ts";
import type { Retention, SessionSummary } from "./session.ts";
import type { SessionFile } from "./sessionFile.ts";
import {
  fileOf,
  idsIn,
  isWrittenElsewhere,
  removedFolder,
  removedIn,
  type SessionLocation,
  sessionPath,
  setAsideIn,
  withFile,
} from "./sessionFolder.ts";

/** The sessions in which something was said, newest first. What can't be read is listed as damaged, and left alone. */
export async function listSessions(location: SessionLocation): Promise<SessionSummary[]> {
  const index = new SummaryIndex(location.folder, location.files);
  const known = index.read();
  const current = new Map<string, IndexedSession>();
  for (const id of idsIn(location)) {
    const session = await summarized(location, id, known.get(id));
    if (session !== undefined) current.set(id, session);
  }
  const isSame = known.size === current.size && [...current].every(([id, session]) => known.get(id) === session);
  if (!isSame) index.write(current);
  const summaries = [...current.values()].flatMap(({ summary }) =>
    summary === undefined ? [] : [live(location, summary)],
  );
  const setAside = setAsideIn(location).flatMap((id) => {
    const stat = location.files.stat(fileOf(location, id));
    return stat === undefined ? [] : [damaged(id, stat)];
  });
  return [...summaries, ...setAside].sort((a, b) => b.updatedAt - a.updatedAt);
}

async function summarized(
  location: SessionLocation,
  id: string,
  known: IndexedSession | undefined,
): Promise<IndexedSession | undefined> {
  const stat = statOf(location, id);
  if (stat === undefined) return undefined;
  if (isCurrent(known, stat)) return known;
  const { size, mtimeMs } = stat;
  const summarize = async (whole: SessionFile) => {
    if (isUnreadable(whole)) return damaged(id, stat);
    return whole.fold.lastSeq > 0 ? summarizeSession(id, whole) : undefined;
  };
  try {
    const summary = await withFile(location, id, summarize);
    return { size, mtimeMs, ...(summary !== undefined && { summary }) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // Removed meanwhile; or it can't be opened for now: it is read again each time.
    return statOf(location, id) && { size, mtimeMs: -1, summary: damaged(id, stat) };
  }
}

function statOf(location: SessionLocation, id: string): FileStat | undefined {
  try {
    return location.files.stat(sessionPath(location, id));
  } catch (error) {
    if (isFileSystemError(error) || error instanceof UserError) return undefined;
    throw error;
  }
}

function damaged(id: string, { mtimeMs }: FileStat): SessionSummary {
  const at = Math.floor(mtimeMs);
  return {
    ...{ id, title: "", createdAt: at, updatedAt: at, messageCount: 0, tokens: 0 },
    ...{ isInterrupted: false, isDamaged: true as const },
  };
}

/** One that is being written is not interrupted, though its last run has no end yet. */
export function live(location: SessionLocation, summary: SessionSummary): SessionSummary {
  const isLive = summary.isInterrupted && isWrittenElsewhere(location, summary.id);
  return isLive ? { ...summary, isInterrupted: false, isRunning: true } : summary;
}

/** Sizes and times of the sessions' files, and who has them. */
export function stateOf({ files, folder }: SessionLocation): string {
  const states = files.list(folder).map((name) => {
    if (!name.endsWith(".jsonl")) return name.endsWith(".lock") ? name : "";
    const stat = files.stat(join(folder, name));
    return `${name} ${stat?.size} ${stat?.mtimeMs}`;
  });
  return states.join("\n");
}

const summary = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messageCount: z.number(),
  tokens: z.number(),
  cost: z.number().exactOptional(),
  isInterrupted: z.boolean(),
  isWaiting: z.literal(true).exactOptional(),
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

type IndexedSession = z.infer<typeof indexed>;

/**
 * What the history shows of each session, so that it need not be searched each time. It only repeats what the files
 * say: whatever is wrong with it, it is written again, and that it can't be written is no error.
 */
class SummaryIndex {
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
      writeWholeSync(this.#files, this.#path, JSON.stringify({ version, sessions: Object.fromEntries(sessions) }));
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
    }
  }
}

/** The file is as it was when it was summarized. */
function isCurrent(known: IndexedSession | undefined, stat: FileStat): known is IndexedSession {
  return known !== undefined && known.size === stat.size && known.mtimeMs === stat.mtimeMs;
}

const leftOverAfterMs = 24 * 3_600_000;
const removedForMs = 30 * 24 * 3_600_000;

/** Deletes what is over the retention, and what was removed 30 days ago. Returns how many sessions were deleted. */
export async function pruneSessions(
  location: SessionLocation,
  { maxAgeMs, maxBytes, now }: Retention,
): Promise<number> {
  const { files, folder } = location;
  for (const { name, removedAt } of removedIn(location)) {
    if (now - removedAt > removedForMs) files.remove(join(folder, removedFolder, name));
  }
  for (const name of files.list(folder)) {
    // What a process that died was about to put in the place of a file.
    const isLeftOver =
      name.endsWith(".tmp") && now - (files.stat(join(folder, name))?.mtimeMs ?? now) > leftOverAfterMs;
    if (isLeftOver) files.remove(join(folder, name));
  }
  let bytes = 0;
  let count = 0;
  for (const { id, updatedAt, isDamaged } of await listSessions(location)) {
    // It may still be repaired by hand; the user can remove it.
    if (isDamaged) continue;
    bytes += files.stat(sessionPath(location, id))?.size ?? 0;
    const isRetained = bytes <= maxBytes && now - updatedAt <= maxAgeMs;
    if (isRetained || isWrittenElsewhere(location, id)) continue;
    files.remove(sessionPath(location, id));
    count += 1;
  }
  return count;
}
