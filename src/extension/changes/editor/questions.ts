import { l10n, window } from "vscode";
import { authorsOf, type TrackedFile } from "../model/change.ts";
import { inScope, type WrittenScope } from "../model/scope.ts";
import { shownWritten } from "../shownHunks.ts";

/** Asks which agent's edits are meant, with those of the agents it started. */
export async function chooseAgent(files: readonly TrackedFile[]): Promise<string | undefined> {
  const list = authorsOf(files).map(({ label, path, agentId, count }) => {
    const edits = count === 1 ? l10n.t("1 edit") : l10n.t("{0} edits", count);
    return { label, agentId, description: label === path ? edits : `${path} · ${edits}` };
  });
  const chosen = await window.showQuickPick(list, {
    title: l10n.t("Whose edits?"),
    placeHolder: l10n.t("An agent, with the agents it started"),
  });
  return chosen?.agentId;
}

/** One hunk is undone at once: it can be seen, and redone. */
export async function confirmUndo(files: readonly TrackedFile[], scope: WrittenScope): Promise<boolean> {
  const isMeant = inScope(scope);
  const counts = files.map((file) => {
    const hunks = shownWritten(file).filter(({ written }) => isMeant(written)).length;
    return { path: file.path, hunks };
  });
  const total = counts.reduce((sum, { hunks }) => sum + hunks, 0);
  if (total < 2) return true;
  const message =
    counts.length === 1
      ? l10n.t("Undo {0} edits in 1 file?", total)
      : l10n.t("Undo {0} edits in {1} files?", total, counts.length);
  const listed = counts
    .slice(0, 10)
    .map(({ path, hunks }) => (hunks === 1 ? l10n.t("{0}: 1 edit", path) : l10n.t("{0}: {1} edits", path, hunks)));
  const more = counts.length > 10 ? [l10n.t("… and {0} more", counts.length - 10)] : [];
  const detail = [...listed, ...more].join("\n");
  const button = l10n.t("Undo");
  return (await window.showWarningMessage(message, { modal: true, detail }, button)) === button;
}

/** What the user reads after an answer to several edits, when some could not be written. */
export function conflictMessage(count: number): string {
  return count === 1
    ? l10n.t("1 edit was left as proposed: its lines have changed meanwhile. Choose in its file whose lines to use.")
    : l10n.t(
        "{0} edits were left as proposed: their lines have changed meanwhile. Choose in their files whose lines to use.",
        count,
      );
}

export function redoMessage(count: number): string {
  return count === 1
    ? l10n.t("1 edit could not be redone: you changed its lines since. Your lines stay.")
    : l10n.t("{0} edits could not be redone: you changed their lines since. Your lines stay.", count);
}
