import { join } from "node:path";
import { t } from "@vscode/l10n";
import { isFileSystemError, type OpenFile } from "../common/files.ts";
import { isHeld, type Lock, type LockPlace, takeLock } from "../common/lock.ts";
import type { ProcessIdentity } from "../common/processIdentity.ts";
import { UserError } from "../common/userError.ts";
import { SessionGone } from "./session.ts";
import { readSessionFile, type SessionFile } from "./sessionFile.ts";

/** Where the sessions of a workspace are, and how one gets there. */
export interface SessionLocation extends LockPlace {
  folder: string;
  newId(): string;
  /** Who writes here. */
  owner(): ProcessIdentity;
}

const extension = ".jsonl";

export function sessionPath({ folder }: SessionLocation, id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new UserError(t("This is no id of a chat. Choose one from the history."));
  return join(folder, `${id}${extension}`);
}

export function idsIn({ folder, files }: SessionLocation): string[] {
  return files
    .list(folder)
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length));
}

export function isWrittenElsewhere(place: SessionLocation, id: string): boolean {
  return isHeld(sessionPath(place, id), place);
}

/** Undefined when another window has the session. Throws what the file system throws. */
export function lockOf(place: SessionLocation, id: string): Lock | undefined {
  place.files.makeFolder(place.folder);
  return takeLock(sessionPath(place, id), place.owner(), place);
}

/** Opens a session's file for as long as it is used, and reads it. */
export function withFile<T>(place: SessionLocation, id: string, use: (session: SessionFile) => Promise<T>): Promise<T> {
  return withOpenFile(place, id, async (file) => use(await readSessionFile(file)));
}

export async function withOpenFile<T>(
  place: SessionLocation,
  id: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const path = sessionPath(place, id);
  try {
    const file = await place.files.openForRead(path);
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    if (error.code === "ENOENT") throw new SessionGone(t("This chat is not there any more. Choose another one."));
    throw new UserError(
      t("The chat's file {0} can't be read ({1}). Free it and open the chat again.", path, error.code),
    );
  }
}
