import { t } from "@vscode/l10n";
import type { EditedHunk, FileEdit } from "../../../protocol/fileEdits.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { plural } from "../../text/format.ts";
import { visible, visibleLines } from "../../text/visible.ts";
import { LinkButton } from "../../ui/Buttons.tsx";
import { ChangeKind, DiffLines, LineCounts } from "../../ui/DiffLines.tsx";

/** What became of an edit: its lines, and what of them was not wanted. */
export function EditedFiles({ edits, post }: { edits: readonly FileEdit[]; post(intent: Intent): void }) {
  const isAlone = edits.length === 1;
  return edits.map((edit) => <EditedFile key={edit.path} edit={edit} isAlone={isAlone} post={post} />);
}

interface EditedFileProps {
  edit: FileEdit;
  /** The card names it already. */
  isAlone: boolean;
  post(intent: Intent): void;
}

function EditedFile({ edit, isAlone, post }: EditedFileProps) {
  const { path, movedTo, hunks = [], omittedLines = 0 } = edit;
  const shown = visible(path);
  const now = movedTo ?? path;
  return (
    <section class="edited-file" aria-label={shown}>
      {(!isAlone || movedTo !== undefined || edit.change === "delete") && (
        <div class="file-head">
          <span class="file-name" title={shown}>
            <LinkButton title={t("Open {0}", visible(now))} onClick={() => post({ type: "openFile", path: now })}>
              {shown.slice(shown.lastIndexOf("/") + 1)}
            </LinkButton>
          </span>
          <span class="file-folder">{shown.slice(0, Math.max(0, shown.lastIndexOf("/")))}</span>
          <ChangeKind change={edit.change} movedTo={movedTo} />
          <LineCounts added={edit.added} removed={edit.removed} />
        </div>
      )}
      {hunks.map((hunk, index) => (
        <EditedLines key={index} hunk={hunk} open={(line) => post({ type: "openFile", path: now, line })} />
      ))}
      {omittedLines > 0 && (
        <p class="hint">{plural(omittedLines, t("{0} more line", omittedLines), t("{0} more lines", omittedLines))}</p>
      )}
    </section>
  );
}

interface EditedLinesProps {
  hunk: EditedHunk;
  /** Shows the file's line. */
  open(line: number): void;
}

function EditedLines({ hunk: { line, oldLines, newLines, left, reason }, open }: EditedLinesProps) {
  if (oldLines.length + newLines.length === 0 && left === undefined) return null;
  return (
    <div class="hunk" data-decision={left === undefined ? undefined : "rejected"}>
      <div class="hunk-head">
        <span class="hunk-place">
          <LinkButton onClick={() => open(Math.max(1, line))}>{t("Line {0}", line)}</LinkButton>
        </span>
        {left !== undefined && <span class="hunk-decision">{leftWords[left]}</span>}
      </div>
      {reason !== undefined && <p class="hunk-reason">{visibleLines(reason)}</p>}
      {oldLines.length + newLines.length > 0 && <DiffLines oldLines={oldLines} newLines={newLines} />}
    </div>
  );
}

const leftWords: Readonly<Record<NonNullable<EditedHunk["left"]>, string>> = {
  rejected: t("rejected"),
  conflicted: t("not written: lines changed"),
  unanswered: t("not answered"),
};
