import * as nodeFiles from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UserError } from "../userError.ts";
import { isFileSystemError } from "./fileSystemErrors.ts";

/** The file system calls that replacing a file's bytes makes. */
export type ReplacingFiles = Pick<
  typeof nodeFiles,
  "access" | "chmod" | "readFile" | "realpath" | "rename" | "rm" | "stat" | "writeFile"
>;

/**
 * Replaces the bytes of an existing file, all or nothing: a copy beside it takes its place once it is written whole.
 * Where another name or owner would lose the file by that, it is written in place, and put back if that fails.
 */
export async function replaceBytes(path: string, bytes: Uint8Array, files: ReplacingFiles = nodeFiles): Promise<void> {
  try {
    const real = await files.realpath(path);
    const { mode, nlink, uid } = await files.stat(real);
    await files.access(real, nodeFiles.constants.W_OK);
    const isOurs = process.getuid === undefined || process.getuid() === uid;
    if (nlink > 1 || !isOurs) await writeInPlace(real, bytes, files);
    else await writeBeside(real, bytes, mode, files);
  } catch (error) {
    throw isFileSystemError(error) ? writeProblem(path, error.code) : error;
  }
}

async function writeBeside(path: string, bytes: Uint8Array, mode: number, files: ReplacingFiles): Promise<void> {
  const copy = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
  try {
    await files.writeFile(copy, bytes, { flag: "wx", flush: true });
    await files.chmod(copy, mode & 0o7777);
    await files.rename(copy, path);
  } catch (error) {
    await files.rm(copy, { force: true });
    throw error;
  }
}

async function writeInPlace(path: string, bytes: Uint8Array, files: ReplacingFiles): Promise<void> {
  const original = await files.readFile(path);
  try {
    await files.writeFile(path, bytes, { flush: true });
  } catch (error) {
    await files.writeFile(path, original, { flush: true });
    throw error;
  }
}

/** Refuses a file that can't be written before anything is changed. */
export async function refuseReadOnly(path: string, files: Pick<ReplacingFiles, "access"> = nodeFiles): Promise<void> {
  try {
    await files.access(path, nodeFiles.constants.W_OK);
  } catch (error) {
    throw isFileSystemError(error) ? writeProblem(path, error.code) : error;
  }
}

function writeProblem(path: string, code: string): UserError {
  const name = basename(path);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new UserError(`${name} is read-only and was left as it is. Ask the user to make it writable.`);
  }
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new UserError(`${name} was left as it is: the disk is full. Ask the user to make room.`);
  }
  return new UserError(`${name} could not be written and was left as it is (${code}).`);
}
