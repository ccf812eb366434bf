import { join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../userError.ts";
import { type Place, pathOf } from "./place.ts";
import { isNewer, type WholeFile } from "./searchFile.ts";

/**
 * Makes a session fit to be written on: what a write left that was cut off goes, and nothing else. Gives what is wrong
 * with the file, as sentences. A file of which nothing can be read is put aside.
 */
export function mend(place: Place, id: string, whole: WholeFile, isOurs: boolean): string[] {
  const { broken } = whole;
  const isTorn = whole.end < whole.size;
  if (whole.lastSeq === 0 && (broken > 0 || (isTorn && whole.header === undefined))) {
    if (isOurs) throw new UserError(putAside(place, id));
    throw new UserError(t("The chat's file {0} can't be read.", pathOf(place, id)));
  }
  const problems: string[] = [];
  if (isTorn && isOurs) {
    cut(place, id, whole.end);
    problems.push(
      t("The last entry of this chat was not written whole and is left out: the editor ended while it was."),
    );
  }
  if (whole.lacksLineEnd && isOurs) endLine(place, id, whole);
  if (broken > 0)
    problems.push(t("{0} entries of this chat are damaged. They are left out, and kept in its file.", broken));
  if (isNewer(whole)) {
    problems.push(
      t("A newer version of Arbor wrote this chat. What this version doesn't know is kept, but not shown."),
    );
  }
  return problems;
}

function putAside(place: Place, id: string): string {
  const { files, folder, now } = place;
  const aside = join(folder, "unreadable");
  const path = join(aside, `${id}.${now()}.jsonl`);
  files.makeFolder(aside);
  files.rename(pathOf(place, id), path);
  return t("This chat can't be read any more. Its file is kept as {0}.", path);
}

function cut(place: Place, id: string, size: number): void {
  withDescriptor(place, id, (descriptor) => place.files.truncate(descriptor, size));
}

function endLine(place: Place, id: string, whole: WholeFile): void {
  withDescriptor(place, id, (descriptor) => place.files.append(descriptor, Buffer.from("\n")));
  whole.end += 1;
  whole.lacksLineEnd = false;
}

function withDescriptor(place: Place, id: string, use: (descriptor: number) => void): void {
  const descriptor = place.files.openForAppend(pathOf(place, id));
  try {
    use(descriptor);
  } finally {
    place.files.close(descriptor);
  }
}
