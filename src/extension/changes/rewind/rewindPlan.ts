import { mergeTexts } from "../model/mergeTexts.ts";
import { splitPieces } from "../model/pieces.ts";
import { diffSequences } from "../model/sequenceDiff.ts";
import { exists, type FileImage, type FileState, type ImagedFiles, isSameContent } from "./storage.ts";

/** A change that is to be reverted. */
interface Step {
  before: FileState;
  /** Absent when it is not known what the change left. */
  after?: FileState;
}

interface Reverted {
  /** What the path is to hold; its `unsaved` and `bytes` count only as long as `text` is absent or theirs. */
  state: FileState;
  /** The text is a new one, merged with what the user changed. */
  isMerged: boolean;
  /** Lines of the current text, from 0, that the user changed and that will not be there any more. */
  lostLines: readonly number[];
  /** The same of a file that is no text. */
  isLostWhole: boolean;
  /** The user removed the file, and it comes back. */
  isBack: boolean;
  /** What the user changed can't be distinguished from the rest. */
  isUncertain: boolean;
}

interface Progress extends Reverted {
  /** For each line of the text the line of the current text that it is. */
  origins: readonly (number | undefined)[];
}

/**
 * Reverts changes of one file, the latest first, and leaves what the user changed before, between and after them.
 * Where that can't be merged it gives way and is named.
 */
export function revertSteps(current: FileState, steps: readonly Step[]): Reverted {
  const start: Progress = {
    state: current,
    isMerged: false,
    lostLines: [],
    isLostWhole: false,
    isBack: false,
    isUncertain: false,
    origins: splitPieces(current.text ?? "").map((_, index) => index),
  };
  const { origins: _, ...reverted } = steps.reduceRight(revertStep, start);
  return { ...reverted, lostLines: [...new Set(reverted.lostLines)].toSorted((one, other) => one - other) };
}

function revertStep(progress: Progress, { before, after: known }: Step): Progress {
  const isUncertain = progress.isUncertain || known === undefined;
  const after = known ?? progress.state;
  const mode = modeBefore(progress.state.image, before.image, after.image);
  const reverted = contentBefore({ ...progress, isUncertain }, before, after);
  return { ...reverted, state: { ...reverted.state, image: { ...reverted.state.image, ...mode } } };
}

/** What the step changed of the mode is reverted, unless the user changed it since. */
function modeBefore(now: FileImage, before: FileImage, after: FileImage): Pick<FileImage, "mode"> {
  const isReplaced = now.mode === undefined || after.mode === undefined || now.mode === after.mode;
  const mode = isReplaced ? (before.mode ?? now.mode) : now.mode;
  return mode === undefined ? {} : { mode };
}

function contentBefore(progress: Progress, before: FileState, after: FileState): Progress {
  const { state } = progress;
  const restored = { ...progress, state: before, isMerged: false, origins: [] };
  if (isSameContent(before, after) || isSameContent(state, before)) return progress;
  if (before.text !== undefined && after.text !== undefined && state.text !== undefined) {
    const merged = mergedBefore(progress, { before: before.text, after: after.text, now: state.text });
    // Byte for byte as it was, also where the text says less than the bytes.
    return isSameContent(state, after) ? { ...merged, state: before, isMerged: false } : merged;
  }
  if (isSameContent(state, after)) return restored;
  // The user removed what the step made or changed; or made, changed or replaced it where the step is about the whole.
  if (!exists(state)) return exists(before) ? { ...restored, isBack: true } : progress;
  if (state.image.isFolder) return progress;
  if (state.text === undefined) return { ...restored, isLostWhole: true };
  const lost = changedLines(after.text ?? "", state.text);
  return {
    ...restored,
    lostLines: [...progress.lostLines, ...originsOf(progress, missingIn(lost, state.text, before.text ?? ""))],
  };
}

function mergedBefore(progress: Progress, texts: { before: string; after: string; now: string }): Progress {
  const { text, conflicts, origins } = mergeTexts(texts.after, texts.now, texts.before);
  const before = splitPieces(texts.before);
  const lost = conflicts.flatMap(({ mine, theirs }) => {
    const lines = Array.from({ length: mine.end - mine.start }, (_, index) => mine.start + index);
    return missingIn(lines, texts.now, before.slice(theirs.start, theirs.end).join(""));
  });
  return {
    ...progress,
    state: { image: progress.state.image, text },
    isMerged: true,
    lostLines: [...progress.lostLines, ...originsOf(progress, lost)],
    origins: origins.map((line) => (line === undefined ? undefined : progress.origins[line])),
  };
}

