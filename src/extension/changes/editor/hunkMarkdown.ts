import { l10n, MarkdownString } from "vscode";
import { shownLines } from "../approval.ts";
import type { ShownHunk } from "../shownHunks.ts";
import { hunkCommands } from "./hunkCommands.ts";

/** More new lines than this are left to the diff: a thread should not push the code out of sight. */
const mostLines = 40;

/** Characters of a line that may not fit into the width of a thread. */
const wideCharacters = 80;

/** The body of a hunk's thread: the new lines in the file's own colours, then what can be done. */
export function hunkMarkdown({ file, hunk }: ShownHunk): MarkdownString {
  const text = new MarkdownString("", true);
  text.isTrusted = { enabledCommands: Object.values(hunkCommands) };
  if (hunk.conflicted) {
    text.appendMarkdown(
      `${l10n.t("$(warning) The lines this replaces have changed. Undo your change to accept it, or reject it.")}\n`,
    );
  }
  const { newLines } = shownLines(hunk.hunk);
  if (newLines.length > 0) text.appendCodeblock(newLines.slice(0, mostLines).join("\n"), file.languageId);
  else text.appendMarkdown(`${removal(hunk.hunk.oldLines.length)}\n\n`);
  if (newLines.length > mostLines)
    text.appendMarkdown(`${l10n.t("… and {0} more lines", newLines.length - mostLines)}\n\n`);
  text.appendMarkdown(links(hunk.id, hunk.conflicted));
  // The scrollbar of wide lines lies over the last line of a thread.
  return newLines.some((line) => line.length > wideCharacters) ? text.appendMarkdown("  \n&nbsp;") : text;
}

function removal(count: number): string {
  return count === 1 ? l10n.t("Deletes the line above.") : l10n.t("Deletes the {0} lines above.", count);
}

function links(hunkId: string, conflicted: boolean): string {
  const target = encodeURIComponent(JSON.stringify([hunkId, "thread"]));
  const link = (label: string, command: string) => `[${label}](command:${command}?${target})`;
  return [
    ...(conflicted ? [] : [link(l10n.t("$(check) Accept"), hunkCommands.accept)]),
    link(l10n.t("$(discard) Reject"), hunkCommands.reject),
    link(l10n.t("$(comment) Reject and say why"), hunkCommands.rejectWhy),
    link(l10n.t("$(diff) Open diff"), hunkCommands.openDiff),
  ].join(" · ");
}
