import { diffLines } from "../review/hunks/diffLines.ts";
import type { FileOutcome, HunkOutcome, ProposedChange } from "../review/review.ts";
import type { FileDiagnostic } from "../workspace/workspace.ts";
import { type DiagnosticChange, diagnosticText } from "./diagnosticText.ts";
import { changeCount, hunksText } from "./hunkText.ts";
import { keptText } from "./keptText.ts";

const mostDiagnostics = 20;

/** What became of a proposed change, for the model: kept, rejected, changed on the way. */
export function editReport(change: ProposedChange, outcome: FileOutcome): string {
  if (change.movedTo !== undefined) return moveReport(change.path, change.movedTo, outcome);
  const kept = outcome.hunks.filter((hunk) => hunk.accepted);
  const unfit = outcome.hunks.filter(isUnfit);
  const rejected = outcome.hunks.filter((hunk) => !hunk.accepted && !isUnfit(hunk));
  return [
    ...headline(change, { kept, rejected, unfit }),
    ...rejected.map(rejection),
    ...unfit.map(({ hunk }) => `Not written: the lines changed meanwhile\n${hunksText([hunk])}`),
    ...furtherChanges(change, outcome, kept),
    ...(kept.length > 0 && !outcome.saved
      ? ["The file has unsaved changes in the editor, so it was not saved: the edit is in the editor's text only."]
      : []),
  ].join("\n");
}

function moveReport(path: string, to: string, { hunks, followed = [] }: FileOutcome): string {
  const rejected = hunks.find((hunk) => !hunk.accepted);
  if (rejected) return `The user rejected the move of ${path} ${wordsOf(rejected)}: nothing was moved.`;
  const others =
    followed.length > 0
      ? `The editor followed the move in ${followed.join(", ")}: read them again before you edit them.`
      : "No other file followed: if some refer to the old path, change them.";
  return `Moved ${path} to ${to}. ${others}`;
}

/** It had no place any more; with words of the user it is rejected all the same. */
function isUnfit({ accepted, conflicted, reason }: HunkOutcome): boolean {
  return !accepted && conflicted === true && reason === undefined;
}

type Decided = Record<"kept" | "rejected" | "unfit", readonly HunkOutcome[]>;

function headline({ path, before, after }: ProposedChange, { kept, rejected, unfit }: Decided) {
  const verb = before === undefined ? "Created" : after === undefined ? "Deleted" : "Edited";
  const hunks = kept.map(({ hunk }) => hunk);
  if (hunks.length === 0 && rejected.length > 0) return [`The user rejected the edit of ${path}: nothing was written.`];
  if (hunks.length === 0 && unfit.length > 0) {
    return [`The edit of ${path} was not written: the lines changed meanwhile. Read the file again, then edit it.`];
  }
  const left = [
    ...(rejected.length > 0 ? [`rejected ${rejected.length}`] : []),
    ...(unfit.length > 0 ? [`not written ${unfit.length}`] : []),
  ];
  const count = left.length === 0 ? changeCount(hunks) : `kept ${[changeCount(hunks), ...left].join(", ")}`;
  return [`${verb} ${path}: ${count}.`, ...(before === undefined ? [] : [hunksText(hunks)])];
}

function rejection(rejected: HunkOutcome): string {
  return `Rejected by the user ${wordsOf(rejected)}\n${hunksText([rejected.hunk])}`;
}

function wordsOf({ reason }: HunkOutcome): string {
  return reason === undefined || reason === "" ? "without a reason" : `saying: ${JSON.stringify(reason)}`;
}

/** What stands in the file beyond the kept hunks: the user's hand in the proposal, or a formatter's on saving. */
function furtherChanges(change: ProposedChange, outcome: FileOutcome, kept: readonly HunkOutcome[]): string[] {
  if (outcome.text === undefined || kept.length === 0) return [];
  const isWhole = outcome.changedByUser && kept.length === outcome.hunks.length;
  const hunks = kept.map(({ hunk }) => hunk);
  const expected = isWhole ? (change.after ?? "") : keptText(change, hunks);
  const further = diffLines(expected.replace(/\r\n?/g, "\n"), outcome.text.replace(/\r\n?/g, "\n"));
  if (further.length === 0) return [];
  const who = outcome.changedByUser
    ? "The user changed your proposal before accepting it; compared with it the file now has"
    : "Beside your edit the file got these changes (the user's typing, or format on save)";
  return [`${who}:\n${hunksText(further)}`];
}

/** The problems that follow from an edit; those of the only edited file without its path. */
export function problemReport(change: DiagnosticChange, paths: readonly string[]): string[] {
  const path = paths.length === 1 ? paths[0] : undefined;
  if ("present" in change) {
    return problems(`Problems in the ${path === undefined ? "files" : "file"} now`, change.present, path);
  }
  return [...problems("New problems", change.appeared, path), ...problems("Solved problems", change.vanished, path)];
}

function problems(title: string, list: readonly FileDiagnostic[], path: string | undefined): string[] {
  if (list.length === 0) return [];
  const lines = list
    .slice(0, mostDiagnostics)
    .map((each) => `${each.path === path ? "" : `${each.path}:`}${diagnosticText(each)}`);
  if (list.length > mostDiagnostics) lines.push(`(${list.length - mostDiagnostics} more)`);
  return [`${title}:\n${lines.join("\n")}`];
}
