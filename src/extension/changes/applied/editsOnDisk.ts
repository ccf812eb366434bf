import disk from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../common/files.ts";
import { type DiskCalls, setAside, writeWhole } from "../writeWhole.ts";
import type { LeftEdits } from "./persistedEdits.ts";

/** Hunks, the pending ones by default, as a file in a folder of the extension's own. */
export function editsOnDisk(folder: string, calls: DiskCalls = disk, name = "pending-edits.json"): LeftEdits {
  const file = join(folder, name);
  return {
    read: async () => {
      try {
        return await calls.readFile(file, "utf8");
      } catch (error) {
        if (isFileSystemError(error) && error.code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: async (json) => {
      await calls.mkdir(folder, { recursive: true });
      await writeWhole(file, json, calls);
    },
    setAside: () => setAside(file, calls),
    remove: () => calls.rm(file, { force: true }),
  };
}
