import { diffSequences } from "../../changes/model/sequenceDiff.ts";
import { keepLineEnds, majorityLineEnd } from "../../tools/text/keepLineEnds.ts";
import { placeholderLines } from "../../tools/text/placeholders.ts";

/** A file's text with the code in its place, or why it has none. */
export type Placed = { after: string } | { problem: "leavesOut" | "nowhere" | "ambiguous" };

/** From this share of a file's lines on, code that begins like the file is the whole of it. */
const wholeFromStart = 0.5;
const whole = 0.8;

/**
 * Puts code from an answer into a file. It is either the file anew, or a part of it: then it replaces what stands
 * between its own first and last line, since those are what people and models leave as they were.
 */
export function placeCode(before: string, code: string): Placed {
  const text = code.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
  if (placeholderLines(text, before).length > 0) return { problem: "leavesOut" };
  const lines = text.split("\n");
  const known = before.split(/\r\n|\r|\n/);
  if (before.trim() === "" || isWhole(known, lines)) return { after: withLineEnds(before, `${text}\n`) };
  const part = partOf(known, lines);
  if ("problem" in part) return part;
  const after = known.toSpliced(part.start, part.count, ...part.lines).join("\n");
  return { after: withLineEnds(before, after) };
}

function withLineEnds(before: string, after: string): string {
  return keepLineEnds(before, after, majorityLineEnd(before) ?? "\n");
}

function isWhole(known: readonly string[], lines: readonly string[]): boolean {
  const written = known.filter((line) => line.trim() !== "");
  const share = sharedLines(written, lines) / written.length;
  return share >= (written[0] === lines[0] ? wholeFromStart : whole);
}

function sharedLines(a: readonly string[], b: readonly string[]): number {
  return a.length - diffSequences(a, b).reduce((changed, { aStart, aEnd }) => changed + aEnd - aStart, 0);
}

interface Part {
  start: number;
  count: number;
  lines: string[];
}

function partOf(known: readonly string[], lines: readonly string[]): Part | Extract<Placed, { problem: string }> {
  const [first = ""] = lines;
  const starts = known.flatMap((line, index) => (line.trim() === first.trim() ? [index] : []));
  const parts = starts.flatMap((start) => partFrom(known, lines, start) ?? []);
  const [best, second] = parts.toSorted((a, b) => b.alike - a.alike);
  if (best === undefined) return { problem: "nowhere" };
  return second !== undefined && second.alike === best.alike ? { problem: "ambiguous" } : best;
}

/** The part that begins at a line; `alike` is how many of its lines the code keeps. */
function partFrom(
  known: readonly string[],
  lines: readonly string[],
  start: number,
): (Part & { alike: number }) | undefined {
  const indented = indentLike(known[start] ?? "", lines);
  const last = indented.at(-1);
  const from = lines.length === 1 ? start : start + 1;
  const end = known.findIndex((line, index) => index >= from && line.trimEnd() === last);
  if (end < 0) return undefined;
  const replaced = known.slice(start, end + 1);
  return { start, count: replaced.length, lines: indented, alike: sharedLines(replaced, indented) };
}

/** Code in an answer often stands at the margin, wherever it comes from. */
function indentLike(line: string, lines: readonly string[]): string[] {
  const own = indentOf(lines[0] ?? "");
  const wanted = indentOf(line);
  return lines.map((each) => {
    if (each.trim() === "") return "";
    return (each.startsWith(own) ? wanted + each.slice(own.length) : each).trimEnd();
  });
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
