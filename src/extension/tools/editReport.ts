import type { FileOutcome, HunkOutcome, ProposedChange } from "../changes/model/change.ts";
import { applyHunks, diffLines, type Hunk } from "../changes/model/diffLines.ts";
import type { FileDiagnostic } from "../workspace/workspace.ts";
import { type DiagnosticChange, diagnosticText } from "./diagnosticText.ts";

const maxDiagnostics = 20;

type ShowHunks = typeof hunksText;

export interface ReportOptions {
  /** Says who stopped the run that left hunks unanswered. */
  stop?: string;
  /** Writes out hunks; where the file holds what the agent may not see, it says so instead. */
  show?: ShowHunks;
}

/** What became of a proposed change, for the model. */
export function editReport(
  change: ProposedChange,
  outcome: FileOutcome,
  { stop = "the run was stopped", show = hunksText }: ReportOptions = {},
): string {
  if (change.movedTo !== undefined) return moveReport(change.path, change.movedTo, outcome, stop);
  const decided = decidedHunks(outcome);
  const { kept, rejected, unfit, unanswered } = decided;
  return [
    ...headline(change, decided, { stop, show }),
    ...rejected.map((hunk) => rejection(hunk, show)),
    ...unfit.map(({ hunk }) => `Not written: the lines changed meanwhile\n${show([hunk])}`),
    ...unanswered.map(({ hunk }) => `Not answered: ${stop}\n${show([hunk])}`),
    ...furtherChanges(change, outcome, { kept, show }),
    ...(kept.length > 0 && !outcome.saved
      ? ["The file has unsaved changes in the editor, so it was not saved: the edit is in the editor's text only."]
      : []),
  ].join("\n");
}

/** The result of an edit, with what did not count when its lines were looked for in the file. */
export function withIgnored<Result extends { content: string }>(result: Result, ignored: readonly string[]): Result {
  if (ignored.length === 0) return result;
  const list = ignored.length === 1 ? ignored[0] : `${ignored.slice(0, -1).join(", ")} and ${ignored.at(-1)}`;
  return { ...result, content: `${result.content}\nMatched ignoring ${list}: copy the lines exactly next time.` };
}

function moveReport(path: string, to: string, outcome: FileOutcome, stop: string): string {
  const { hunks, followed = [], changedWith = [] } = outcome;
  const refused = hunks.find((hunk) => !hunk.accepted);
  if (refused?.unanswered) return `The move of ${path} was not answered, because ${stop}: nothing was moved.`;
  if (refused) return `The user rejected the move of ${path} ${wordsOf(refused)}: nothing was moved.`;
  const others = [
    ...(changedWith.length > 0 ? [`Imports are updated in ${changedWith.join(", ")}.`] : []),
    ...(followed.length > 0
      ? [`The editor followed the move in ${followed.join(", ")}: read them again before you edit them.`]
      : []),
  ];
  if (others.length === 0) others.push("No other file followed: if some refer to the old path, change them.");
  return [`Moved ${path} to ${to}.`, ...others].join(" ");
}

type Decided = Record<"kept" | "rejected" | "unfit" | "unanswered", readonly HunkOutcome[]>;

function decidedHunks({ hunks }: FileOutcome): Decided {
  const left = hunks.filter(({ accepted }) => !accepted);
  return {
    kept: hunks.filter(({ accepted }) => accepted),
    rejected: left.filter(({ unanswered, conflicted }) => !unanswered && !conflicted),
    unfit: left.filter(({ conflicted }) => conflicted),
    unanswered: left.filter(({ unanswered }) => unanswered),
  };
}

function headline(
  { path, before, after }: ProposedChange,
  { kept, rejected, unfit, unanswered }: Decided,
  { stop, show }: Required<ReportOptions>,
): string[] {
  const verb = before === undefined ? "Created" : after === undefined ? "Deleted" : "Edited";
  const hunks = kept.map(({ hunk }) => hunk);
  const left = [
    ...(rejected.length > 0 ? [`rejected ${rejected.length}`] : []),
    ...(unfit.length > 0 ? [`not written ${unfit.length}`] : []),
    ...(unanswered.length > 0 ? [`not answered ${unanswered.length}`] : []),
  ];
  if (hunks.length === 0 && left.length > 1) return [`Nothing of the edit of ${path} was written: ${left.join(", ")}.`];
  if (hunks.length === 0 && rejected.length > 0) return [`The user rejected the edit of ${path}: nothing was written.`];
  if (hunks.length === 0 && unanswered.length > 0) {
    return [`The edit of ${path} was not answered, because ${stop}: nothing was written.`];
  }
  if (hunks.length === 0 && unfit.length > 0) {
    return [`The edit of ${path} was not written: the lines changed meanwhile. Read the file again, then edit it.`];
  }
  const count = left.length === 0 ? changeCount(hunks) : `kept ${[changeCount(hunks), ...left].join(", ")}`;
  return [`${verb} ${path}: ${count}.`, ...(before === undefined ? [] : [show(hunks)])];
}

