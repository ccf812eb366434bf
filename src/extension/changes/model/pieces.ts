/**
 * A text as pieces: each a line with its own line end, so that joining them gives the text back byte for byte. Lines
 * break as in the editor, at CRLF, LF and a lone CR. An empty text has no pieces; a final line end opens no further one.
 */

export function splitPieces(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** The piece as it is shown: without its line end. */
export function lineOf(piece: string): string {
  return piece.slice(0, piece.length - lineEndOf(piece).length);
}

/** Empty for a last line that has none. */
export function lineEndOf(piece: string): "" | "\r\n" | "\r" | "\n" {
  if (piece.endsWith("\r\n")) return "\r\n";
  if (piece.endsWith("\n")) return "\n";
  return piece.endsWith("\r") ? "\r" : "";
}

/** The kinds of line ends in a text. */
export function lineEndsIn(text: string): string[] {
  return [...new Set(text.match(/\r\n|\r|\n/g))];
}

export function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** The most frequent line end; LF in a text without any. */
export function usualLineEnd(pieces: readonly string[]): string {
  const counts = new Map<string, number>([["\n", 0]]);
  for (const piece of pieces) {
    const lineEnd = lineEndOf(piece);
    if (lineEnd !== "") counts.set(lineEnd, (counts.get(lineEnd) ?? 0) + 1);
  }
  return [...counts].reduce((top, entry) => (entry[1] > top[1] ? entry : top))[0];
}

/** A text's lines as an editor counts them: a final line end opens an empty last line. */
export function editorLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
