import { t } from "@vscode/l10n";
import { authorName, type TrackedFile, type WrittenHunk } from "./model/change.ts";
import { hunkStates } from "./model/hunkStates.ts";
import { inScope, type WrittenScope } from "./model/scope.ts";

/** A written hunk that an undo left in its file. */
export interface UndoConflict {
  path: string;
  /** Counted from 1. */
  line: number;
  /** Like `main › edit`. Absent: the user changed its lines. */
  builtOnBy?: string;
  /** The move that it belongs to, which can't be undone: another file is in the old place. */
  move?: { path: string; movedFrom: string };
}

const maxNamed = 3;

/** What of this can't be undone, to be asked when an undo has left something. */
export function undoConflicts(files: readonly TrackedFile[], scope: WrittenScope): UndoConflict[] {
  const isMeant = inScope(scope);
  const meant = files.filter(({ path }) => scope.path === undefined || scope.path === path);
  const moves = new Map(
    meant.flatMap(({ path, hunks }) =>
      hunks
        .filter(isMeant)
        .flatMap(({ author, movedFrom }) =>
          movedFrom === undefined ? [] : [[author.editId, { path, movedFrom }] as const],
        ),
    ),
  );
  return meant.flatMap((file) => {
    const states = hunkStates(file);
    return file.hunks.flatMap((hunk): UndoConflict[] => {
      const state = states.get(hunk.id);
      const move = moves.get(hunk.author.editId);
      if (!isMeant(hunk) || state === undefined || (state.isUndoable && move === undefined)) return [];
      const place = { path: file.path, line: state.range.start + 1 };
      if (move !== undefined) return [{ ...place, move }];
      const above = builtOn(file, hunk);
      return [{ ...place, ...(above !== undefined && { builtOnBy: authorName(above.author) }) }];
    });
  });
}

/** The pending hunk that replaced lines of this one, or that has lines between them. */
function builtOn({ lines, hunks }: TrackedFile, { id }: WrittenHunk): WrittenHunk | undefined {
  const first = lines.findIndex(({ by }) => by === id);
  const last = lines.findLastIndex(({ by }) => by === id);
  const among = lines.slice(Math.max(0, first), last + 1);
  const ids = new Set(among.flatMap(({ by, goneBy }) => (by === id ? [goneBy] : [by])));
  return hunks.find((hunk) => hunk.id !== id && ids.has(hunk.id));
}

/** What the user reads when so many edits could not be undone, of which these are known. */
export function undoConflictMessage(count: number, conflicts: readonly UndoConflict[]): string {
  const others = conflicts.filter(({ move }) => move === undefined);
  const left = count - (conflicts.length - others.length);
  const moves = new Map(
    conflicts.flatMap(({ move }) => (move === undefined ? [] : [[move.path, move.movedFrom] as const])),
  );
  const taken = [...moves].map(([path, movedFrom]) =>
    t(
      "{0} was not moved back to {1}: another file is there now. Move or delete that one, then undo again.",
      path,
      movedFrom,
    ),
  );
  return [...taken.slice(0, maxNamed), ...(left > 0 ? [changedMessage(left, others)] : [])].join(" ");
}

function changedMessage(count: number, conflicts: readonly UndoConflict[]): string {
  const [only] = conflicts;
  if (count === 1 && only !== undefined) {
    return only.builtOnBy === undefined
      ? t("{0}:{1} kept: its lines have changed since", only.path, only.line)
      : t("{0}:{1} kept: {2} built on it", only.path, only.line, only.builtOnBy);
  }
  const named = conflicts.slice(0, maxNamed).map(({ path, line, builtOnBy }) => {
    const position = `${path}:${line}`;
    return builtOnBy === undefined ? position : t("{0} ({1} built on it)", position, builtOnBy);
  });
  const more = count - named.length;
  const list = [...named, ...(more > 0 ? [t("{0} more", more)] : [])].join(", ");
  return count === 1 || named.length === 0
    ? t("Some edits were kept: their lines have changed since")
    : t("{0} edits kept, whose lines have changed since: {1}", count, list);
}