function rejection(rejected: HunkOutcome, show: ShowHunks): string {
  return `Rejected by the user ${wordsOf(rejected)}\n${show([rejected.hunk])}`;
}

function wordsOf({ reason }: HunkOutcome): string {
  return reason === undefined || reason === "" ? "without a reason" : `saying: ${JSON.stringify(reason)}`;
}

/** What is in the file beyond the kept hunks: the user's hand in the proposal, or a formatter's on saving. */
function furtherChanges(
  change: ProposedChange,
  outcome: FileOutcome,
  { kept, show }: { kept: readonly HunkOutcome[]; show: ShowHunks },
): string[] {
  if (outcome.text === undefined || kept.length === 0) return [];
  const isWhole = kept.length === outcome.hunks.length;
  // The kept hunks are the user's then, made for the text as it was when the user changed them.
  if (outcome.changedByUser && !isWhole) {
    return ["The user changed your proposal before accepting it: the changes above are as the user left them."];
  }
  const expected = outcome.changedByUser
    ? (change.after ?? "")
    : keptText(
        change,
        kept.map(({ hunk }) => hunk),
      );
  const further = diffLines(expected.replace(/\r\n?/g, "\n"), outcome.text.replace(/\r\n?/g, "\n"));
  if (further.length === 0) return [];
  const who = outcome.changedByUser
    ? "The user changed your proposal before accepting it; compared with it the file now has"
    : "Beside your edit the file got these changes (the user's typing, or format on save)";
  return [`${who}:\n${show(further)}`];
}

/** The problems that follow from an edit; those of the only edited file without its path. */
export function problemReport(change: DiagnosticChange, paths: readonly string[]): string[] {
  const path = paths.length === 1 ? paths[0] : undefined;
  const { appeared, vanished, present, others } = change;
  const now = problems(`Problems in the ${path === undefined ? "files" : "file"} now`, present, path);
  if (others.length === 0) {
    return [...problems("New problems", appeared, path), ...problems("Solved problems", vanished, path), ...now];
  }
  const named = others.length > 5 ? `${others.slice(0, 5).join(", ")} and others` : others.join(", ");
  const changed = [
    ...problems("Problems that appeared meanwhile", appeared, path),
    ...problems("Problems that went away meanwhile", vanished, path),
  ];
  const note = `(Other files changed at the same time, so these may not be due to this edit: ${named}.)`;
  return [...(changed.length > 0 ? [...changed, note] : []), ...now];
}

function problems(title: string, list: readonly FileDiagnostic[], path: string | undefined): string[] {
  if (list.length === 0) return [];
  const lines = list
    .slice(0, maxDiagnostics)
    .map((each) => `${each.path === path ? "" : `${each.path}:`}${diagnosticText(each)}`);
  if (list.length > maxDiagnostics) lines.push(`(${list.length - maxDiagnostics} more)`);
  return [`${title}:\n${lines.join("\n")}`];
}

/** The text that a change makes of its original when only these of its hunks are kept. */
function keptText({ before = "", after = "" }: ProposedChange, kept: readonly Hunk[]): string {
  const starts = new Set(kept.map(placeOf));
  return applyHunks(
    before,
    diffLines(before, after).filter((hunk) => starts.has(placeOf(hunk))),
  );
}

function placeOf({ oldStart, newStart }: Hunk): string {
  return `${oldStart}:${newStart}`;
}

const maxLines = 60;
const maxLineLength = 300;

/** Hunks as a unified diff without context; past the limit only how many lines are left out. */
export function hunksText(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => [
    hunkHeader(hunk),
    ...hunk.oldLines.map((line) => `-${line.slice(0, maxLineLength)}`),
    ...hunk.newLines.map((line) => `+${line.slice(0, maxLineLength)}`),
  ]);
  if (lines.length <= maxLines) return lines.join("\n");
  return [...lines.slice(0, maxLines), `(${lines.length - maxLines} more lines of the diff are left out)`].join("\n");
}

/** In place of the hunks of a file that the agent may not see. */
export function hiddenHunks(): string {
  return "(The lines are not shown, since the file may hold secrets. read_file asks the user.)";
}

function hunkHeader({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${oldStart},${oldLines.length} +${newStart},${newLines.length} @@`;
}

/** Like "3 changes (+5 −2)". */
function changeCount(hunks: readonly Hunk[]): string {
  const added = hunks.reduce((sum, hunk) => sum + hunk.newLines.length, 0);
  const removed = hunks.reduce((sum, hunk) => sum + hunk.oldLines.length, 0);
  return `${hunks.length} ${hunks.length === 1 ? "change" : "changes"} (+${added} −${removed})`;
}
