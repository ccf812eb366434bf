/** A text with LF alone as its line end, and the way back to the offsets of the text it was made from. */
export interface NormalizedText {
  text: string;
  /** Where the character at `index` is in the original; at the length, the original's length. */
  originalOffset(index: number): number;
}

/** Folds CRLF and a lone CR into LF; nothing else. */
export function normalizeLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

export function normalizedText(original: string): NormalizedText {
  if (!original.includes("\r\n")) return { text: normalizeLineEnds(original), originalOffset: (index) => index };
  const pairs: number[] = [];
  for (let at = original.indexOf("\r\n"), count = 0; at >= 0; at = original.indexOf("\r\n", at + 2), count++) {
    pairs.push(at - count);
  }
  return { text: normalizeLineEnds(original), originalOffset: (index) => index + countBelow(pairs, index) };
}

/** How many of the ascending `values` are smaller than `limit`. */
function countBelow(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const byteOrderMark = "\uFEFF";

/** The text without a byte order mark at its start, and the mark if there was one. */
export function withoutByteOrderMark(text: string): { mark: string; text: string } {
  return text.startsWith(byteOrderMark) ? { mark: byteOrderMark, text: text.slice(1) } : { mark: "", text };
}
