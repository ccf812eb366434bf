import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { UserError } from "../common/userError.ts";

/** Why a file system refuses, as far as a person can do something about it. */
export type FileProblem = "disk full" | "read-only" | "newer on disk" | "cut off" | "not saved" | "missing" | "unknown";

/** What was tried with a file. */
export type FileAction = "create" | "change" | "save" | "restore" | "delete" | "move" | "read";

/** The codes are in the text where the editor passes on what failed on the machine that has the files. */
const signs: readonly [FileProblem, RegExp][] = [
  ["disk full", /\b(?:ENOSPC|EDQUOT)\b/],
  ["read-only", /\b(?:EACCES|EPERM|EROFS|NoPermissions)\b/],
  ["newer on disk", /File Modified Since|FILE_MODIFIED_SINCE|content of the file is newer/i],
  ["missing", /\b(?:ENOENT|ENOTDIR|FileNotFound)\b/],
];

/** What a failed call of the file system was about; absent for an error that is none. */
export function fileProblemOf(error: unknown): FileProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const text = `${code} ${error.message}`;
  const known = signs.find(([, sign]) => sign.test(text))?.[0];
  return known ?? (/^E[A-Z]+$/.test(code) || error.name.includes("FileSystemError") ? "unknown" : undefined);
}

/** What could not be done with a file and why, for people and for models. `detail` is what the system says itself. */
export function fileError(action: FileAction, path: string, problem: FileProblem, detail = ""): UserError {
  const { people, model } = reasons[problem];
  return new UserError(peopleText(action, path, people(detail)), `${modelText[action](path)}: ${model(detail)}`);
}

/** A failed call of the file system in words; any other error as it is. */
export function inWords(action: FileAction, path: string, error: unknown): unknown {
  const problem = fileProblemOf(error);
  return problem === undefined ? error : fileError(action, path, problem, errorText(error));
}

/** A write that was refused before it began: whatever the file holds then is not the write's. */
export class NothingWritten extends UserError {}

export function changedSinceRead(path: string): NothingWritten {
  return new NothingWritten(
    t("{0} changed meanwhile. Try again.", path),
    `${path} changed since it was read. Read it again.`,
  );
}

export function alreadyExists(path: string): NothingWritten {
  return new NothingWritten(t("{0} already exists.", path), `${path} already exists.`);
}

/** To be thrown before anything is written: afterwards the file could be neither read nor changed back. */
export function wouldBeBinary(path: string): NothingWritten {
  return new NothingWritten(
    t(
      "{0} was left as it is: this text has a NUL character, which would make it a binary file. Reject the edit.",
      path,
    ),
    `${path} was left as it is: your text has a NUL character (U+0000), which would make it a binary file. Write an escape of the language in its place, like \\0, with its backslash doubled in the JSON of your call.`,
  );
}

export function noTextAnymore(path: string): UserError {
  return new UserError(t("{0} is not a text any more.", path), `${path} is not a text any more.`);
}

export function doesNotExist(path: string): UserError {
  return new UserError(t("{0} does not exist.", path), `${path} does not exist.`);
}

const reasons: Record<FileProblem, { people(detail: string): string; model(detail: string): string }> = {
  "disk full": {
    people: () => t("the disk is full."),
    model: () => "the disk is full. Tell the user, and don't retry before there is room.",
  },
  "read-only": {
    people: () => t("it is read-only."),
    model: () => "it is read-only. Ask the user to make it writable.",
  },
  "newer on disk": {
    people: () => t("the file on disk is newer than its text in the editor. Try again, or reopen it."),
    model: () => "the file on disk is newer than its text in the editor. Read it again and retry.",
  },
  "cut off": {
    people: () => t("the file system did not write all of it."),
    model: () => "the file system did not write all of it. Tell the user.",
  },
  "not saved": {
    people: () => t("the editor did not save it."),
    model: () => "the editor did not save it. Tell the user.",
  },
  missing: {
    people: () => t("it does not exist any more."),
    model: () => "it does not exist any more. Look for it with find_files.",
  },
  unknown: {
    people: (detail) => t("the file system reports an error. {0}", detail),
    model: (detail) => `the file system reports an error. ${detail}`,
  },
};

function peopleText(action: FileAction, path: string, reason: string): string {
  switch (action) {
    case "create":
      return t("{0} could not be created: {1}", path, reason);
    case "change":
      return t("{0} was not changed: {1}", path, reason);
    case "save":
      return t("{0} could not be saved: {1} The change is in the editor, unsaved.", path, reason);
    case "restore":
      return t("{0} is damaged on disk, its text is in the editor: {1}", path, reason);
    case "delete":
      return t("{0} could not be deleted: {1}", path, reason);
    case "move":
      return t("{0} could not be moved: {1}", path, reason);
    case "read":
      return t("{0} could not be read: {1}", path, reason);
  }
}

const modelText: Record<FileAction, (path: string) => string> = {
  create: (path) => `${path} could not be created`,
  change: (path) => `${path} was left as it is`,
  save: (path) => `${path} could not be saved, so the edit is in the editor's unsaved text only`,
  restore: (path) => `${path} is damaged on disk, its text is in the editor`,
  delete: (path) => `${path} could not be deleted`,
  move: (path) => `${path} could not be moved`,
  read: (path) => `${path} could not be read`,
};
