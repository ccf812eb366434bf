import { join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../userError.ts";
import { idsIn, isWrittenElsewhere, type Place, pathOf } from "./place.ts";

const folderName = "removed";

/** A removed session: its file, and in the name when that was. */
interface Removed {
  name: string;
  id: string;
  removedAt: number;
}

export function putAside(place: Place, id: string): void {
  const { files, folder, now } = place;
  const removed = join(folder, folderName);
  files.makeFolder(removed);
  if (files.stat(pathOf(place, id)) === undefined) return;
  files.rename(pathOf(place, id), join(removed, `${id}.${now()}.jsonl`));
}

export function takeBack(place: Place, id: string): void {
  const { files, folder } = place;
  const latest = removedIn(place)
    .filter((removed) => removed.id === id)
    .toSorted((a, b) => a.removedAt - b.removedAt)
    .at(-1);
  if (latest === undefined) throw new UserError(t("This chat was deleted for good and can't be brought back."));
  if (files.stat(pathOf(place, id)) !== undefined) return;
  files.rename(join(folder, folderName, latest.name), pathOf(place, id));
}

export function removedIn({ files, folder }: Place): Removed[] {
  return files.list(join(folder, folderName)).flatMap((name) => {
    const match = /^([\w-]+)\.(\d+)\.jsonl$/.exec(name);
    return match === null ? [] : [{ name, id: match[1] ?? "", removedAt: Number(match[2]) }];
  });
}

/** Everything, but for what another window still writes. */
export function removeForGood(place: Place): void {
  const { files, folder } = place;
  const kept = idsIn(place).filter((id) => isWrittenElsewhere(place, id));
  for (const part of [folderName, "unreadable"]) {
    for (const name of files.list(join(folder, part))) files.remove(join(folder, part, name));
  }
  for (const name of files.list(folder)) {
    const isFolder = name === folderName || name === "unreadable";
    if (!isFolder && !kept.some((id) => name.startsWith(`${id}.`))) files.remove(join(folder, name));
  }
  if (kept.length > 0)
    throw new UserError(t("Chats that are open in other windows were kept. Close those and delete again."));
}
