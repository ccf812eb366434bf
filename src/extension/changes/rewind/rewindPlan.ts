import { exists, type FileState, isSame, type Reverted, revertSteps, type Step } from "./revertSteps.ts";
import type { FileImage, ImagedFiles } from "./storage.ts";

/** What a rewind does to one file, and what of the user's changes gives way. */
export interface PlannedFile extends Omit<Reverted, "state"> {
  path: string;
  current: FileImage;
  target: FileImage;
}

export interface FileToRevert {
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
  if (isSame(state, current) && state.image.mode === current.image.mode) return undefined;
  const content = isSame(state, current) ? current.image : await contentOf(file, { state, ...reverted }, encoding);
  const { mode: _, ...image } = content;
  const { mode } = state.image;
  const target = { ...image, ...(mode === undefined || !exists(state) ? {} : { mode }) };
  return { path, current: current.image, target, ...reverted };
}

/** Unsaved text stays unsaved; what is on disk goes back by itself. */
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

/** What was saved since is taken back in the saved text; what was not, never was on the disk. */
async function onDiskBefore({ path, current, steps }: FileToRevert, encoding: Encoding): Promise<FileImage> {
  const saved = async (image: FileImage): Promise<FileState> => {
    const { unsaved: _, ...stored } = image;
    const text = stored.bytes && (await encoding.decode(path, stored.bytes));
    return text === undefined ? { image: stored } : { image: stored, text };
  };
  const now = await saved(current.image);
  const left = steps.at(-1)?.after;
  const isAsLeft = left !== undefined && isSame(await saved(left.image), now);
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
