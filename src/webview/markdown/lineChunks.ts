const linesPerChunk = 80;

/** A text in pieces of whole lines, without the line break between two pieces. */
export function lineChunks(text: string): string[] {
  const chunks: string[] = [];
  let start = 0;
  for (let lines = 0, at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (++lines < linesPerChunk) continue;
    chunks.push(text.slice(start, at));
    start = at + 1;
    lines = 0;
  }
  chunks.push(text.slice(start));
  return chunks;
}
