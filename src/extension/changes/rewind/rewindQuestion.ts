import { t } from "@vscode/l10n";
import type { RewindTarget } from "../../../protocol/hostEvents.ts";
import type { PlannedFile } from "./rewindPlan.ts";

export interface RewindQuestion {
  message: string;
  detail: string;
  /** What can be said other than no, the usual first. */
  choices: readonly RewindChoice[];
}

interface RewindChoice {
  button: string;
  what: RewindTarget;
}

/** `lost` are the paths of files that no rewind gives back. */
export function rewindQuestion(
  what: RewindTarget,
  files: readonly PlannedFile[],
  lost: readonly string[],
): RewindQuestion {
  const ofFiles = [
    t("These files will be restored:\n{0}", listed(files.map(shownPath))),
    ...changesOfUser(files),
    ...(lost.length > 0 ? [notRestored(lost)] : []),
    t("Not restored: ignored files, background commands, other programs"),
  ];
  const conversation = t("This message and everything after it will be removed.");
  const parts = {
    files: ofFiles,
    conversation: [conversation],
    both: files.length === 0 ? [conversation, noFiles(lost)] : [...ofFiles, conversation],
  };
  return {
    message: t("Rewind to before this message?"),
    detail: [...parts[what], t("You can undo this as long as the chat exists.")].join("\n\n"),
    choices: [
      { button: t("Rewind"), what },
      ...(what === "both" && files.length > 0
        ? [
            { button: t("Conversation only"), what: "conversation" as const },
            { button: t("Files only"), what: "files" as const },
          ]
        : []),
    ],
  };
}

/** Asked only where something of the user's gives way. */
export function undoQuestion(what: RewindTarget, files: readonly PlannedFile[]): RewindQuestion {
  return {
    message: t("Undo the rewind?"),
    detail: [t("These files will be restored:\n{0}", listed(files.map(shownPath))), ...changesOfUser(files)].join(
      "\n\n",
    ),
    choices: [{ button: t("Undo rewind"), what }],
  };
}

/** Nothing that the user changed gives way. */
export function isLossless(files: readonly PlannedFile[]): boolean {
  return files.every((file) => lossOf(file) === undefined && !file.isUncertain);
}

/** What would be lost now was in the question. */
export function namesAll(asked: readonly PlannedFile[], now: readonly PlannedFile[]): boolean {
  return lossesOf(now).join("\n") === lossesOf(asked).join("\n");
}

/** A line for each file in which something that the user changed gives way. */
function lossesOf(files: readonly PlannedFile[]): string[] {
  return files.flatMap((file) => lossOf(file) ?? []);
}

function lossOf({ path, lostLines, isLostWhole, isBack }: PlannedFile): string | undefined {
  if (isLostWhole) return t("{0}: the whole file, which you changed", path);
  if (isBack) return t("{0}: comes back, although you deleted it", path);
  if (lostLines.length === 0) return undefined;
  const ranges = rangesOf(lostLines);
  return lostLines.length === 1
    ? t("{0}: line {1} that you changed", path, ranges)
    : t("{0}: lines {1} that you changed", path, ranges);
}

function changesOfUser(files: readonly PlannedFile[]): string[] {
  const losses = lossesOf(files);
  const uncertain = files.filter(({ isUncertain }) => isUncertain).map(shownPath);
  return [
    ...(losses.length > 0 ? [t("Your changes that don't fit and will be replaced:\n{0}", listed(losses, 30))] : []),
    ...(files.some(({ isMerged }) => isMerged)
      ? [losses.length > 0 ? t("Your other changes in these files stay.") : t("Your own changes in these files stay.")]
      : []),
    ...(uncertain.length > 0
      ? [t("It isn't known what you changed in these files since; it will be replaced:\n{0}", listed(uncertain))]
      : []),
  ];
}

/** Lines from 0 as a person counts them: like "3, 12–14". */
function rangesOf(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1}–${last + 1}`)).join(", ");
}

export function shownPath({ path, current, target }: PlannedFile): string {
  return current.isFolder || target.isFolder ? `${path}/` : path;
}

function noFiles(lost: readonly string[]): string {
  return lost.length > 0 ? notRestored(lost) : t("No agent has changed a file since.");
}

function notRestored(lost: readonly string[]): string {
  return lost.length === 1
    ? t("1 file that a command changed can't be restored:\n{0}", listed(lost))
    : t("{0} files that a command changed can't be restored:\n{1}", lost.length, listed(lost));
}

export function listed(lines: readonly string[], max = 10): string {
  const shown = lines.slice(0, max).join("\n");
  return lines.length > max ? t("{0}\n… and {1} more", shown, lines.length - max) : shown;
}
