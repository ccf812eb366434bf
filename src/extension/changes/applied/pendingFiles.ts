import type { PendingEdits } from "../../../protocol/hostEvents.ts";
import type { WrittenFile } from "../model/change.ts";
import { hunkStates } from "../model/hunkStates.ts";

/** What waits for Keep or Undo, for the panel: one entry per file and agent. */
export function pendingEdits(files: readonly WrittenFile[]): PendingEdits[] {
  return files.flatMap((file) => {
    const perAgent = new Map<string, PendingEdits>();
    const states = hunkStates(file);
    for (const applied of file.hunks) {
      if (states.get(applied.id)?.isTakenBack) continue;
      const { hunk, author, movedFrom } = applied;
      const agentId = author.agentIds.at(-1) ?? "";
      const known = perAgent.get(agentId);
      perAgent.set(agentId, {
        ...known,
        path: file.path,
        agentId,
        agentPath: [...author.agentPath],
        hunks: (known?.hunks ?? 0) + 1,
        added: (known?.added ?? 0) + hunk.newLines.length,
        removed: (known?.removed ?? 0) + hunk.oldLines.length,
        ...(movedFrom === undefined ? {} : { movedFrom }),
      });
    }
    return [...perAgent.values()];
  });
}
