import { EditError } from "./editError.ts";
import {
  type BlockPosition,
  type EditLine,
  editedBlock,
  exactPositions,
  type FoldedFile,
  loosePositions,
  oldLines,
  withTabs,
} from "./editedBlock.ts";
import { isBlank, splitIndentation } from "./foldedLines.ts";
import { nearestLines } from "./nearestLines.ts";
import type { PatchChunk } from "./parsePatch.ts";

/** A range of a file's lines and what is there then: lines of the file that stay, by index, and new ones. */
export interface PlacedChunk {
  start: number;
  end: number;
  lines: (number | string)[];
  ignored: string[];
}

/** Lines that are found more often than that say too little to look for the one way to put all chunks. */
const maxPositions = 200;

/**
 * Where the chunks of a patch belong in a file, in the order of the file; throws an `EditError` where there is not
 * exactly one way to put them there: in the order of the patch, or in any order where each fits a single position.
 */
export function placeChunks(path: string, file: FoldedFile, chunks: readonly PatchChunk[]): PlacedChunk[] {
  const possible = chunks.map((chunk) => possiblePositions(path, file, chunk));
  if (possible.some((positions) => positions.length > maxPositions)) throw ambiguous(path, possible);
  const ways =
    firstWays(possible, ({ start, end }) => ({ start, end })) ??
    firstWays(possible, ({ changed }) => changed) ??
    singlePositions(possible);
  if (ways === undefined || ways.length > 1) throw ambiguous(path, possible);
  return (ways[0] ?? [])
    .map((position) => placedChunk(file, position) ?? unclear(path, position))
    .sort((one, other) => one.start - other.start);
}

interface Range {
  start: number;
  end: number;
}

/** A position of a chunk: all lines that it names, and those of them that it changes. */
interface ChunkPosition extends Range {
  changed: Range;
  block: BlockPosition;
}

function possiblePositions(path: string, file: FoldedFile, chunk: PatchChunk): readonly ChunkPosition[] {
  const positions = positionsOf(file, chunk).map(chunkPosition);
  const lastLine = file.lines.findLastIndex((line) => !isBlank(line));
  const fitting = chunk.atEnd ? positions.filter(({ end }) => end > lastLine) : positions;
  if (fitting.length === 0) throw noMatch(path, file, chunk);
  if (chunk.anchors.length === 0) return fitting;
  const anchored = behindAnchors(file, chunk.anchors, fitting);
  if (anchored.length === 0) throw noAnchor(path, file, chunk);
  return anchored;
}

function positionsOf(file: FoldedFile, chunk: PatchChunk): BlockPosition[] {
  const { lines, ignored } = withInsertedTabs(file, chunk.lines);
  for (const variant of withoutOuterBlanks(lines)) {
    if (oldLines(variant).length === 0) {
      return insertionPoints(file, chunk.anchors).map((start) => ({ start, lines: variant, ignored }));
    }
    const exact = exactPositions(file, variant);
    const positions = exact.length > 0 ? exact : loosePositions(file, variant);
    if (positions.length > 0) {
      return positions.map((each) => ({ ...each, ignored: [...new Set([...ignored, ...each.ignored])] }));
    }
  }
  return [];
}

/** New lines that begin with escaped tabs, which no code does: they are tabs unless the file indents by spaces. */
function withInsertedTabs(file: FoldedFile, lines: readonly EditLine[]): { lines: EditLine[]; ignored: string[] } {
  const change = ({ kind, text }: EditLine) => (kind === "insert" ? withTabs(text) : text);
  const isEscaped = lines.some((line) => change(line) !== line.text);
  if (!isEscaped || file.hasCommands || file.style.by === "spaces") return { lines: [...lines], ignored: [] };
  return { lines: lines.map((line) => ({ ...line, text: change(line) })), ignored: ["escaped tabs"] };
}

/**
 * The chunk without empty lines at its end, which separate it from the next; then without those at its beginning, and
 * without a blank line to keep at its end, which often means the final line end alone.
 */
