import { errorText } from "../../../agent/vocabulary/errors.ts";
import { withinTime } from "../../common/deadline.ts";
import { escapeRegex } from "../../common/escapeRegex.ts";
import { ToolError } from "../../common/userError.ts";
import type { TextSearch } from "../workspace.ts";

/** A line of one text; see `TextMatch`. */
export interface FoundLine {
  line: number;
  text: string;
  isMatch: boolean;
}

/** Beyond it a line is not tried: it is data, and a regular expression may take for ever on it. */
const maxTriedLineLength = 10_000;
const maxShownLineLength = 500;
/** Meanwhile nothing else runs. */
const maxFileMs = 500;

/** Finds the lines of a text that match, with the lines around them. Throws a `ToolError` for a regex that is none. */
export function lineSearcher(search: TextSearch): (text: string) => FoundLine[] {
  const pattern = search.regex ? search.query : search.query.split(/\r?\n/).map(escapeRegex).join("\n");
  const spansLines = /\n|\\n/.test(pattern);
  const regex = compiled(pattern, `${search.caseSensitive ? "" : "i"}${spansLines ? "gm" : ""}`, search.query);
  const find = (text: string) => {
    const plain = text.replace(/\r\n?/g, "\n");
    const lines = plain.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const matching = spansLines ? spannedLines(plain, regex) : singleLines(lines, regex);
    return withContext(lines, matching, search.contextLines);
  };
  if (!search.regex) return find;
  return (text) => {
    const found = withinTime(() => find(text), maxFileMs);
    if (found !== "timeout") return found.result;
    throw new ToolError(
      `The regex ${JSON.stringify(search.query)} takes too long. Repeat nothing that repeats itself, or set regex to false.`,
    );
  };
}

/** A line cut around its first match, which starts at `at`, where it is too long to show. */
export function clipLine(line: string, at: number): string {
  if (line.length <= maxShownLineLength) return line;
  const start = Math.max(0, Math.min(at - 100, line.length - maxShownLineLength));
  const end = start + maxShownLineLength;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

function compiled(pattern: string, flags: string, query: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    const reason = errorText(error).replace(/^.*: /, "");
    throw new ToolError(`The regex ${JSON.stringify(query)} is invalid: ${reason}. Correct it, or set regex to false.`);
  }
}

function singleLines(lines: readonly string[], regex: RegExp): Map<number, number> {
  const found = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const at = line.length > maxTriedLineLength ? -1 : line.search(regex);
    if (at >= 0) found.set(index, at);
  }
  return found;
}

function spannedLines(text: string, regex: RegExp): Map<number, number> {
  const found = new Map<number, number>();
  for (const match of text.matchAll(regex)) {
    if (match[0] === "") continue;
    const first = text.slice(0, match.index).split("\n").length - 1;
    const count = match[0].replace(/\n$/, "").split("\n").length;
    for (let line = first; line < first + count; line++) found.set(line, 0);
  }
  return found;
}

function withContext(lines: readonly string[], matching: ReadonlyMap<number, number>, around: number): FoundLine[] {
  const shown = new Set<number>();
  for (const index of matching.keys()) {
    for (let near = Math.max(0, index - around); near <= Math.min(lines.length - 1, index + around); near++)
      shown.add(near);
  }
  return [...shown]
    .sort((one, other) => one - other)
    .map((index) => ({
      line: index + 1,
      text: clipLine(lines[index] ?? "", matching.get(index) ?? 0),
      isMatch: matching.has(index),
    }));
}
