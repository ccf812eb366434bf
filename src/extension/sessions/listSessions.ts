import { join } from "node:path";
import { UserError } from "../common/userError.ts";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";
import type { FileStat } from "./files.ts";
import { isUnreadable } from "./mend.ts";
import { idsIn, isWrittenElsewhere, type Place, pathOf, withFile } from "./place.ts";
import { fileOf, setAsideIn } from "./removed.ts";
import { summarize as summarizeSession, type WholeFile } from "./searchFile.ts";
import type { SessionSummary } from "./session.ts";
import { type IndexedSession, isCurrent, SummaryIndex } from "./summaryIndex.ts";

/** The sessions in which something was said, newest first. What can't be read is listed as damaged, and left alone. */
export async function listSessions(place: Place): Promise<SessionSummary[]> {
  const index = new SummaryIndex(place.folder, place.files);
  const known = index.read();
  const current = new Map<string, IndexedSession>();
  for (const id of idsIn(place)) {
    const session = await summarized(place, id, known.get(id));
    if (session !== undefined) current.set(id, session);
  }
  const isSame = known.size === current.size && [...current].every(([id, session]) => known.get(id) === session);
  if (!isSame) index.write(current);
  const summaries = [...current.values()].flatMap(({ summary }) =>
    summary === undefined ? [] : [live(place, summary)],
  );
  const setAside = setAsideIn(place).flatMap((id) => {
    const stat = place.files.stat(fileOf(place, id));
    return stat === undefined ? [] : [damaged(id, stat)];
  });
  return [...summaries, ...setAside].sort((a, b) => b.updatedAt - a.updatedAt);
}

async function summarized(
  place: Place,
  id: string,
  known: IndexedSession | undefined,
): Promise<IndexedSession | undefined> {
  const stat = statOf(place, id);
  if (stat === undefined) return undefined;
  if (isCurrent(known, stat)) return known;
  const { size, mtimeMs } = stat;
  const summarize = async (whole: WholeFile) => {
    if (isUnreadable(whole)) return damaged(id, stat);
    return whole.lastSeq > 0 ? summarizeSession(id, whole) : undefined;
  };
  try {
    const summary = await withFile(place, id, summarize);
    return { size, mtimeMs, ...(summary !== undefined && { summary }) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // Gone meanwhile; or it can't be opened, which may pass: this is looked at each time.
    return statOf(place, id) && { size, mtimeMs: -1, summary: damaged(id, stat) };
  }
}

function statOf(place: Place, id: string): FileStat | undefined {
  try {
    return place.files.stat(pathOf(place, id));
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
export function live(place: Place, summary: SessionSummary): SessionSummary {
  const isLive = summary.isInterrupted && isWrittenElsewhere(place, summary.id);
  return isLive ? { ...summary, isInterrupted: false, isRunning: true } : summary;
}

/** Sizes and times of the sessions' files, and who has them. */
export function stateOf({ files, folder }: Place): string {
  const states = files.list(folder).map((name) => {
    if (!name.endsWith(".jsonl")) return name.endsWith(".lock") ? name : "";
    const stat = files.stat(join(folder, name));
    return `${name} ${stat?.size} ${stat?.mtimeMs}`;
  });
  return states.join("\n");
}
