/** The line end that the editor's model keeps for a text, or "mixed" when it would change some. */
export function editorLineEnds(text: string): "\n" | "\r\n" | "mixed" {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? []);
  if (ends.size === 0) return "\n";
  if (ends.size > 1 || ends.has("\r")) return "mixed";
  return ends.has("\n") ? "\n" : "\r\n";
}
