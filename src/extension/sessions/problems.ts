import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";

/** What to tell the user when a session can't be written. */
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

/** What to tell the user when a session's file was gone. */
export function rewrittenWords(): string {
  return t("The file of this chat was deleted while the chat was open. Arbor has written it again.");
}

/** For what the user asked for: says why it can't be done, when that is up to the disk. */
export async function told<T>(step: () => T | Promise<T>): Promise<T> {
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
