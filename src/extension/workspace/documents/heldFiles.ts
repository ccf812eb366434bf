import { readlinkSync } from "node:fs";
import { constants, type FileHandle, lstat, mkdir, open, realpath, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isBelow } from "../../approvals/paths.ts";
import { isFileSystemError } from "../../common/files.ts";

/** A file on this machine's disk, and the folder of the workspace that it has to be in. Both absolute. */
export interface DiskPath {
  root: string;
  path: string;
  /** Where the folder really is, for those who open many files of it and ask once. */
  realRoot?: string;
}

/** What was opened is not in the folder that it has to be in: something on the way is a link. */
export class LeftFolderError extends Error {
  override readonly name = "LeftFolderError";
}

export interface ReadFile {
  bytes: Uint8Array;
  /** Where it really is, relative to its folder of the workspace, with forward slashes. */
  real: string;
}

/** A file that is open, whatever becomes of its name. */
export interface OpenedFile {
  handle: FileHandle;
  /** Where it really is, relative to its folder of the workspace, with forward slashes. */
  real: string;
  bytes: number;
}

/**
 * Opens a file that is in its folder at that moment. A path is judged before, but between the judgement and the use a
 * command that runs could swap a folder of it for a link, so what counts is where the opened file is. Undefined for what
 * is no plain file.
 */