function* withoutOuterBlanks(lines: readonly EditLine[]): Generator<EditLine[]> {
  const isSeparator = (line: EditLine | undefined) => line?.isUnmarked === true && line.text === "";
  const inner = [...lines];
  while (isSeparator(inner.at(-1))) inner.pop();
  yield inner;
  const start = inner.findIndex((line) => !isSeparator(line));
  if (start > 0) yield inner.slice(start);
  const last = inner.at(-1);
  if (last?.kind === "keep" && isBlank(last.text) && oldLines(inner).length > 1)
    yield inner.slice(Math.max(start, 0), -1);
}

/** Where lines are inserted that say no lines around them: behind the anchor, or at the end of the file. */
function insertionPoints(file: FoldedFile, anchors: readonly string[]): number[] {
  if (anchors.length === 0) return [file.lines.length];
  return anchorPositions(file, anchors.at(-1) ?? "").map((position) => position + 1);
}

/** How many lines the chunk keeps before what it changes, and behind that. */
function keptLines(lines: readonly EditLine[]): { before: number; after: number } {
  const isChanged = ({ kind }: EditLine) => kind !== "keep";
  return { before: lines.findIndex(isChanged), after: lines.length - 1 - lines.findLastIndex(isChanged) };
}

function chunkPosition(block: BlockPosition): ChunkPosition {
  const { start, lines } = block;
  const end = start + oldLines(lines).length;
  const { before, after } = keptLines(lines);
  return { start, end, changed: { start: start + before, end: end - after }, block };
}

/** Undefined where it is not clear how the new lines are indented there. */
function placedChunk(file: FoldedFile, { block, changed }: ChunkPosition): PlacedChunk | undefined {
  const edited = editedBlock(file, block);
  if (edited === undefined) return undefined;
  const { before, after } = keptLines(block.lines);
  return { ...changed, lines: edited.lines.slice(before, edited.lines.length - after), ignored: edited.ignored };
}

/** The lines that an anchor names: those that are it, else those that begin with it. */
function anchorPositions(file: FoldedFile, anchor: string): readonly number[] {
  const folded = file.fold(anchor);
  const same = file.positions.get(folded);
  if (same !== undefined) return same;
  return file.folded.flatMap((line, index) => (line.startsWith(folded) ? [index] : []));
}

/**
 * The positions that are behind the anchors; of several those in the anchor's own block. An anchor that the file does not
 * have says nothing about a position that is the only one.
 */
function behindAnchors(
  file: FoldedFile,
  anchors: readonly string[],
  positions: readonly ChunkPosition[],
): readonly ChunkPosition[] {
  const known = anchors.map((anchor) => anchorPositions(file, anchor)).filter((positions) => positions.length > 0);
  if (known.length === 0) return positions;
  const behind = positions.filter(({ end }) => isBehind(known, Math.max(end, 1)));
  if (behind.length < 2) return behind;
  const anchorLines = known.map((each) => new Set(each)).reverse();
  const inside = behind.filter(({ start }) => isInBlocks(anchorLines, enclosingLines(file, start)));
  return inside.length > 0 ? inside : behind;
}

/** Whether the anchors are before a line, one behind the other. */
function isBehind(anchors: readonly (readonly number[])[], end: number): boolean {
  let from = -1;
  return anchors.every((each) => {
    const next = each.find((line) => line > from);
    from = next ?? end;
    return from < end;
  });
}

/** Whether the innermost anchor encloses a line, the next one encloses that, and so on. */
function isInBlocks(anchors: readonly ReadonlySet<number>[], enclosing: readonly number[]): boolean {
  let from = 0;
  return anchors.every((each) => {
    const index = enclosing.findIndex((line, at) => at >= from && each.has(line));
    from = index + 1;
    return index >= 0;
  });
}

/** The lines whose blocks a line is in, the innermost first: all that is between is indented more than they are. */
function enclosingLines({ lines }: FoldedFile, start: number): number[] {
  const enclosing: number[] = [];
  let depth = Number.POSITIVE_INFINITY;
  for (let index = start - 1; index >= 0 && depth > 0; index--) {
    const line = lines[index] ?? "";
    if (isBlank(line)) continue;
    const { length } = splitIndentation(line).indentation;
    if (length < depth) enclosing.push(index);
    // A bracket that opens the block may be on a line of its own.
    if (!/^\s*[{)]/.test(line)) depth = Math.min(depth, length);
  }
  return enclosing;
}

