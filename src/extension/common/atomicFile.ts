import disk from "node:fs/promises";

/** The calls by which what a review keeps reaches the disk, so that a test can let any of them fail. */
export type DiskCalls = Pick<typeof disk, "access" | "mkdir" | "readdir" | "readFile" | "rename" | "rm" | "writeFile">;

/** Writes a file all or nothing: a copy beside it takes its place once it is written whole. */
export async function writeWhole(
  file: string,
  content: Uint8Array | string,
  { writeFile, rename, rm }: Pick<DiskCalls, "writeFile" | "rename" | "rm"> = disk,
): Promise<void> {
  const copy = `${file}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(copy, content, { flush: true });
    await rename(copy, file);
  } catch (error) {
    // Why it could not be written is what counts, also when the copy can't be removed either.
    await rm(copy, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** What can't be read may be of another version: it is kept beside its place, under a name that says so. */
export function setAside(path: string, { rename }: Pick<DiskCalls, "rename"> = disk): Promise<void> {
  return rename(path, `${path}.unreadable-${crypto.randomUUID().slice(0, 8)}`);
}
