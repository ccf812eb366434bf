import { inlineCode } from "./report.ts";
import type { Call, Outcome } from "./step.ts";

const shownChanges = 12;

/** What became of proposed edits, file by file: what was kept, what was rejected and in which words. */
export function describeEdits(calls: readonly Call[], outcomes: readonly Outcome[]): string {
  // Between edits that belong together there are problems that the next edit solves: they say nothing.
  const withProblems = calls.length === 1;
  const described = calls.map((call, index) =>
    describeEdit(String(call.arguments.path), outcomes[index], withProblems),
  );
  return described.join("\n");
}

function describeEdit(path: string, outcome: Outcome | undefined, withProblems: boolean): string {
  if (outcome === undefined) return `- \`${path}\`: nothing is known of this edit.`;
  if (outcome.isError) return `- \`${path}\`: not changed. ${outcome.text.split("\n")[0] ?? ""}`;
  const { kept, rejected, remarks, problems } = readEditResult(outcome.text);
  const changes = [
    ...kept.map((change) => `  - kept, line ${change.line}: ${showChange(change)}`),
    ...rejected.map((change) => `  - rejected, line ${change.line}: ${showChange(change)}${inWords(change.words)}`),
  ];
  const left = changes.length - shownChanges;
  return [
    `- \`${path}\`: ${headline(kept.length, rejected.length, outcome.text)}`,
    ...changes.slice(0, shownChanges),
    ...(left > 0 ? [`  - and ${left} more`] : []),
    ...[...remarks, ...(withProblems ? problems : [])].map((remark) => `  - ${remark}`),
  ].join("\n");
}

function headline(kept: number, rejected: number, text: string): string {
  if (kept > 0 && rejected > 0) return `kept ${kept}, rejected ${rejected}.`;
  if (rejected > 0) return "rejected, nothing was written.";
  if (kept > 0) return kept === 1 ? "the change was kept." : `${kept} changes were kept.`;
  return text.split("\n")[0] ?? "";
}

interface Change {
  line: number;
  oldLines: string[];
  newLines: string[];
  /** The user's, on a rejection. */
  words?: string;
}

interface EditResult {
  kept: Change[];
  rejected: Change[];
  /** What else the result says of the file: that it was not saved, or formatted on saving. */
  remarks: string[];
  /** What the editor reports since, and what no more. */
  problems: string[];
}

/** Reads the result of `edit_file` back: a headline, hunks, and what the user said to the rejected ones. */
function readEditResult(text: string): EditResult {
  const result: EditResult = { kept: [], rejected: [], remarks: [], problems: [] };
  const lines = text.split("\n");
  let rejection: { words?: string } | undefined;
  let further: string | undefined;
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    const refusal = /^Rejected by the user (?:without a reason|saying: (".*"))$/.exec(line);
    const beyond = furtherWords(line);
    if (beyond !== undefined) {
      further = beyond;
    } else if (refusal !== null) {
      rejection = refusal[1] === undefined ? {} : { words: String(JSON.parse(refusal[1])) };
    } else if (result.problems.length > 0 || /^(New|Solved) problems|^Problems in the file now/.test(line)) {
      result.problems.push(line);
    } else if (hunk !== null && (further !== undefined || result.remarks.length === 0)) {
      const [oldCount, newCount] = [Number(hunk[2]), Number(hunk[4])];
      const change = {
        line: Number(hunk[1]),
        oldLines: lines.slice(index + 1, index + 1 + oldCount).map((old) => old.slice(1)),
        newLines: lines.slice(index + 1 + oldCount, index + 1 + oldCount + newCount).map((added) => added.slice(1)),
      };
      if (further !== undefined) result.remarks.push(`${further}, line ${change.line}: ${showChange(change)}`);
      else if (rejection === undefined) result.kept.push(change);
      else result.rejected.push({ ...change, ...rejection });
      index += oldCount + newCount;
    } else {
      result.remarks.push(line);
    }
  }
  return result;
}

/** What the result calls the changes beyond the edit's own, in words for the one who made them. */
function furtherWords(line: string): string | undefined {
  if (line.startsWith("The user changed your proposal")) return "changed by you before it was kept";
  return line.startsWith("Beside your edit the file got") ? "changed beside the edit" : undefined;
}

function showChange({ oldLines, newLines }: Change): string {
  const [line] = newLines;
  if (line === undefined) return `${inlineCode((oldLines[0] ?? "").trim())} removed`;
  const more = newLines.length > 1 ? ` and ${newLines.length - 1} more` : "";
  return `${inlineCode(line.trim())}${more}`;
}

function inWords(words: string | undefined): string {
  return words === undefined || words === "" ? "" : `, you said: “${words}”`;
}