/** The ways to put each chunk behind the one before it, two at most; undefined where there is none. */
function firstWays(
  possible: readonly (readonly ChunkPosition[])[],
  rangeOf: (position: ChunkPosition) => Range,
): ChunkPosition[][] | undefined {
  let ways: { positions: ChunkPosition[]; end: number }[] = [{ positions: [], end: 0 }];
  for (const positions of possible) {
    const next = ways.flatMap((way) =>
      positions
        .filter((position) => rangeOf(position).start >= way.end)
        .map((position) => ({ positions: [...way.positions, position], end: rangeOf(position).end })),
    );
    ways = withoutEqualEnds(next);
  }
  return ways.length === 0 ? undefined : ways.map(({ positions }) => positions);
}

/** Of ways that end at the same line two are enough to know that there are several. */
function withoutEqualEnds<Way extends { end: number }>(ways: readonly Way[]): Way[] {
  const counts = new Map<number, number>();
  return ways.filter(({ end }) => {
    const count = (counts.get(end) ?? 0) + 1;
    counts.set(end, count);
    return count <= 2;
  });
}

/** Chunks that are out of order: each fits one position, and no two change the same lines. */
function singlePositions(possible: readonly (readonly ChunkPosition[])[]): ChunkPosition[][] | undefined {
  const positions = possible.map(([position, ...others]) => (others.length === 0 ? position : undefined));
  if (!positions.every((position) => position !== undefined)) return undefined;
  const ranges = positions.map(({ changed }) => changed).sort((one, other) => one.start - other.start);
  const isApart = ranges.every(({ end }, index) => end <= (ranges[index + 1]?.start ?? end));
  return isApart ? [positions] : undefined;
}

function wantedText(chunk: PatchChunk): string {
  return oldLines(chunk.lines)
    .map((line) => line.text)
    .join("\n");
}

function noMatch(path: string, file: FoldedFile, chunk: PatchChunk): EditError {
  const wanted = wantedText(chunk);
  const nearest = nearestLines(file.lines.join("\n"), wanted);
  const shown = nearest === "" ? "Nothing there is like them." : `The nearest lines are:\n${nearest}`;
  const unmarked = chunk.lines.findIndex((line) => line.isUnmarked && line.text !== "");
  const lines = `these lines were not found${chunk.atEnd ? " at the end" : ""}:\n${wanted}\n${shown}\nRead the file and copy them exactly.`;
  if (unmarked < 0) return new EditError("no-match", `${path}: ${lines}`);
  const text = JSON.stringify(chunk.lines[unmarked]?.text);
  return new EditError(
    "malformed",
    `Line ${chunk.firstLine + unmarked}: ${text} begins with none of blank, -, + and @@. Read as lines to keep, ${lines}`,
  );
}

function noAnchor(path: string, file: FoldedFile, chunk: PatchChunk): EditError {
  const anchor = chunk.anchors.join("\n");
  const nearest = nearestLines(file.lines.join("\n"), anchor);
  const shown = nearest === "" ? "" : ` The lines most like it are:\n${nearest}`;
  return new EditError(
    "no-match",
    `${path}: the lines of the patch are not behind the line that @@ names:\n${anchor}${shown}`,
  );
}

function ambiguous(path: string, possible: readonly (readonly ChunkPosition[])[]): EditError {
  const several = possible.find((positions) => positions.length > 1);
  if (several === undefined) {
    return new EditError("no-match", `${path}: two parts of the patch change the same lines. Put them in one part.`);
  }
  const shown = several.slice(0, 5).map(({ start }) => start + 1);
  const more = several.length > shown.length ? " and more" : "";
  return new EditError(
    "ambiguous",
    `${path}: the same lines are found at lines ${shown.join(", ")}${more}. Add lines around them, or @@ with the function or class that they are in.`,
  );
}

function unclear(path: string, position: ChunkPosition): never {
  throw new EditError(
    "no-match",
    `${path}: the lines from line ${position.start + 1} on are the ones, but with other whitespace or quotes: how the new lines have to be written is not clear. Read the file and copy its lines exactly.`,
  );
}
