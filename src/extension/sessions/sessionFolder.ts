import { basename, dirname, join } from "node:path";
import { t } from "@vscode/l10n";
import { isFileSystemError, type OpenFile } from "../common/files.ts";
import { isHeld, type Lock, type LockPlace, takeLock } from "../common/lock.ts";
import type { ProcessIdentity } from "../common/processIdentity.ts";
import { UserError } from "../common/userError.ts";
import { SessionGone } from "./session.ts";
import { readSessionFile, type SessionFile } from "./sessionFile.ts";

/** Where the sessions of a workspace are. */
export interface SessionLocation extends LockPlace {
  folder: string;
  newId(): string;
  /** Who writes here. */
  owner(): ProcessIdentity;
}

const extension = ".jsonl";

export function sessionPath({ folder }: SessionLocation, id: string): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new UserError(t("This is not the ID of a chat. Choose one from the history."));
  return join(folder, `${id}${extension}`);
}

export function idsIn({ folder, files }: SessionLocation): string[] {
  return files
    .list(folder)
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length));
}

export function isWrittenElsewhere(location: SessionLocation, id: string): boolean {
  return isHeld(sessionPath(location, id), location);
}

/** Undefined when another window has the session. Throws what the file system throws. */
export function lockOf(location: SessionLocation, id: string): Lock | undefined {
  location.files.makeFolder(location.folder);
  return takeLock(sessionPath(location, id), location.owner(), location);
}

/** Opens a session's file for as long as it is used, and reads it. */
export function withFile<T>(
  location: SessionLocation,
  id: string,
  use: (session: SessionFile) => Promise<T>,
): Promise<T> {
  return withOpenFile(location, id, async (file) => use(await readSessionFile(file)));
}

export async function withOpenFile<T>(
  location: SessionLocation,
  id: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const path = sessionPath(location, id);
  try {
    const file = await location.files.openForRead(path);
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

export const removedFolder = "removed";
/** Files that can't be read are moved there: they may be repaired by hand. */
const unreadableFolder = "unreadable";

/** Moves a file away that is not a session's, or can't be read. Returns its new path. */
export function setSessionAside(files: SessionLocation["files"], path: string, now: number): string {
  const folder = join(dirname(path), unreadableFolder);
  const name = basename(path).replace(/\.jsonl$/, `.${now}.jsonl`);
  files.makeFolder(folder);
  files.rename(path, join(folder, name));
  return join(folder, name);
}

/** The id of a file that was set aside: that of its session, and when that was. */
export function isSetAside(id: string): boolean {
  return /^[\w-]{1,100}\.\d{1,20}$/.test(id);
}

/** Ids of all files that were set aside. */
export function setAsideIn({ files, folder }: SessionLocation): string[] {
  const names = files.list(join(folder, unreadableFolder)).map((name) => name.replace(/\.jsonl$/, ""));
  return names.filter(isSetAside);
}

/** Where a session is, be it set aside. */
export function fileOf(location: SessionLocation, id: string): string {
  return isSetAside(id) ? join(location.folder, unreadableFolder, `${id}.jsonl`) : sessionPath(location, id);
}

/** A removed session: its file, and in the name when that was. */
interface Removed {
  name: string;
  id: string;
  removedAt: number;
}

/** Moves a session to the removed ones, so that it can be restored. */
export function moveToRemoved(location: SessionLocation, id: string): void {
  const { files, folder, now } = location;
  const removed = join(folder, removedFolder);
  files.makeFolder(removed);
  if (files.stat(fileOf(location, id)) === undefined) return;
  files.rename(fileOf(location, id), join(removed, `${id}.${now()}.jsonl`));
}

/** Restores the latest that was removed under this id. */
export function moveBack(location: SessionLocation, id: string): void {
  const { files, folder } = location;
  const latest = removedIn(location)
    .filter((removed) => removed.id === id)
    .toSorted((a, b) => a.removedAt - b.removedAt)
    .at(-1);
  if (latest === undefined) throw new UserError(t("This chat was deleted permanently and can't be restored."));
  if (files.stat(fileOf(location, id)) !== undefined) return;
  files.rename(join(folder, removedFolder, latest.name), fileOf(location, id));
}

export function removedIn({ files, folder }: SessionLocation): Removed[] {
  return files.list(join(folder, removedFolder)).flatMap((name) => {
    const match = /^([\w-]+(?:\.\d+)?)\.(\d+)\.jsonl$/.exec(name);
    return match === null ? [] : [{ name, id: match[1] ?? "", removedAt: Number(match[2]) }];
  });
}

/** Everything, but for what another window still writes. */
export function removeForGood(location: SessionLocation): void {
  const { files, folder } = location;
  const written = idsIn(location).filter((id) => isWrittenElsewhere(location, id));
  for (const part of [removedFolder, unreadableFolder]) {
    for (const name of files.list(join(folder, part))) files.remove(join(folder, part, name));
  }
  for (const name of files.list(folder)) {
    const isFolder = name === removedFolder || name === unreadableFolder;
    if (!isFolder && !written.some((id) => name.startsWith(`${id}.`))) files.remove(join(folder, name));
  }
  if (written.length > 0)
    throw new UserError(t("Chats that are open in other windows were kept. Close those and delete again."));
}
