import disk from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../common/files.ts";
import { type DiskCalls, setAside, writeWhole } from "../writeWhole.ts";
import { loadCall } from "./callRecord.ts";
import type { JournalStorage } from "./editJournal.ts";

/** In the extension's storage. */
export const journalFolder = "edits-under-way";

/** A folder for each chat and a file for each call: who has the chat's session has its folder. */
export function journalOnDisk(folder: string, calls: DiskCalls = disk): JournalStorage {
  const folderOf = (chatId: string) => join(folder, chatId);
  const fileOf = (chatId: string, id: string) => join(folderOf(chatId), `${id}.json`);
  const ifThere = async <Result>(call: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await call;
    } catch (error) {
      if (isFileSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
      throw error;
    }
  };
  const namesIn = async (path: string) => (await ifThere(calls.readdir(path))) ?? [];
  return {
    chats: () => namesIn(folder),
    async read(chatId) {
      const names = (await namesIn(folderOf(chatId))).filter((name) => name.endsWith(".json"));
      const records = [];
      for (const name of names) {
        const file = join(folderOf(chatId), name);
        const json = await ifThere(calls.readFile(file, "utf8"));
        if (json === undefined) continue;
        const record = loadCall(json);
        if (record === undefined) await setAside(file, calls);
        else records.push(record);
      }
      return records;
    },
    async write(chatId, id, json) {
      await calls.mkdir(folderOf(chatId), { recursive: true });
      await writeWhole(fileOf(chatId, id), json, calls);
    },
    remove: (chatId, id) => calls.rm(fileOf(chatId, id), { force: true }),
    async removeOld(chatId, since) {
      const { mtimeMs } = (await ifThere(disk.stat(folderOf(chatId)))) ?? { mtimeMs: 0 };
      if (mtimeMs < since) await calls.rm(folderOf(chatId), { recursive: true, force: true });
    },
  };
}
