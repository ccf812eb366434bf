import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../workspace/fileSystemErrors.ts";
import { draftsFile } from "../compose/drafts.ts";

export interface DeleteAllDependencies {
  /** Of this workspace. */
  storageFolder: string;
  /** Ends what runs and lets go of every chat; their panels show new ones. */
  leaveChats(): Promise<void>;
  deleteSessions(): Promise<void>;
  /** Forgets drafts and what else the editor keeps. */
  forget(): Promise<void>;
  removeKeys(): Promise<void>;
}

/** What Arbor keeps beside the sessions. */
export const keptNames = [
  "checkpoints",
  "outputs",
  "traces",
  "words",
  "pending-edits.json",
  "shown-chat.json",
  draftsFile,
];

/** Deletes all of it. Sessions go last: where another window has one, that is told when everything else is gone. */
export async function deleteAllData(dependencies: DeleteAllDependencies, withKeys: boolean): Promise<void> {
  const { storageFolder, leaveChats, deleteSessions, forget, removeKeys } = dependencies;
  await leaveChats();
  for (const name of await namesIn(storageFolder)) {
    // What could not be read was set aside under a longer name.
    const [kept = ""] = name.split(".unreadable-");
    if (keptNames.includes(kept)) await rm(join(storageFolder, name), { recursive: true, force: true });
  }
  await forget();
  if (withKeys) await removeKeys();
  await deleteSessions();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return [];
    throw error;
  }
}
