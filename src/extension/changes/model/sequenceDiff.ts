/** What differs: `a` from `aStart` to before `aEnd` became `b` from `bStart` to before `bEnd`. From 0. */
export interface Difference {
  aStart: number;
  aEnd: number;
  bStart: number;
  bEnd: number;
}

/** By how much the second of two sequences is longer for these. */
export function addedLines(changes: readonly Difference[]): number {
  return changes.reduce((sum, { aStart, aEnd, bStart, bEnd }) => sum + bEnd - bStart - (aEnd - aStart), 0);
}

/**
 * Past this many edits one search for a shortest path is cut off where it got furthest. Below it the result is minimal;
 * above it is still correct, and shuffled files of 50,000 lines take a fraction of a second instead of minutes.
 */
const deepestSearch = 1_000;

/** Myers' O(ND) difference in linear space; neighbouring differences have at least one equal element between them. */
export function diffSequences(a: readonly string[], b: readonly string[]): Difference[] {
  const ids = new Map<string, number>();
  const idOf = (item: string) => {
    const known = ids.get(item);
    if (known !== undefined) return known;
    ids.set(item, ids.size);
    return ids.size - 1;
  };
  const left = sequenceOf(a.map(idOf));
  const right = sequenceOf(b.map(idOf));
  const inLeft = new Set(left.ids);
  const inRight = new Set(right.ids);
  // What does not occur on the other side can't match: leaving it out keeps the result minimal and the search short.
  walk(withMatches(left, inRight), withMatches(right, inLeft));
  return collect(left.changed, right.changed);
}

interface Sequence {
  ids: Int32Array;
  /** Where each element is in the whole. */
  positions: Int32Array;
  /** By position in the whole; shared with what was kept of it. */
  changed: Uint8Array;
}

function sequenceOf(ids: readonly number[]): Sequence {
  return {
    ids: Int32Array.from(ids),
    positions: Int32Array.from(ids, (_, index) => index),
    changed: new Uint8Array(ids.length),
  };
}

function withMatches(sequence: Sequence, others: ReadonlySet<number>): Sequence {
  const positions = sequence.positions.filter((position) => others.has(at(sequence.ids, position)));
  for (const position of sequence.positions)
    if (!others.has(at(sequence.ids, position))) sequence.changed[position] = 1;
  return { ids: positions.map((position) => at(sequence.ids, position)), positions, changed: sequence.changed };
}

/** Marks what differs between the two, from both ends inwards, halving at a point on a shortest path. */
function walk(a: Sequence, b: Sequence): void {
  const size = a.ids.length + b.ids.length + 3;
  const forward = new Int32Array(2 * size);
  const backward = new Int32Array(2 * size);
  const open: Difference[] = [{ aStart: 0, aEnd: a.ids.length, bStart: 0, bEnd: b.ids.length }];
  for (let box = open.pop(); box; box = open.pop()) {
    const { aStart, aEnd, bStart, bEnd } = trimmed(a.ids, b.ids, box);
    if (aStart === aEnd) mark(b, bStart, bEnd);
    else if (bStart === bEnd) mark(a, aStart, aEnd);
    else {
      const [x, y] = middle(a.ids, b.ids, { aStart, aEnd, bStart, bEnd }, forward, backward);
      open.push({ aStart: x, aEnd, bStart: y, bEnd }, { aStart, aEnd: x, bStart, bEnd: y });
    }
  }
}

function mark(sequence: Sequence, start: number, end: number): void {
  for (let index = start; index < end; index++) sequence.changed[at(sequence.positions, index)] = 1;
}

function trimmed(a: Int32Array, b: Int32Array, { aStart, aEnd, bStart, bEnd }: Difference): Difference {
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart++;
    bStart++;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  return { aStart, aEnd, bStart, bEnd };
}

/**
 * A point on a shortest path through a box whose corners differ: paths grow from both corners, and where they meet is
 * the middle. `forward[k]` is how far the path on diagonal k (x - y) got, counted from the box's own corner.
 */
function middle(
  a: Int32Array,
  b: Int32Array,
  box: Difference,
  forward: Int32Array,
  backward: Int32Array,
): [x: number, y: number] {
  const width = box.aEnd - box.aStart;
  const height = box.bEnd - box.bStart;
  const delta = width - height;
  const origin = width + height + 1;
  const odd = delta % 2 !== 0;
  forward[origin + 1] = 0;
  backward[origin + 1] = 0;
  const deepest = Math.min(Math.ceil((width + height) / 2), deepestSearch);
  for (let depth = 0; depth <= deepest; depth++) {
    for (let k = -depth; k <= depth; k += 2) {
      let x = reached(forward, origin, k, depth);
      let y = x - k;
      while (x < width && y >= 0 && y < height && a[box.aStart + x] === b[box.bStart + y]) {
        x++;
        y++;
      }
      forward[origin + k] = x;
      const opposite = delta - k;
      if (
        odd &&
        Math.abs(opposite) < depth &&
        x + at(backward, origin + opposite) >= width &&
        inside(x, y, width, height)
      ) {
        return [box.aStart + x, box.bStart + y];
      }
    }
    for (let k = -depth; k <= depth; k += 2) {
      let x = reached(backward, origin, k, depth);
      let y = x - k;
      while (x < width && y >= 0 && y < height && a[box.aEnd - 1 - x] === b[box.bEnd - 1 - y]) {
        x++;
        y++;
      }
      backward[origin + k] = x;
      const opposite = delta - k;
      if (
        !odd &&
        Math.abs(opposite) <= depth &&
        x + at(forward, origin + opposite) >= width &&
        inside(x, y, width, height)
      ) {
        return [box.aEnd - x, box.bEnd - y];
      }
    }
  }
  return furthest(forward, origin, deepest, box);
}

/** One step right or down from the better neighbour diagonal. */
function reached(paths: Int32Array, origin: number, k: number, depth: number): number {
  const below = at(paths, origin + k + 1);
  const beside = at(paths, origin + k - 1);
  return k === -depth || (k !== depth && beside < below) ? below : beside + 1;
}

/** Paths may run off the box on diagonals that no longer matter. */
function inside(x: number, y: number, width: number, height: number): boolean {
  return x <= width && y >= 0 && y <= height;
}

function furthest(forward: Int32Array, origin: number, depth: number, box: Difference): [x: number, y: number] {
  const width = box.aEnd - box.aStart;
  const height = box.bEnd - box.bStart;
  let best = [0, 0] as [number, number];
  for (let k = -depth; k <= depth; k += 2) {
    const x = Math.min(at(forward, origin + k), width);
    const y = x - k;
    if (y >= 0 && y <= height && x + y > best[0] + best[1]) best = [x, y];
  }
  return [box.aStart + best[0], box.bStart + best[1]];
}

function collect(aChanged: Uint8Array, bChanged: Uint8Array): Difference[] {
  const differences: Difference[] = [];
  for (let a = 0, b = 0; a < aChanged.length || b < bChanged.length; ) {
    const aStart = a;
    const bStart = b;
    while (aChanged[a] === 1) a++;
    while (bChanged[b] === 1) b++;
    if (a > aStart || b > bStart) differences.push({ aStart, aEnd: a, bStart, bEnd: b });
    else {
      a++;
      b++;
    }
  }
  return differences;
}

/** Reading a typed array past its end gives undefined only in theory here; the indexes are the algorithm's own. */
function at(array: Int32Array, index: number): number {
  return array[index] ?? 0;
}
