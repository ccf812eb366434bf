import type { TrackedFile, TrackedLine } from "../model/change.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { editorLines } from "../model/pieces.ts";
import { lineFrom, untouched } from "../model/trackedLines.ts";
import { isRemoved, original, withMovedLines } from "./movedLines.ts";

/** What somebody types that long after it was removed elsewhere is theirs. */
const maxAgeMs = 10 * 60_000;
const maxRemovals = 20;
/** Between two removals: no line is this one, so that no run of lines reaches from one into the next. */
const end: TrackedLine = { text: "\n", end: "", isLive: false };

/** What was lately removed from files that agents wrote to, to be recognised where it is put in another one. */
export class LatelyRemoved {
  #removals: readonly { path: string; at: number; lines: readonly TrackedLine[] }[] = [];
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A file had one text and has another one since. */
  note({ path, lines: before }: TrackedFile, { lines: after }: TrackedFile): void {
    const known = new Map<string, number>();
    for (const { text } of before.filter(isRemoved)) known.set(text, (known.get(text) ?? 0) + 1);
    const lines = after.filter(isRemoved).filter(({ text }) => {
      const count = known.get(text) ?? 0;
      if (count > 0) known.set(text, count - 1);
      return count === 0;
    });
    if (lines.length > 0) this.#removals = [...this.#removals, { path, at: this.#now(), lines }].slice(-maxRemovals);
  }

  /** From other files than this one, the latest first. */
  elsewhere(path: string): readonly TrackedLine[] {
    const since = this.#now() - maxAgeMs;
    const removals = this.#removals.filter((removal) => removal.path !== path && removal.at >= since);
    return removals.toReversed().flatMap(({ lines }) => [...lines, end]);
  }
}

interface Typed {
  path: string;
  languageId: string;
  /** The whole text since: it is not asked for where nothing can have been moved. */
  textNow(): string;
  edits: readonly LineEdit[];
}

/** A file that no agent wrote to, when what was typed into it was removed elsewhere; else undefined. */
export function fileWithMovedLines(
  { path, languageId, textNow, edits }: Typed,
  elsewhere: readonly TrackedLine[],
): TrackedFile | undefined {
  if (elsewhere.length === 0) return undefined;
  const text = textNow();
  const texts = new Set(elsewhere.map((line) => line.text.trim()));
  const put = new Set<number>();
  let shift = 0;
  for (const edit of edits.toSorted((one, other) => one.startLine - other.startLine)) {
    const start = edit.startLine + shift;
    for (let line = start; line < start + edit.lines.length; line++) put.add(line);
    shift += edit.lines.length - 1 - (edit.endLine - edit.startLine);
  }
  const now = editorLines(text);
  if (![...put].some((line) => texts.has(now[line]?.trim() ?? ""))) return undefined;
  const file = untouched(path, languageId, text);
  const isPut = (index: number) => put.has(index) && texts.has(now[index]?.trim() ?? "");
  const lines = file.lines.map((line, index) => (isPut(index) ? line : lineFrom(line.text + line.end, original)));
  const before = { ...file, lines: lines.filter((_, index) => !isPut(index)) };
  const after = withMovedLines(before, { ...file, lines }, elsewhere);
  if (after.lines.every(({ movedFrom }) => movedFrom === undefined)) return undefined;
  const known = after.lines.map((line) =>
    line.by === undefined && line.movedFrom === undefined ? { ...line, by: original } : line,
  );
  return { ...after, lines: known };
}
