import { basename, dirname, join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import { idsIn, isWrittenElsewhere, type SessionLocation, sessionPath } from "./sessionFolder.ts";

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
export function fileOf(place: SessionLocation, id: string): string {
  return isSetAside(id) ? join(place.folder, unreadableFolder, `${id}.jsonl`) : sessionPath(place, id);
}

/** A removed session: its file, and in the name when that was. */
interface Removed {
  name: string;
  id: string;
  removedAt: number;
}

/** Moves a session to the removed ones, so that it can be restored. */
export function moveToRemoved(place: SessionLocation, id: string): void {
  const { files, folder, now } = place;
  const removed = join(folder, removedFolder);
  files.makeFolder(removed);
  if (files.stat(fileOf(place, id)) === undefined) return;
  files.rename(fileOf(place, id), join(removed, `${id}.${now()}.jsonl`));
}

/** Restores the latest that was removed under this id. */
export function moveBack(place: SessionLocation, id: string): void {
  const { files, folder } = place;
  const latest = removedIn(place)
    .filter((removed) => removed.id === id)
    .toSorted((a, b) => a.removedAt - b.removedAt)
    .at(-1);
  if (latest === undefined) throw new UserError(t("This chat was deleted for good and can't be brought back."));
  if (files.stat(fileOf(place, id)) !== undefined) return;
  files.rename(join(folder, removedFolder, latest.name), fileOf(place, id));
}

export function removedIn({ files, folder }: SessionLocation): Removed[] {
  return files.list(join(folder, removedFolder)).flatMap((name) => {
    const match = /^([\w-]+(?:\.\d+)?)\.(\d+)\.jsonl$/.exec(name);
    return match === null ? [] : [{ name, id: match[1] ?? "", removedAt: Number(match[2]) }];
  });
}

/** Everything, but for what another window still writes. */
export function removeForGood(place: SessionLocation): void {
  const { files, folder } = place;
  const kept = idsIn(place).filter((id) => isWrittenElsewhere(place, id));
  for (const part of [removedFolder, unreadableFolder]) {
    for (const name of files.list(join(folder, part))) files.remove(join(folder, part, name));
  }
  for (const name of files.list(folder)) {
    const isFolder = name === removedFolder || name === unreadableFolder;
    if (!isFolder && !kept.some((id) => name.startsWith(`${id}.`))) files.remove(join(folder, name));
  }
  if (kept.length > 0)
    throw new UserError(t("Chats that are open in other windows were kept. Close those and delete again."));
}
