import { join } from "node:path";
import { listSessions } from "./listSessions.ts";
import { isWrittenElsewhere, type Place, pathOf } from "./place.ts";
import { removedFolder, removedIn } from "./removed.ts";
import type { Retention } from "./session.ts";

const leftOverAfterMs = 24 * 3_600_000;
const removedForMs = 30 * 24 * 3_600_000;

/** Deletes what is older or more than is to be kept, and what was removed 30 days ago. Gives how many sessions went. */
export async function pruneSessions(place: Place, { maxAgeMs, maxBytes, now }: Retention): Promise<number> {
  const { files, folder } = place;
  for (const { name, removedAt } of removedIn(place)) {
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
  for (const { id, updatedAt, isDamaged } of await listSessions(place)) {
    // Who knows how to mend it still may; the user can remove it.
    if (isDamaged) continue;
    bytes += files.stat(pathOf(place, id))?.size ?? 0;
    const isKept = bytes <= maxBytes && now - updatedAt <= maxAgeMs;
    if (isKept || isWrittenElsewhere(place, id)) continue;
    files.remove(pathOf(place, id));
    count += 1;
  }
  return count;
}
