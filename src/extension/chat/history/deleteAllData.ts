import { rm } from "node:fs/promises";
import { join } from "node:path";
import { draftsFile } from "../drafts.ts";

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
  for (const name of keptNames) await rm(join(storageFolder, name), { recursive: true, force: true });
  await forget();
  if (withKeys) await removeKeys();
  await deleteSessions();
}