/** What is gone since from the current text, by a later step that is reverted as well, is not lost now. */
function originsOf({ origins }: Progress, lines: readonly number[]): number[] {
  return lines.flatMap((line) => origins[line] ?? []);
}

/** The lines that the other text does not have as well. */
function missingIn(lines: readonly number[], text: string, other: string): number[] {
  const pieces = splitPieces(text);
  const own = lines.map((line) => pieces[line] ?? "");
  const differing = diffSequences(own, splitPieces(other));
  return differing.flatMap(({ aStart, aEnd }) => lines.slice(aStart, aEnd));
}

function changedLines(before: string, now: string): number[] {
  return diffSequences(splitPieces(before), splitPieces(now)).flatMap(({ bStart, bEnd }) =>
    Array.from({ length: bEnd - bStart }, (_, index) => bStart + index),
  );
}

/** What a rewind does to one file, and what of the user's changes gives way. */
export interface PlannedFile extends Omit<Reverted, "state"> {
  path: string;
  current: FileImage;
  target: FileImage;
}

interface FileToRevert {
  path: string;
  current: FileState;
  /** Oldest first. */
  steps: readonly Step[];
}

type Encoding = Pick<ImagedFiles, "decode" | "encode">;

/** Undefined when the file is as it is to be. */
export async function planFile(file: FileToRevert, encoding: Encoding): Promise<PlannedFile | undefined> {
  const { path, current, steps } = file;
  const { state, ...reverted } = revertSteps(current, steps);
  if (isSameContent(state, current) && state.image.mode === current.image.mode) return undefined;
  const content = isSameContent(state, current)
    ? current.image
    : await contentOf(file, { state, ...reverted }, encoding);
  const { mode: _, ...image } = content;
  const { mode } = state.image;
  const target = { ...image, ...(mode === undefined || !exists(state) ? {} : { mode }) };
  return { path, current: current.image, target, ...reverted };
}

/** Unsaved text stays unsaved; what is on disk goes back without a question. */
async function contentOf(file: FileToRevert, { state, isMerged }: Reverted, encoding: Encoding): Promise<FileImage> {
  const { path, current } = file;
  const { bytes, unsaved } = current.image;
  if (!exists(state) || state.text === undefined) return state.image;
  if (unsaved !== undefined && (isMerged || state.image.unsaved !== undefined)) {
    const onDisk = await onDiskBefore(file, encoding);
    return { ...onDisk, unsaved: state.text };
  }
  const like = isMerged ? bytes : (state.image.bytes ?? bytes);
  const isExact = !isMerged && state.image.unsaved === undefined;
  if (isExact || like === undefined) return state.image;
  return { bytes: await encoding.encode(path, state.text, like) };
}

/** What was saved since is reverted in the saved text; what was not, never was on the disk. */
async function onDiskBefore({ path, current, steps }: FileToRevert, encoding: Encoding): Promise<FileImage> {
  const saved = async (image: FileImage): Promise<FileState> => {
    const { unsaved: _, ...stored } = image;
    const text = stored.bytes && (await encoding.decode(path, stored.bytes));
    return text === undefined ? { image: stored } : { image: stored, text };
  };
  const now = await saved(current.image);
  const left = steps.at(-1)?.after;
  const isAsLeft = left !== undefined && isSameContent(await saved(left.image), now);
  const chain: Step[] = isAsLeft ? [] : [...steps];
  if (isAsLeft) {
    for (const { before, after } of steps) {
      chain.push({ before: await saved(before.image), ...(after && { after: await saved(after.image) }) });
    }
  }
  const { state, isMerged } = revertSteps(now, chain);
  const { bytes, unsaved } = state.image;
  if (bytes === undefined) return {};
  const isExact = !isMerged && unsaved === undefined;
  return { bytes: isExact || state.text === undefined ? bytes : await encoding.encode(path, state.text, bytes) };
}
