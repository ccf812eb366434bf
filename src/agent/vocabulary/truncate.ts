const defaultLines = 2_000;
const defaultBytes = 50_000;

/**
 * Cuts text to 2,000 lines or 50,000 UTF-8 bytes (or the given limits), whichever comes first, never inside a
 * character, and says so at its end. Shorter text is returned as it is.
 */
export function truncateOutput(text: string, limit: { lines?: number; bytes?: number } = {}): string {
  const maxLines = limit.lines ?? defaultLines;
  const maxBytes = limit.bytes ?? defaultBytes;
  const end = Math.min(endOfLines(text, maxLines), endOfBytes(text, maxBytes));
  if (end >= text.length) return text;
  const kept = text.slice(0, end);
  return `${kept}\n[Output cut: ${end} of ${text.length} characters shown, limit ${maxLines} lines or ${maxBytes} bytes.]`;
}

function endOfLines(text: string, lines: number): number {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return text.length;
  }
  // The newline that closes the last line belongs to it only if nothing follows.
  return end === text.length - 1 ? text.length : end;
}

function endOfBytes(text: string, bytes: number): number {
  // A UTF-16 unit is three bytes at most, so short texts need no counting.
  if (text.length * 3 <= bytes) return text.length;
  let size = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (size > bytes) return at;
    at += code < 0x1_0000 ? 1 : 2;
  }
  return text.length;
}
