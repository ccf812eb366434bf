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
}

const maxNamed = 3;

/** What of this can't be undone, to be asked when an undo has left something. */
export function undoConflicts(files: readonly TrackedFile[], scope: WrittenScope): UndoConflict[] {
  const isMeant = inScope(scope);
  return files
    .filter(({ path }) => scope.path === undefined || scope.path === path)
    .flatMap((file) => {
      const states = hunkStates(file);
      return file.hunks.flatMap((hunk): UndoConflict[] => {
        const state = states.get(hunk.id);
        if (!isMeant(hunk) || state === undefined || state.isUndoable) return [];
        const above = builtOn(file, hunk);
        const builtOnBy = above && authorName(above.author);
        return [{ path: file.path, line: state.range.start + 1, ...(builtOnBy !== undefined && { builtOnBy }) }];
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
