import { UserError } from "../userError.ts";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";
import { idsIn, isWrittenElsewhere, type Place, pathOf, withFile } from "./place.ts";
import { summarize } from "./searchFile.ts";
import type { SessionSummary } from "./session.ts";
import { type IndexedSession, isCurrent, SummaryIndex } from "./summaryIndex.ts";

/** The sessions in which something was said, newest first. What can't be read is left out, and left alone. */
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
  return [...current.values()]
    .flatMap(({ summary }) => (summary === undefined ? [] : [live(place, summary)]))
    .sort((a, b) => b.updatedAt - a.updatedAt);
}

async function summarized(
  place: Place,
  id: string,
  known: IndexedSession | undefined,
): Promise<IndexedSession | undefined> {
  try {
    const stat = place.files.stat(pathOf(place, id));
    if (stat === undefined) return undefined;
    if (isCurrent(known, stat)) return known;
    const { size, mtimeMs } = stat;
    const summary = await withFile(place, id, async (whole) => (whole.lastSeq > 0 ? summarize(id, whole) : undefined));
    return { size, mtimeMs, ...(summary !== undefined && { summary }) };
  } catch (error) {
    if (isFileSystemError(error) || error instanceof UserError) return undefined;
    throw error;
  }
}

/** One that is being written is not interrupted, though its last run has no end yet. */
export function live(place: Place, summary: SessionSummary): SessionSummary {
  const isLive = summary.isInterrupted && isWrittenElsewhere(place, summary.id);
  return isLive ? { ...summary, isInterrupted: false } : summary;
}
