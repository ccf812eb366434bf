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
