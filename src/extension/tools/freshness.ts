import { diffLines } from "../changes/model/diffLines.ts";
import type { Extent } from "../changes/model/lineEdit.ts";
import { mergeTexts } from "../changes/model/mergeTexts.ts";
import { lineOf, splitPieces } from "../changes/model/pieces.ts";
import { addedLines, type Difference, diffSequences } from "../changes/model/sequenceDiff.ts";
import { ToolError } from "../common/userError.ts";
import { hunksText } from "./editReport.ts";
import type { TextContent } from "./openText.ts";
import type { ReadVersions } from "./readVersions.ts";
import { EditError } from "./text/editError.ts";

/** A file that changed since the agent saw it. */
export interface StaleFile {
  path: string;
  /** Who changed it, in words. */
  by: string;
  /** As the agent saw it; undefined when that was too long to keep. */
  seen: string | undefined;
  current: string;
}

/** Undefined for what the agent has seen as it is, and for what it has not seen at all. */
export function staleFile(
  reads: ReadVersions,
  agentId: string,
  path: string,
  { text, version }: TextContent,
): StaleFile | undefined {
  const seen = reads.seen(agentId, path);
  if (!seen || seen.version === version) return undefined;
  return { path, by: reads.changedBy(agentId, path, version), seen: seen.text, current: text };
}

/** Refuses what needs the whole file as the agent saw it, and says what changed and by whom. */
export function refuseStale(reads: ReadVersions, agentId: string, path: string, content: TextContent): void {
  const stale = staleFile(reads, agentId, path, content);
  if (stale !== undefined) throw staleError(stale);
}

export function staleError({ path, by, seen, current }: StaleFile): ToolError {
  const changes = seen === undefined ? "" : `\n${hunksText(diffLines(seen, current))}`;
  return new ToolError(
    `${path} changed since you read it by ${by}. Read it again, then edit what it holds now.${changes}`,
  );
}

/** What an edit that needs only some lines of a stale file makes of the text it has now; throws when those changed. */
export function editedText(stale: StaleFile, edit: (text: string) => string, everyPlace = false): string {
  const { seen, current } = stale;
  const before = seen === undefined ? undefined : attempt(edit, seen);
  if (seen === undefined || before === undefined || before === "ambiguous") throw staleError(stale);
  const again = attempt(edit, current);
  return made(stale, rebased({ seen, wanted: before.text, current, again, everyPlace }));
}

/** What a new text of a whole stale file makes of the text it has now; throws where both changed the same lines. */
export function mergedText(stale: StaleFile, write: (before: string) => string): string {
  const { seen, current } = stale;
  if (seen === undefined) throw staleError(stale);
  return made(stale, merged(seen, current, write(seen)));
}

function made(stale: StaleFile, text: string | undefined): string {
  if (text === undefined) throw staleError(stale);
  if (text !== stale.current) return text;
  throw new EditError("no-change", `${stale.path} has this change already, made by ${stale.by}: nothing to write.`);
}

function attempt(edit: (text: string) => string, text: string): { text: string } | "ambiguous" | undefined {
  try {
    return { text: edit(text) };
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    return error.kind === "ambiguous" ? "ambiguous" : undefined;
  }
}

/** The result, with what else changed in files since the agent saw them. */
export function withOtherChanges<Result extends { content: string }>(
  result: Result,
  stale: readonly StaleFile[],
): Result {
  const notes = stale.map(({ path, by, seen, current }) => {
    const changes = seen === undefined ? "" : `\n${hunksText(diffLines(seen, current))}`;
    return `${path} changed since you read it by ${by}, in other lines than this edit needs. The edit was made for the text with these changes:${changes}`;
  });
  return notes.length === 0 ? result : { ...result, content: [result.content, ...notes].join("\n") };
}

interface RebasedEdit {
  /** The text that the edit was made for. */
  seen: string;
  /** What the edit makes of it. */
  wanted: string;
  /** The text as it is now. */
  current: string;
  /** What the same edit makes of that: "ambiguous" where it fits in several places, undefined where it fits nowhere. */
  again: { text: string } | "ambiguous" | undefined;
  /** The edit is meant for every place where it fits, also for new ones. */
  everyPlace?: boolean;
}

/**
 * The edit on the text as it is now. Undefined where the lines that it needs have changed: where it does not fit any
 * more, or fits only somewhere else than in the lines it was made for.
 */
function rebased(edit: RebasedEdit): string | undefined {
  const { seen, wanted, current, again, everyPlace = false } = edit;
  if (again === undefined) return undefined;
  if (again !== "ambiguous" && (everyPlace || isInPlace(edit, again.text))) return again.text;
  // Its lines are there once more: which ones are meant follows from the text that it was made for.
  return again === "ambiguous" ? merged(seen, current, wanted) : undefined;
}

/** A whole new text that was written for another one than there is now; undefined where both changed the same lines. */
function merged(seen: string, current: string, wanted: string): string | undefined {
  const { text, conflicts } = mergeTexts(seen, current, wanted);
  return conflicts.length === 0 ? text : undefined;
}

function isInPlace({ seen, wanted, current }: RebasedEdit, again: string): boolean {
  if (merged(seen, current, wanted) === again) return true;
  const [seenLines, currentLines] = [linesOf(seen), linesOf(current)];
  const changes = diffSequences(seenLines, currentLines);
  const places = diffSequences(seenLines, linesOf(wanted)).map((difference) => placeAfter(difference, changes));
  return diffSequences(currentLines, linesOf(again)).every(({ aStart, aEnd }) =>
    places.some(({ start, end }) => start <= aStart && aEnd <= end),
  );
}

/** Where the lines are after the changes, with the whole of those changes that touch them. */
function placeAfter({ aStart, aEnd }: Difference, changes: readonly Difference[]): Extent {
  const touching = changes.filter((change) => change.aStart <= aEnd && aStart <= change.aEnd);
  const shift = addedLines(changes.filter((change) => change.aEnd < aStart));
  const start = Math.min(aStart, touching[0]?.aStart ?? aStart);
  const end = Math.max(aEnd, touching.at(-1)?.aEnd ?? aEnd);
  return { start: start + shift, end: end + shift + addedLines(touching) };
}

function linesOf(text: string): string[] {
  return splitPieces(text).map(lineOf);
}
