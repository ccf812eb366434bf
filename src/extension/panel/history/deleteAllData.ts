import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../common/files.ts";
import { isNamed, ownedNames, sharedNames } from "../../storage/migration.ts";

export interface DeleteAllDependencies {
  /** Of this workspace: what its windows share. */
  workspaceFolder: string;
  /** Of this window, and of windows that were closed. */
  windowFolders(): readonly string[];
  /** Where an earlier version stored all of it. */
  earlierFolders: readonly string[];
  /** Ends what runs and closes every chat; their panels show new ones. */
  leaveChats(): Promise<void>;
  deleteSessions(): Promise<void>;
  /** Removes drafts and what else the editor stores. */
  forget(): Promise<void>;
  removeKeys(): Promise<void>;
}

/** What Arbor stores beside the sessions. */
export const keptNames = [...sharedNames.filter((name) => name !== "sessions"), ...ownedNames, "worktrees"];

/** Deletes all of it. Sessions are last: that another window has one is reported when everything else is deleted. */
export async function deleteAllData(dependencies: DeleteAllDependencies, withKeys: boolean): Promise<void> {
  const { workspaceFolder, windowFolders, earlierFolders, leaveChats, deleteSessions, forget, removeKeys } =
    dependencies;
  await leaveChats();
  await removeIn(workspaceFolder, (name) => isNamed(name, keptNames));
  for (const folder of windowFolders()) await removeIn(folder, () => true);
  for (const folder of earlierFolders) await removeIn(folder, (name) => isNamed(name, [...keptNames, "sessions"]));
  await forget();
  if (withKeys) await removeKeys();
  await deleteSessions();
}

async function removeIn(folder: string, isWanted: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (isWanted(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return [];
    throw error;
  }
}
