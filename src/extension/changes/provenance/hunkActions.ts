import { t } from "@vscode/l10n";
import { UserError } from "../../common/userError.ts";
import type { ChangeStore } from "../changeStore.ts";
import type { EditHistory } from "../history/editHistory.ts";
import type { Author, TrackedFile, TrackedLine } from "../model/change.ts";
import { isRemembered, liveText } from "../model/trackedLines.ts";
import { keepHunks, undoHunks } from "../model/undoHunks.ts";
import { type UndoConflict, undoConflicts } from "../undoConflicts.ts";
import type { WrittenReviews } from "../writtenReviews.ts";
import { original } from "./movedLines.ts";
import { waitingHunks } from "./writtenEdits.ts";

interface HunkActionsParts {
  store: Pick<ChangeStore, "files">;
  history: Pick<EditHistory, "all" | "refresh">;
  written: Pick<WrittenReviews, "adopt" | "keep" | "undo">;
  inTurn<T>(step: () => Promise<T>): Promise<T>;
  newId(): string;
}

/** A file with and without some hunks. */
interface HunkDiff {
  path: string;
  before: string;
  isThere: boolean;
}

interface UndoneHunks {
  /** Hunks that could not be undone. */
  left: number;
  conflicts: readonly UndoConflict[];
  /** Who wrote them. */
  authors: readonly Author[];
  paths: readonly string[];
}

/** What is done with written hunks, by their ids: those that wait for an answer, and those that were kept. */
export interface HunkActions {
  keep(hunkIds: ReadonlySet<string>): Promise<void>;
  undo(hunkIds: ReadonlySet<string>): Promise<UndoneHunks>;
  /** The files that hold them, each as it is without them. */
  diff(hunkIds: ReadonlySet<string>): Promise<HunkDiff[]>;
}

export function createHunkActions({ store, history, written, inTurn, newId }: HunkActionsParts): HunkActions {
  async function undo(hunkIds: ReadonlySet<string>): Promise<UndoneHunks> {
    await history.refresh();
    const isMeant = ({ hunks }: TrackedFile) => hunks.some(({ id }) => hunkIds.has(id));
    const known = history.all.filter(isMeant);
    // What waits can be undone even where the history has no room for its file.
    const others = store.files.filter((file) => isMeant(file) && !known.some(({ path }) => path === file.path));
    const meant = [...known, ...others];
    if (meant.length === 0) throw new UserError(t("This edit is too old to be undone alone."));
    const open = waitingHunks(store);
    const kept = new Set([...hunkIds].filter((id) => !open.has(id)));
    if (kept.size > 0) await inTurn(() => written.adopt(offeredAgain(known, kept, newId)));
    const offered = waitingHunks(store);
    const notOffered = [...kept].filter((id) => !offered.has(id)).length;
    try {
      const left = await written.undo({ hunkIds });
      const authors = meant.flatMap(({ hunks }) => hunks.filter(({ id }) => hunkIds.has(id)));
      return {
        left: left + notOffered,
        conflicts: left > 0 ? undoConflicts(store.files, { hunkIds }) : [],
        authors: authors.map(({ author }) => author),
        paths: meant.map(({ path }) => path),
      };
    } finally {
      // What could not be undone is kept, as it was.
      if (kept.size > 0) await written.keep({ hunkIds: kept });
    }
  }

  return {
    keep: (hunkIds) => written.keep({ hunkIds }),
    undo,
    async diff(hunkIds) {
      await history.refresh();
      return history.all.flatMap((file) => {
        const [offered] = offeredAgain([file], hunkIds, newId);
        if (offered === undefined || offered.hunks.length === 0) return [];
        const { text } = undoHunks(offered, () => true);
        const isSame = text === liveText(file) && file.exists;
        return isSame ? [] : [{ path: file.path, before: text, isThere: file.exists }];
      });
    },
  };
}

/**
 * Files with some of their kept hunks alone, as if these waited for an answer again. They are no part of their edit any
 * more, of which others may wait still.
 */
function offeredAgain(files: readonly TrackedFile[], hunkIds: ReadonlySet<string>, newId: () => string): TrackedFile[] {
  const editIds = new Map<string, string>();
  const editIdFor = (editId: string) => {
    const known = editIds.get(editId) ?? newId();
    editIds.set(editId, known);
    return known;
  };
  return files.flatMap((file) => {
    const kept = keepHunks({ ...file, lines: file.lines.map(plainLine) }, ({ id }) => !hunkIds.has(id));
    if (kept.hunks.length === 0) return [];
    const hunks = kept.hunks.map((hunk) => ({
      ...hunk,
      author: { ...hunk.author, editId: editIdFor(hunk.author.editId) },
    }));
    const { path, languageId } = file;
    return [{ path, languageId, lines: kept.lines.filter(isRemembered), hunks }];
  });
}

function plainLine({ by, movedFrom: _, ...line }: TrackedLine): TrackedLine {
  return by === undefined || by === original ? line : { ...line, by };
}
