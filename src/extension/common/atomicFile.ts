import disk from "node:fs/promises";
import { type Files, isFileSystemError } from "./files.ts";

/** The calls by which what a review keeps reaches the disk, so that a test can let any of them fail. */
export type DiskCalls = Pick<typeof disk, "access" | "mkdir" | "readdir" | "readFile" | "rename" | "rm" | "writeFile">;

/** Writes a file all or nothing: a copy beside it takes its place once it is written whole. */
export async function writeWhole(
  file: string,
  content: Uint8Array | string,
  { writeFile, rename, rm }: Pick<DiskCalls, "writeFile" | "rename" | "rm"> = disk,
): Promise<void> {
  const copy = copyBeside(file);
  try {
    await writeFile(copy, content, { flush: true, mode: 0o600 });
    await rename(copy, file);
  } catch (error) {
    // Why it could not be written is what counts, also when the copy can't be removed either.
    await rm(copy, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The same without waiting, for what is small. */
export function writeWholeSync(files: Pick<Files, "create" | "rename" | "remove">, file: string, text: string): void {
  const copy = copyBeside(file);
  try {
    files.create(copy, text);
    files.rename(copy, file);
  } catch (error) {
    removeQuietly(files, copy);
    throw error;
  }
}

/** The path of a copy that no other writer uses. */
export function copyBeside(path: string): string {
  return `${path}.${crypto.randomUUID().slice(0, 8)}.tmp`;
}

/** For what is only left over: that it could not be removed changes nothing. Whether it is gone. */
export function removeQuietly(files: Pick<Files, "remove">, path: string): boolean {
  try {
    files.remove(path);
    return true;
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return false;
  }
}

/** What can't be read may be of another version: it is kept beside its place, under a name that says so. */
export function setAside(path: string, { rename }: Pick<DiskCalls, "rename"> = disk): Promise<void> {
  return rename(path, `${path}.unreadable-${crypto.randomUUID().slice(0, 8)}`);
}
