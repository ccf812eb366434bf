import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file all or nothing: a copy beside it takes its place once it is written whole. */
export async function writeWhole(file: string, content: Uint8Array | string): Promise<void> {
  const copy = `${file}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(copy, content, { flush: true });
    await rename(copy, file);
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
}
