/** A list in pieces of `size`; a piece with the same items as before keeps its identity. */
export function chunksOf<Item>(
  items: readonly Item[],
  size: number,
  previous: readonly (readonly Item[])[],
): (readonly Item[])[] {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += size) {
    const end = Math.min(start + size, items.length);
    const before = previous[chunks.length];
    const isSame = before?.length === end - start && before.every((item, index) => item === items[start + index]);
    chunks.push(isSame ? before : items.slice(start, end));
  }
  return chunks;
}
