import { t } from "@vscode/l10n";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";

/** What to tell the user when a session can't be written. */
export function writingProblem(error: unknown): string {
  const code = isFileSystemError(error) ? error.code : "";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return t("The disk is full, so this chat is not saved for now. Make room: then all of it is written.");
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
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
