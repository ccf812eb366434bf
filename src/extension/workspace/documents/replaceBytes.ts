import * as nodeFiles from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isFileSystemError } from "../../common/files.ts";
import { fileProblemOf, inWords } from "../fileProblems.ts";
import { isHeldPath } from "./heldFiles.ts";

/** The file system calls that replacing a file's bytes makes. */
export type ReplacingFiles = Pick<
  typeof nodeFiles,
  "access" | "chmod" | "readFile" | "realpath" | "rename" | "rm" | "stat" | "truncate" | "utimes" | "writeFile"
>;

export interface ReplacingOptions {
  files?: ReplacingFiles;
  /** For the error. */
  name?: string;
  /**
   * What the file has to hold still: looked at as late as it can be, since the copy takes long enough for another program
   * to write. Default: it may hold anything.
   */
  expected?: Uint8Array | undefined;
}

/**
 * Replaces the bytes of an existing file, all or nothing: a copy beside it takes its place once it is written whole.
 * Where that would lose the file's other name or owner, or nothing may be put beside it, it is written in place, and the
 * old bytes are put back if that fails. False when the file does not hold what is expected; then it is left as it is.
 */
export async function replaceBytes(
  path: string,
  bytes: Uint8Array,
  { files = nodeFiles, name = basename(path), expected }: ReplacingOptions = {},
): Promise<boolean> {
  try {
    await replace(path, bytes, files, async (real) => {
      if (expected === undefined || Buffer.compare(await files.readFile(real), expected) === 0) return;
      throw new OtherBytes();
    });
    return true;
  } catch (error) {
    if (error instanceof OtherBytes) return false;
    throw inWords("change", name, error);
  }
}

/**
 * Puts back the bytes that a file had before a write that failed, with the time of their last change: an editor that
 * still knows that time does not take the file for a newer one. Needs no room beside the file.
 */
export async function restoreBytes(
  path: string,
  { bytes, modifiedAt }: { bytes: Uint8Array; modifiedAt: number },
  files: ReplacingFiles = nodeFiles,
): Promise<void> {
  try {
    await replace(path, bytes, files);
  } catch (error) {
    if (fileProblemOf(error) !== "disk full") throw error;
    await overwrite(await linklessPath(path, files), bytes, files);
  }
  await files.utimes(path, new Date(), new Date(modifiedAt));
}

/** The file is not what it has to be any more. */
class OtherBytes extends Error {}

/** Throws `OtherBytes`. Called right before the bytes of the file are gone. */
type Check = (path: string) => Promise<void>;

async function replace(
  path: string,
  bytes: Uint8Array,
  files: ReplacingFiles,
  check: Check = async () => {},
): Promise<void> {
  const real = await linklessPath(path, files);
  const { mode, nlink, uid } = await files.stat(real);
  await files.access(real, nodeFiles.constants.W_OK);
  const isOurs = process.getuid === undefined || process.getuid() === uid;
  if (nlink > 1 || !isOurs) return writeInPlace(real, bytes, files, check);
  try {
    await writeBeside({ path: real, bytes, mode }, files, check);
  } catch (error) {
    if (!isFileSystemError(error) || !besideForbidden.has(error.code)) throw error;
    await writeInPlace(real, bytes, files, check);
  }
}

/** What is held stays where it is; to ask where that is now would be to go by its name again. */
function linklessPath(path: string, files: ReplacingFiles): string | Promise<string> {
  return isHeldPath(path) ? path : files.realpath(path);
}

/** The folder takes no new file, or the file is mounted where it is: it may be writable all the same. */
const besideForbidden = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "ENOTSUP"]);

function nameBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
}

async function writeBeside(
  { path, bytes, mode }: { path: string; bytes: Uint8Array; mode: number },
  files: ReplacingFiles,
  check: Check,
): Promise<void> {
  const copy = nameBeside(path);
  try {
    await files.writeFile(copy, bytes, { flag: "wx", flush: true });
    await files.chmod(copy, mode & 0o7777);
    await check(path);
    await files.rename(copy, path);
  } catch (error) {
    await files.rm(copy, { force: true });
    throw error;
  }
}

async function writeInPlace(path: string, bytes: Uint8Array, files: ReplacingFiles, check: Check): Promise<void> {
  await check(path);
  const original = await files.readFile(path);
  try {
    await overwrite(path, bytes, files);
  } catch (error) {
    await overwrite(path, original, files);
    throw error;
  }
}

/** Over the old bytes, not after they were cut off: what the file occupies stays its own on a disk that is full. */
async function overwrite(path: string, bytes: Uint8Array, files: ReplacingFiles): Promise<void> {
  const flag = nodeFiles.constants.O_RDWR | (nodeFiles.constants.O_NOFOLLOW ?? 0);
  await files.writeFile(path, bytes, { flag, flush: true });
  await files.truncate(path, bytes.length);
}

/** Refuses a file that can't be written before anything is changed. */
export async function refuseReadOnly(path: string, name = basename(path)): Promise<void> {
  try {
    await nodeFiles.access(path, nodeFiles.constants.W_OK);
  } catch (error) {
    throw inWords("change", name, error);
  }
}

/** With so much room left nothing is tried: the file is written and checked afterwards. */
const ampleRoom = 16 * 1024 * 1024;

/**
 * Whether these bytes have room in a file beside that path. The editor writes a file by emptying it first and does not
 * notice when only a part of the text fits, so on a disk with little room this is tried out.
 */
export async function hasRoom(path: string, bytes: Uint8Array): Promise<boolean> {
  const folder = await nearestFolder(dirname(path));
  try {
    const { bavail, bsize } = await nodeFiles.statfs(folder);
    if (bavail * bsize > ampleRoom + 2 * bytes.length) return true;
  } catch {
    // A file system that does not say: what is written is checked afterwards.
    return true;
  }
  const trial = nameBeside(join(folder, basename(path)));
  try {
    await nodeFiles.writeFile(trial, bytes, { flag: "wx", flush: true });
    return true;
  } catch (error) {
    // A user who may put nothing into the folder may still write the file.
    return fileProblemOf(error) !== "disk full";
  } finally {
    await nodeFiles.rm(trial, { force: true });
  }
}

async function nearestFolder(folder: string): Promise<string> {
  const isThere = await nodeFiles.stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
