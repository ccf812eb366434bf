import { lineEndOf, lineOf, splitPieces } from "../../changes/model/pieces.ts";
import { diffSequences } from "../../changes/model/sequenceDiff.ts";

export type LineEnd = "\n" | "\r\n" | "\r";

/**
 * `after` with the line ends of `before`: a line that stays keeps its own, a new one takes `newLineEnd`. Whether the last
 * line is ended is `after`'s to say.
 */
export function keepLineEnds(before: string, after: string, newLineEnd: LineEnd): string {
  const beforePieces = splitPieces(before);
  const afterPieces = splitPieces(after);
  const differences = diffSequences(beforePieces.map(lineOf), afterPieces.map(lineOf));
  const result: string[] = [];
  let shift = 0;
  let next = 0;
  for (const [index, piece] of afterPieces.entries()) {
    let difference = differences[next];
    while (difference && index >= difference.bEnd) {
      shift = difference.aEnd - difference.bEnd;
      difference = differences[++next];
    }
    const isNew = difference !== undefined && index >= difference.bStart;
    const own = isNew ? "" : lineEndOf(beforePieces[index + shift] ?? "");
    result.push(lineOf(piece) + (lineEndOf(piece) === "" ? "" : own || newLineEnd));
  }
  return joinLines(result);
}

/** Joins whole lines. A CR that an empty line's LF would turn into one line end of two gets a CRLF to follow it. */
export function joinLines(lines: readonly string[]): string {
  let last = "";
  return lines
    .map((line) => {
      const joined = last.endsWith("\r") && line.startsWith("\n") ? `\r${line}` : line;
      if (line !== "") last = line;
      return joined;
    })
    .join("");
}

/** The most frequent line end, the first of equals; absent when the text has none. */
export function majorityLineEnd(text: string): LineEnd | undefined {
  const counts = new Map<LineEnd, number>();
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) {
    if (isLineEnd(end)) counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  let best: LineEnd | undefined;
  for (const [end, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = end;
  return best;
}

function isLineEnd(text: string): text is LineEnd {
  return text === "\n" || text === "\r\n" || text === "\r";
}
