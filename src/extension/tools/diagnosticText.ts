import { diffLines } from "../changes/model/diffLines.ts";
import type { DiagnosticSnapshot, FileDiagnostic } from "../workspace/workspace.ts";

/** From the worst to the mildest. */
export const severities = ["error", "warning", "information", "hint"] as const;

/** A diagnostic without its path, like `12:5 error: Cannot find name 'x' (ts)`. */
export function diagnosticText({ line, column, severity, message, source }: FileDiagnostic): string {
  return `${line}:${column} ${severity}: ${message}${source === undefined ? "" : ` (${source})`}`;
}

/** What came and went between two snapshots around an edit. */
export interface DiagnosticChange {
  appeared: FileDiagnostic[];
  vanished: FileDiagnostic[];
  /** Of edited files of which is not known what there was before: what there is now. */
  present: FileDiagnostic[];
  /** Other files that changed meanwhile: what came or went may be due to them. */
  others: readonly string[];
}

/** An edited file, with its texts where both are known. */
export interface EditedFile {
  path: string;
  before?: string;
  after?: string;
}

/**
 * What came and went with an edit: errors and warnings of the edited files, errors elsewhere, as far as both snapshots
 * know of the file. One that only moved with its line is the same.
 */
export function diagnosticChange(
  files: readonly EditedFile[],
  before: DiagnosticSnapshot | undefined,
  after: DiagnosticSnapshot,
  others: readonly string[] = [],
): DiagnosticChange {
  const isEdited = (path: string) => files.some((file) => file.path === path);
  const counts = ({ path, severity }: FileDiagnostic) =>
    severity === "error" || (severity === "warning" && isEdited(path));
  const isKnown = ({ path }: FileDiagnostic) => before?.known.has(path) === true && after.known.has(path);
  const [old, now] = [(before?.list ?? []).filter(counts), after.list.filter(counts)];
  const present = now.filter((each) => isEdited(each.path) && before?.known.has(each.path) !== true);
  const left = old.filter(isKnown);
  const appeared = now.filter(isKnown).filter((each) => {
    const same = left.findIndex((other) =>
      isSame(
        other,
        each,
        files.find(({ path }) => path === each.path),
      ),
    );
    if (same >= 0) left.splice(same, 1);
    return same < 0;
  });
  return { appeared, vanished: left, present, others };
}

/** The same problem before and after: at the same line, as the edit moved it, or in what was written in its place. */
function isSame(before: FileDiagnostic, after: FileDiagnostic, file: EditedFile | undefined): boolean {
  if (keyOf(before) !== keyOf(after)) return false;
  if (file === undefined) return true;
  if (file.before === undefined || file.after === undefined) return true;
  let moved = before.line;
  for (const { oldStart, oldLines, newStart, newLines } of diffLines(file.before, file.after)) {
    const isReplaced = before.line >= oldStart && before.line < oldStart + oldLines.length;
    if (isReplaced) return after.line >= newStart && after.line < newStart + newLines.length;
    if (before.line >= oldStart + oldLines.length) moved += newLines.length - oldLines.length;
  }
  return moved === after.line;
}

function keyOf({ path, severity, message, source }: FileDiagnostic): string {
  return JSON.stringify([path, severity, message, source ?? ""]);
}
