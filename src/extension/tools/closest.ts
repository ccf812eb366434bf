/** Those of `candidates` whose spelling is near `wanted`, the nearest first. */
export function closest(wanted: string, candidates: readonly string[], most: number): string[] {
  const tolerance = Math.max(2, Math.floor(wanted.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= tolerance)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** How many characters must be added, removed or changed. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
