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

/** A range of a file's lines and what stands there then: lines of the file that stay, by index, and new ones. */
export interface PlacedChunk {
  start: number;
  end: number;
  lines: (number | string)[];
  ignored: string[];
}

/** Lines that are found more often than that say too little to look for the one way to put all chunks. */
const maxPlaces = 200;

/**
 * Where the chunks of a patch belong in a file, in the order of the file; throws an `EditError` where there is not
 * exactly one way to put them there: in the order of the patch, or in any order where each fits a single position.
 */
export function placeChunks(path: string, file: FoldedFile, chunks: readonly PatchChunk[]): PlacedChunk[] {
  const possible = chunks.map((chunk) => possiblePlaces(path, file, chunk));
  if (possible.some((places) => places.length > maxPlaces)) throw ambiguous(path, possible);
  const ways =
    firstWays(possible, ({ start, end }) => ({ start, end })) ??
    firstWays(possible, ({ changed }) => changed) ??
    singlePlaces(possible);
  if (ways === undefined || ways.length > 1) throw ambiguous(path, possible);
  return (ways[0] ?? [])
    .map((place) => place.change ?? unclear(path, place))
    .sort((one, other) => one.start - other.start);
}

interface Range {
  start: number;
  end: number;
}

/** A position of a chunk: all lines that it names, and those of them that it changes. */
interface Place extends Range {
  changed: Range;
  /** Undefined where it can't be told how the new lines are indented there. */
  change: PlacedChunk | undefined;
}

function possiblePlaces(path: string, file: FoldedFile, chunk: PatchChunk): readonly Place[] {
  const places = positionsOf(file, chunk).map((position) => placeOf(file, position));
  const fitting = chunk.atEnd ? places.filter(({ end }) => file.lines.slice(end).every(isBlank)) : places;
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
 * without a blank line to keep at its end, which often stands for the final line end alone.
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

function placeOf(file: FoldedFile, position: BlockPosition): Place {
  const { start, lines } = position;
  const old = oldLines(lines).length;
  const isKept = ({ kind }: EditLine) => kind === "keep";
  const before = lines.findIndex((line) => !isKept(line));
  const after = [...lines].reverse().findIndex((line) => !isKept(line));
  const changed = { start: start + before, end: start + old - after };
  const edited = editedBlock(file, position);
  const change = edited && {
    ...changed,
    lines: edited.lines.slice(before, edited.lines.length - after),
    ignored: edited.ignored,
  };
  return { start, end: start + old, changed, change };
}

/** The lines that an anchor names: those that are it, else those that begin with it. */
function anchorPositions(file: FoldedFile, anchor: string): readonly number[] {
  const folded = file.fold(anchor);
  const same = file.positions.get(folded);
  if (same !== undefined) return same;
  return file.folded.flatMap((line, index) => (line.startsWith(folded) ? [index] : []));
}

/**
 * The places that are behind the anchors; of several those in the anchor's own block. An anchor that the file does not
 * have says nothing about a place that is the only one.
 */
function behindAnchors(file: FoldedFile, anchors: readonly string[], places: readonly Place[]): readonly Place[] {
  const known = anchors.map((anchor) => anchorPositions(file, anchor)).filter((positions) => positions.length > 0);
  if (known.length === 0) return places;
  const behind = places.filter(({ end }) => {
    let from = -1;
    return known.every((positions) => {
      const next = positions.find((position) => position > from && position < Math.max(end, 1));
      if (next === undefined) return false;
      from = next;
      return true;
    });
  });
  if (behind.length < 2) return behind;
  const inner = known.reduce((outer, positions) =>
    positions.filter((position) => outer.some((anchor) => isInBlock(file, anchor, position))),
  );
  const inside = behind.filter(({ start }) => inner.some((anchor) => isInBlock(file, anchor, start)));
  return inside.length > 0 ? inside : behind;
}

/** Whether a line is in the block that the anchor opens: everything between them is indented more than the anchor. */
function isInBlock({ lines }: FoldedFile, anchor: number, start: number): boolean {
  if (anchor >= start) return false;
  const depth = splitIndentation(lines[anchor] ?? "").indentation.length;
  return lines
    .slice(anchor + 1, start)
    .every((line) => isBlank(line) || splitIndentation(line).indentation.length > depth || /^\s*[{)]/.test(line));
}

/** The ways to put each chunk behind the one before it, two at most; undefined where there is none. */
function firstWays(possible: readonly (readonly Place[])[], rangeOf: (place: Place) => Range): Place[][] | undefined {
  let ways: { places: Place[]; end: number }[] = [{ places: [], end: 0 }];
  for (const places of possible) {
    const next = ways.flatMap((way) =>
      places
        .filter((place) => rangeOf(place).start >= way.end)
        .map((place) => ({ places: [...way.places, place], end: rangeOf(place).end })),
    );
    ways = withoutEqualEnds(next);
  }
  return ways.length === 0 ? undefined : ways.map(({ places }) => places);
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
function singlePlaces(possible: readonly (readonly Place[])[]): Place[][] | undefined {
  const places = possible.map(([place, ...others]) => (others.length === 0 ? place : undefined));
  if (!places.every((place) => place !== undefined)) return undefined;
  const ranges = places.map(({ changed }) => changed).sort((one, other) => one.start - other.start);
  const isApart = ranges.every(({ end }, index) => end <= (ranges[index + 1]?.start ?? end));
  return isApart ? [places] : undefined;
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

function ambiguous(path: string, possible: readonly (readonly Place[])[]): EditError {
  const several = possible.find((places) => places.length > 1);
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

function unclear(path: string, place: Place): never {
  throw new EditError(
    "no-match",
    `${path}: the lines from line ${place.start + 1} on are the ones, but with other blanks or quotes: how the new lines have to be written can't be told. Read the file and copy its lines exactly.`,
  );
}