export async function openInside(file: DiskPath): Promise<OpenedFile | undefined> {
  for (let attempt = 1; ; attempt++) {
    // A pipe without a writer would hold up the whole process.
    const handle = await open(file.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    let opened: OpenedFile | undefined;
    try {
      const whereItIs = relativePathOf(handle, file);
      // Of what is no file it does not matter where it is.
      whereItIs.catch(() => undefined);
      const stat = await handle.stat();
      if (!stat.isFile()) return undefined;
      const real = await whereItIs;
      // Another version took its place as it was opened, as editors save.
      if (stat.nlink === 0 && attempt < maxAttempts) continue;
      opened = { handle, real, bytes: stat.size };
      return opened;
    } finally {
      if (opened === undefined) await handle.close();
    }
  }
}

/** Reads a file as `openInside` opens it. Undefined for what is no plain file, or larger than that. */
export async function readInside(file: DiskPath, maxBytes: number): Promise<ReadFile | undefined> {
  const opened = await openInside(file);
  if (opened === undefined) return undefined;
  try {
    return opened.bytes > maxBytes ? undefined : { bytes: await contentsOf(opened), real: opened.real };
  } finally {
    await opened.handle.close();
  }
}

/** Its size is known, so that one read is mostly enough. What became shorter, or says it has no size, is read to its end. */
async function contentsOf({ handle, bytes: size }: OpenedFile): Promise<Uint8Array> {
  const contents = Buffer.allocUnsafe(size);
  const { bytesRead } = await handle.read(contents, 0, size, 0);
  return size > 0 && bytesRead === size ? contents : handle.readFile();
}

const maxAttempts = 5;

/** A folder that stays the same one while it is used, whatever becomes of its name. */
export interface HeldFolder {
  /** Where it really is, relative to the folder of the workspace, with forward slashes; "" for that one itself. */
  real: string;
  /** The path of something in it, for calls to the file system. */
  at(name: string): string;
  /** Folders that were made for it, the innermost first, as paths like those of `at`. */
  made: readonly string[];
  close(): Promise<void>;
}

/** Holds the folder of a file. With `make`, the folders that are not there are made. */
export async function holdFolder({ root, path }: DiskPath, { make = false } = {}): Promise<HeldFolder> {
  const folder = dirname(path);
  const names = relative(root, folder)
    .split(sep)
    .filter((name) => name !== "");
  if (process.platform !== "linux") return holdByName(root, folder, make);
  const held: FileHandle[] = [];
  const made: string[] = [];
  const close = async () => {
    for (const handle of held) await handle.close();
  };
  try {
    let current = await open(await realpath(root), constants.O_DIRECTORY);
    held.push(current);
    let real = "";
    for (const name of names) {
      const next = `${folderOf(current)}/${name}`;
      current = await openFolder(next, make ? () => made.unshift(next) : undefined);
      held.push(current);
      // Before the next one is made in it.
      real = await relativePathOf(current, { root, path: folder });
    }
    return { real, at: (name) => `${folderOf(current)}/${name}`, made, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Those of the paths that are in the folder of the workspace now; relative to it, with forward slashes. What was listed by
 * the name of a folder may be in another one, which a link led to for a moment.
 */
export async function existingInside(root: string, paths: readonly string[]): Promise<Set<string>> {
  const existing = new Set<string>();
  const folders = Map.groupBy(paths, dirname).entries();
  const lookInFolders = async () => {
    for (const [folder, inFolder] of folders) {
      const held = await holdFolder({ root, path: join(root, folder, "x") }).catch(() => undefined);
      // Gone, or somewhere else.
      if (held === undefined) continue;
      const isThere = (path: string) => lstat(held.at(basename(path))).then(() => true, isFalse);
      const looked = await Promise.all(inFolder.map(isThere));
      for (const [index, path] of inFolder.entries()) if (looked[index]) existing.add(path);
      await held.close();
    }
  };
  // Each takes the next folder that none has taken.
  await Promise.all(Array.from({ length: maxHeldAtOnce }, lookInFolders));
  return new Set(paths.filter((path) => existing.has(path)));
}

const isFalse = () => false;
/** Each needs an open file for each folder above it, of which some systems allow few. */
const maxHeldAtOnce = 8;

interface Creation {
  mode?: number;
  /** Called with where the folder really is before anything is written; what it throws ends it. */
  check?(folder: string, name: string): void;
}

/** Makes a file that must not exist yet, with the folders it needs: whole or not at all. */
export async function createInside(file: DiskPath, contents: Uint8Array, { mode, check }: Creation): Promise<void> {
  const folder = await holdFolder(file, { make: true });
  const name = basename(file.path);
  try {
    check?.(folder.real, name);
    // It follows no link that has this name.
    const handle = await open(folder.at(name), "wx");
    try {
      await handle.writeFile(contents);
      await handle.sync();
      if (mode !== undefined) await handle.chmod(mode);
    } catch (error) {
      await rm(folder.at(name), { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  } catch (error) {
    // What somebody else has put into the folders stays there.
    for (const made of folder.made) await rmdir(made).catch(() => undefined);
    throw error;
  } finally {
    await folder.close();
  }
}

const openFiles = "/proc/self/fd/";

/** Whether it is a path of a held folder that needs no judging any more: its name leads nowhere else. */
export function isHeldPath(path: string): boolean {
  return path.startsWith(openFiles);
}

/** The path of what is open, whatever its name leads to by now. */
function folderOf({ fd }: FileHandle): string {
  return `${openFiles}${fd}`;
}

async function openFolder(path: string, onMade: (() => void) | undefined): Promise<FileHandle> {
  try {
    return await open(path, constants.O_DIRECTORY);
  } catch (error) {
    if (onMade === undefined || !isFileSystemError(error) || error.code !== "ENOENT") throw error;
  }
  await mkdir(path);
  onMade();
  return open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** Where a system has no names for what is open, the folder is only looked at right before it is used. */
async function holdByName(root: string, folder: string, make: boolean): Promise<HeldFolder> {
  const first = make ? await mkdir(folder, { recursive: true }) : undefined;
  const made: string[] = [];
  for (let each = folder; first !== undefined && each.length >= first.length; each = dirname(each)) made.push(each);
  const [realRoot, real] = [await realpath(root), await realpath(folder)];
  if (!isBelow(real, realRoot, process.platform)) throw new LeftFolderError(basename(folder));
  return { real: within(realRoot, real), at: (name) => join(real, name), made, close: async () => {} };
}

async function relativePathOf(handle: FileHandle, file: DiskPath): Promise<string> {
  const { root, path } = file;
  const [realRoot, real] = await Promise.all([file.realRoot ?? realpath(root), pathOfHandle(handle, path)]);
  if (real === undefined || !isBelow(real, realRoot, process.platform)) throw new LeftFolderError(basename(path));
  return within(realRoot, real);
}

function within(root: string, path: string): string {
  return relative(root, path).replaceAll("\\", "/");
}

async function pathOfHandle(handle: FileHandle, path: string): Promise<string | undefined> {
  // Not on a disk, so that there is nothing to wait for.
  if (process.platform === "linux") return readlinkSync(folderOf(handle));
  const real = await realpath(path);
  const [own, there] = [await handle.stat(), await lstat(real)];
  return own.dev === there.dev && own.ino === there.ino ? real : undefined;
}
