import disk from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../workspace/fileSystemErrors.ts";
import { type DiskCalls, setAside, writeWhole } from "../writeWhole.ts";
import type { PersistedEdits } from "./persistedEdits.ts";

/** The pending hunks as a file in a folder of the extension's own. */
export function editsOnDisk(folder: string, calls: DiskCalls = disk): PersistedEdits {
  const file = join(folder, "pending-edits.json");
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
  };
}
