/** Where a text holds a query, in any case of letters; from left to right, none over another. */
export function occurrences(text: string, query: string, atMost: number): { start: number; end: number }[] {
  if (query === "") return [];
  // Not by lower case: that changes the length of some texts.
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
  const found: { start: number; end: number }[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length === atMost) break;
    found.push({ start: match.index, end: match.index + match[0].length });
  }
  return found;
}
