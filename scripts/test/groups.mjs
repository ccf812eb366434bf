/** Divides test files among runs. */

/**
 * Groups for runs that start one after the other, each as soon as an earlier one has ended. Their lengths fall evenly
 * from the first to the last, so that those side by side come to their end at about the same time.
 * @param {readonly string[]} files
 * @param {number} count how many groups at most; none is empty
 * @param {(file: string) => number} secondsOf
 * @returns {string[][]}
 */
export function fallingGroups(files, count, secondsOf) {
  const longestFirst = files.toSorted((one, other) => secondsOf(other) - secondsOf(one));
  const seconds = (some) => some.reduce((total, file) => total + secondsOf(file), 0);
  const ranks = Array.from({ length: Math.min(count, files.length) }, (_, index) => index + 1);
  const unit = seconds(files) / ranks.reduce((total, rank) => total + rank, 0);
  const groups = ranks.map((rank) => ({ left: rank * unit, files: [] }));
  for (const file of longestFirst) {
    const roomiest = groups.reduce((best, group) => (group.left > best.left ? group : best));
    roomiest.files.push(file);
    roomiest.left -= secondsOf(file);
  }
  return groups
    .map((group) => group.files)
    .filter((group) => group.length > 0)
    .toSorted((one, other) => seconds(other) - seconds(one));
}
