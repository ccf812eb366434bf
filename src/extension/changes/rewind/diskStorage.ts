import disk from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../common/files.ts";
import { type DiskCalls, setAside, writeWhole } from "../writeWhole.ts";
import type { CheckpointStorage } from "./storage.ts";

/** Pre-images in a folder of the extension's own: a file per content, named by its hash, and an index. */
export function diskStorage(folder: string, calls: DiskCalls = disk): CheckpointStorage {
  const { access, mkdir, readdir, readFile, rm } = calls;
  const blobs = join(folder, "blobs");
  const index = join(folder, "index.json");
  return {
    readBlob: (hash) => orAbsent(readFile(join(blobs, hash))),
    async writeBlob(hash, bytes) {
      const file = join(blobs, hash);
      if ((await orAbsent(access(file).then(() => true))) === true) return;
      await mkdir(blobs, { recursive: true });
      await writeWhole(file, bytes, calls);
    },
    listBlobs: async () => (await orAbsent(readdir(blobs))) ?? [],
    removeBlob: (hash) => rm(join(blobs, hash), { force: true }),
    readIndex: () => orAbsent(readFile(index, "utf8")),
    async writeIndex(json) {
      await mkdir(folder, { recursive: true });
      await writeWhole(index, json, calls);
    },
    setAside: () => setAside(folder, calls),
  };
}

async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}
