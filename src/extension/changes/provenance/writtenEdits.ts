import type { HostEvent, WrittenEdit, WrittenState } from "../../../protocol/hostEvents.ts";
import type { ChangeStore } from "../changeStore.ts";
import type { EditHistory } from "../history/editHistory.ts";
import type { NotedFile } from "../history/historyNote.ts";
import type { EditProposal, TrackedFile, WrittenHunk } from "../model/change.ts";

/** What one call wrote. */
export interface WrittenByCall {
  files: readonly TrackedFile[];
  /** Hunks that wait for Keep or Undo; the others are kept. */
  waiting: readonly string[];
}

interface Written {
  store: Pick<ChangeStore, "files">;
  history: Pick<EditHistory, "all" | "find">;
}

/** The files that a tool call of an agent wrote to, with its hunks alone. Some models count their calls from 0 in each chat. */
export function writtenBy(
  { store, history }: Written,
  { callId, agent }: Pick<EditProposal, "callId" | "agent">,
): WrittenByCall {
  const files = history.all.flatMap((file) => {
    const hunks = file.hunks.filter(({ author }) => author.callId === callId && author.agentIds.at(-1) === agent.id);
    return hunks.length === 0 ? [] : [{ ...file, hunks }];
  });
  const open = waitingHunks(store);
  return { files, waiting: files.flatMap(({ hunks }) => hunks.flatMap(({ id }) => (open.has(id) ? id : []))) };
}

/** Ids of the hunks that wait for Keep or Undo, with those that have become a part of them. */
export function waitingHunks({ files }: Written["store"]): Set<string> {
  return new Set(files.flatMap(({ hunks }) => hunks.flatMap(({ id, merged = [] }) => [id, ...merged])));
}

/** So many lines of an edit's file are stored with it. */
const maxLines = 200;
const maxLineLength = 400;

/** Says in the chat what a call wrote; of sensitive files without the lines. */
export function emitWritten(
  emit: (event: HostEvent) => void,
  { callId, agent, agentPath, files, waiting }: Pick<EditProposal, "callId" | "agent" | "agentPath"> & WrittenByCall,
  sensitive: ReadonlySet<string>,
): void {
  if (files.length === 0) return;
  const written = files.map((file) => writtenFile(file, sensitive));
  emit({ type: "edit_written", callId, agentId: agent.id, agentPath: [...agentPath], files: written });
  if (waiting.length > 0) emit({ type: "written_hunks_changed", hunkIds: [...waiting], state: "written" });
}

/** Where the files are that a call wrote to, and where they were. */
export function pathsOf({ files }: WrittenByCall): string[] {
  return files.flatMap(({ path, hunks }) => [path, movedFromOf(hunks) ?? []].flat());
}

function movedFromOf(hunks: readonly WrittenHunk[]): string | undefined {
  return hunks.find(({ movedFrom }) => movedFrom !== undefined)?.movedFrom;
}

function writtenFile(
  { path, hunks }: Pick<TrackedFile, "path" | "hunks">,
  sensitive: ReadonlySet<string>,
): WrittenEdit["files"][number] {
  const moved = movedFromOf(hunks);
  const isSecret = sensitive.has(path) || (moved !== undefined && sensitive.has(moved));
  let room = isSecret ? 0 : maxLines;
  const clipped = (lines: readonly string[]) => {
    const shown = lines
      .slice(0, room)
      .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
    room -= shown.length;
    return shown;
  };
  return {
    path,
    change: moved === undefined ? (hunks[0]?.kind ?? "update") : "move",
    ...(moved !== undefined && { movedFrom: moved }),
    hunks: hunks.map(({ id, hunk: { oldStart, oldLines, newLines } }) => ({
      ...{ id, line: oldStart, added: newLines.length, removed: oldLines.length },
      ...(room > 0 && { oldLines: clipped(oldLines), newLines: clipped(newLines) }),
    })),
  };
}

/** Ids of the hunks of which lines are in other places than they were written to, in whatever file. */
export function movedHunks(files: readonly Pick<TrackedFile, "lines">[]): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ lines }) => lines.flatMap(({ isLive, movedFrom }) => (isLive ? (movedFrom ?? []) : []))),
  );
}

/** By hunk id: what has become of each of a file's written hunks. `moved` are those that have lines in other files. */
export function writtenStates(
  file: NotedFile,
  store: Written["store"],
  moved: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, WrittenState> {
  const open = waitingHunks(store);
  const lines = linesByHunk(file);
  for (const [id, of] of lines) if (moved.has(id)) of.moved += 1;
  return new Map(
    file.hunks.map((hunk) => {
      const state = isUndone(file, hunk, lines.get(hunk.id))
        ? "undone"
        : isSuperseded(lines.get(hunk.id))
          ? "superseded"
          : open.has(hunk.id)
            ? "written"
            : "kept";
      return [hunk.id, state];
    }),
  );
}

/** How many lines of a hunk are where. */
interface HunkLines {
  own: number;
  live: number;
  moved: number;
  removed: number;
  back: number;
  /** Removed by another hunk. */
  replaced: number;
}

function linesByHunk({ lines }: Pick<TrackedFile, "lines">): ReadonlyMap<string, HunkLines> {
  const found = new Map<string, HunkLines>();
  const of = (id: string) => {
    const known = found.get(id) ?? { own: 0, live: 0, moved: 0, removed: 0, back: 0, replaced: 0 };
    found.set(id, known);
    return known;
  };
  for (const { by, goneBy, isLive, movedFrom } of lines) {
    if (movedFrom !== undefined && isLive) of(movedFrom).moved += 1;
    if (by !== undefined) {
      const own = of(by);
      own.own += 1;
      if (isLive) own.live += 1;
      else if (goneBy !== undefined) own.replaced += 1;
    }
    if (goneBy !== undefined) {
      const remover = of(goneBy);
      remover.removed += 1;
      if (isLive) remover.back += 1;
    }
  }
  return found;
}

function isUndone({ exists }: NotedFile, { kind, hunk }: WrittenHunk, lines: HunkLines | undefined): boolean {
  if (kind === "delete") return exists;
  // Lines that are gone with a file that an agent deleted are superseded.
  if (!exists) return lines === undefined || lines.own === 0 || lines.replaced < lines.own;
  if (kind === "move") return false;
  if (lines === undefined) return false;
  const { live, moved, replaced, removed, back } = lines;
  if (live + moved + replaced > 0) return false;
  return hunk.oldLines.length === 0 ? hunk.newLines.length > 0 : removed > 0 && back === removed;
}

/** Nothing is left of what it wrote. */
function isSuperseded(lines: HunkLines | undefined): boolean {
  return lines !== undefined && lines.own > 0 && lines.live + lines.moved === 0;
}
