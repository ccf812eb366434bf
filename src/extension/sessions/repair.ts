import { t } from "@vscode/l10n";
import { isFileSystemError } from "../common/files.ts";
import { UserError } from "../common/userError.ts";
import { version } from "./records.ts";
import type { SessionFile } from "./sessionFile.ts";
import { type SessionLocation, sessionPath, setSessionAside } from "./sessionFolder.ts";

/**
 * What is wrong with a session's file, as sentences. What a write left that was cut off goes, and nothing else; a file of
 * which nothing can be read is put aside.
 */
export function repair(location: SessionLocation, id: string, whole: SessionFile, isOurs: boolean): string[] {
  const isTorn = whole.end < whole.size;
  if (isUnreadable(whole)) {
    if (isOurs) throw new UserError(putAside(location, id));
    throw new UserError(
      t(
        "The chat's file {0} can't be read. Close the chat in other windows and open it again.",
        sessionPath(location, id),
      ),
    );
  }
  const problems: string[] = [];
  if (isTorn && isOurs) {
    cut(location, id, whole.end);
    problems.push(t("The last entry of this chat was cut off when the editor ended, and is left out."));
  }
  const damaged = damagedLines(whole);
  if (damaged > 0) problems.push(damageText(damaged));
  if (whole.unlinked > 0) problems.push(unlinkedText(whole.unlinked));
  if (isNewer(whole)) {
    problems.push(
      t("A newer version of Arbor wrote this chat. What this version doesn't know is kept, but not shown."),
    );
  }
  return problems;
}

/** Nothing of it is a record. */
export function isUnreadable({ fold, broken, unknown, end, size, header }: SessionFile): boolean {
  return fold.lastSeq === 0 && (broken + unknown > 0 || (end < size && header === undefined));
}

/** What a later version wrote may look odd to this one. */
function damagedLines(whole: SessionFile): number {
  return whole.broken + (isNewer(whole) ? 0 : whole.unknown);
}

function damageText(count: number): string {
  return count === 1
    ? t("1 entry of this chat is damaged. It is left out, and kept in its file.")
    : t("{0} entries of this chat are damaged. They are left out, and kept in its file.", count);
}

function unlinkedText(count: number): string {
  return count === 1
    ? t("1 entry of this chat is damaged: it belongs to no agent, and is shown under the root agent.")
    : t("{0} entries of this chat are damaged: they belong to no agent, and are shown under the root agent.", count);
}

function putAside(location: SessionLocation, id: string): string {
  const path = setSessionAside(location.files, sessionPath(location, id), location.now());
  return t("This chat can't be read any more. Its file is kept as {0}.", path);
}

/** Where it can't be done now, the writer does it before it appends. */
function cut(location: SessionLocation, id: string, size: number): void {
  try {
    location.files.truncate(sessionPath(location, id), size);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
  }
}

/** A session can't be written. */
export function writingProblem(error: unknown): string {
  const code = isFileSystemError(error) ? error.code : "";
  if (isFull(error)) {
    return t("The disk is full, so this chat is not saved for now. Make room: then all of it is written.");
  }
  if (isForbidden(error)) {
    return t(
      "Arbor may not write to its storage, so this chat is not saved for now ({0}). Check its permissions.",
      code,
    );
  }
  return t(
    "This chat can't be saved for now ({0}). Arbor tries again with whatever is said next.",
    code || String(error),
  );
}

/** A session's file was deleted. */
export function rewrittenText(): string {
  return t("The file of this chat was deleted while the chat was open. Arbor has written it again.");
}

/** For what the user asked for: says why it can't be done, when that is up to the disk. */
export async function withUserErrors<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    if (isFull(error)) {
      throw new UserError(t("The disk is full, so nothing was changed. Make room and try again."));
    }
    throw new UserError(
      t("Arbor's storage can't be used ({0}), so nothing was changed. Free it and try again.", error.code),
    );
  }
}

/** There is no room: nothing is wrong with what is there. */
export function isFull(error: unknown): boolean {
  return isFileSystemError(error) && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

function isForbidden(error: unknown): boolean {
  return isFileSystemError(error) && ["EACCES", "EPERM", "EROFS"].includes(error.code);
}

/** Written by a later version, with records that this one may not know. */
function isNewer({ header }: SessionFile): boolean {
  return header !== undefined && header.version > version;
}
