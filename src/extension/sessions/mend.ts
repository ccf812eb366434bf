import { join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../userError.ts";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";
import { type Place, pathOf } from "./place.ts";
import { unreadableFolder } from "./removed.ts";
import { isNewer, type WholeFile } from "./searchFile.ts";

/**
 * What is wrong with a session's file, as sentences. What a write left that was cut off goes, and nothing else; a file of
 * which nothing can be read is put aside.
 */
export function mend(place: Place, id: string, whole: WholeFile, isOurs: boolean): string[] {
  const { broken } = whole;
  const isTorn = whole.end < whole.size;
  if (whole.lastSeq === 0 && (broken > 0 || (isTorn && whole.header === undefined))) {
    if (isOurs) throw new UserError(putAside(place, id));
    throw new UserError(
      t("The chat's file {0} can't be read. Close the chat in other windows and open it again.", pathOf(place, id)),
    );
  }
  const problems: string[] = [];
  if (isTorn && isOurs) {
    cut(place, id, whole.end);
    problems.push(t("The last entry of this chat was cut off when the editor ended, and is left out."));
  }
  if (broken > 0) {
    problems.push(t("{0} entries of this chat are damaged. They are left out, and kept in its file.", broken));
  }
  if (isNewer(whole)) {
    problems.push(
      t("A newer version of Arbor wrote this chat. What this version doesn't know is kept, but not shown."),
    );
  }
  return problems;
}

function putAside(place: Place, id: string): string {
  const { files, folder, now } = place;
  const aside = join(folder, unreadableFolder);
  const path = join(aside, `${id}.${now()}.jsonl`);
  files.makeFolder(aside);
  files.rename(pathOf(place, id), path);
  return t("This chat can't be read any more. Its file is kept as {0}.", path);
}

/** Where it can't be done now, the writer does it before it appends. */
function cut(place: Place, id: string, size: number): void {
  try {
    place.files.truncate(pathOf(place, id), size);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
  }
}
