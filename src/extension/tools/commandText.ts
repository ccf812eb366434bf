import os from "node:os";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { NotCovered } from "../changes/rewind/commandChanges.ts";
import { ToolError } from "../common/userError.ts";
import type { Commands, NamedCommand } from "../terminal/commands.ts";
import type { Excerpt, KeptOutput } from "../terminal/keptOutput.ts";
import type { CommandEnd } from "../terminal/runningCommand.ts";

const maxListed = 5;

/** How a command ended, for the model. */
export function endText(end: CommandEnd): string {
  const after = `after ${durationText(end.durationMs)}${end.sandboxed === undefined ? "" : ", in the sandbox"}`;
  const { created = [], refusedHosts: refused = [] } = end.sandboxed ?? {};
  const notes = [
    ...(end.leftBehind > 0
      ? [`It left ${processes(end.leftBehind)} behind, which ended with it. To keep a process running, use background.`]
      : []),
    ...(end.independent > 0 ? [`${processes(end.independent)} made independent of it still running.`] : []),
    ...(refused.length > 0 ? [`The user did not allow it to reach ${listed(refused)}.`] : []),
    ...(created.length > 0 ? [`It made what decides what runs, which the user has not seen: ${listed(created)}.`] : []),
  ];
  return [`${headline(end)} ${after}.`, ...notes].join("\n");
}

function listed(paths: readonly string[]): string {
  const more = paths.length > maxListed ? ` and ${paths.length - maxListed} more` : "";
  return `${paths.slice(0, maxListed).join(", ")}${more}`;
}

/** What the model can do when the sandbox may be the reason that a command failed; empty when nothing hints at it. */
export function sandboxFailureText(end: CommandEnd, output: string, { canLeave }: { canLeave: boolean }): string {
  if (end.sandboxed === undefined || end.cause !== "exit" || end.exitCode === 0) return "";
  const reasons = sandboxReasons(output);
  if (reasons.length === 0) return "";
  const next = canLeave
    ? "If it can't do without, call run_command again with outside_sandbox, which asks the user."
    : "The user's settings allow no command outside it.";
  return `(It may have failed because it ran in the sandbox: ${reasons.join("; ")}. ${next})`;
}

/** What a program prints that the sandbox kept from something, and what that was. */
const signs: readonly [RegExp, string][] = [
  [
    /Read-only file system|\bEROFS\b/i,
    "only the workspace and a temporary folder can be written, and in the workspace no file that decides what runs",
  ],
  [
    /Device or resource busy|\bEBUSY\b/i,
    "files that decide what runs, and the folders they are in, can't be replaced, moved or deleted",
  ],
  [
    /Invalid cross-device link|\bEXDEV\b/i,
    "files that decide what runs, and the folders they are in, can't be replaced, moved or deleted",
  ],
  [
    /Network is unreachable|\bENETUNREACH\b|Could not resolve host|Temporary failure in name resolution|Name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b|dial tcp: lookup|failed to lookup address|No address associated with hostname/i,
    "there is no network but for http and https, through the proxy that http_proxy and https_proxy name",
  ],
  [
    /(?:Connection refused|\bECONNREFUSED\b)/i,
    "nothing that runs outside it, or in another command, can be reached on this machine",
  ],
  [
    /Operation not permitted|\bEPERM\b|Permission denied|\bEACCES\b/i,
    "keys and passwords can't be read, and nothing that needs more rights can be done",
  ],
  [/not a git repository: .*worktrees/i, "folders outside the workspace can't be seen"],
];

/** What of the sandbox may be the reason that a command failed, as parts of a sentence; empty when nothing hints at it. */
function sandboxReasons(output: string): string[] {
  return [...new Set(signs.flatMap(([sign, reason]) => (sign.test(output) ? [reason] : [])))];
}

/** What a command changed beside the folder that it ran in; empty when nothing, or when it ran in the whole workspace. */
export function changedElsewhereText(changed: readonly string[], folder: string | undefined): string {
  if (folder === undefined) return "";
  const elsewhere = changed.filter((path) => path !== folder && !path.startsWith(`${folder}/`));
  return elsewhere.length === 0 ? "" : `(It changed what is outside ${folder}: ${listed(elsewhere)}.)`;
}

function headline({ cause, exitCode, signal, sandboxed }: CommandEnd): string {
  switch (cause) {
    case "timeout":
      return "Timed out and was ended, with all it had started,";
    case "stopped":
      return "Stopped, with all it had started,";
    case "user":
      return "Stopped by the user, with all it had started,";
    case "exit":
      if (exitCode === null) return `Ended by ${signal ?? "a signal"}`;
      return `Exit code ${exitCode}${sandboxed === undefined ? "" : signalNote(exitCode)}`;
    default:
      return assertNever(cause);
  }
}

/** The first process of a sandbox passes on a signal as a shell does. */
function signalNote(exitCode: number): string {
  const name = Object.entries(os.constants.signals).find(([, number]) => number + 128 === exitCode)?.[0];
  return name === undefined ? "" : ` (${name})`;
}

const processes = (count: number) => `${count} ${count === 1 ? "process" : "processes"}`;

function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/** What a rewind can't undo, for the model; empty when it can undo all. */
export function notCoveredText({ paths, isPartial }: NotCovered): string {
  const files = paths.length === 1 ? "1 file" : `${paths.length} files`;
  return [
    ...(paths.length > 0 ? [`(A rewind can't restore ${files} that this command changed: ${listed(paths)}.)`] : []),
    ...(isPartial ? ["(Not all that this command changed can be seen, so a rewind may not restore all of it.)"] : []),
  ].join("\n");
}

/** Output as the model sees it: whole, or its start and its end and where the rest can be read. */
export async function outputText(output: KeptOutput, from = 0): Promise<string> {
  const excerpt = await output.excerpt(from);
  if (excerpt.omittedBytes === 0) return excerpt.head === "" ? "(No output.)" : withoutLastLineEnd(excerpt.head);
  return withoutLastLineEnd(shortened(excerpt, output));
}

function shortened({ head, tail, omittedBytes }: Excerpt, output: KeptOutput): string {
  const problem = output.problem === undefined ? "" : ` (${output.problem})`;
  const lineEnd = head.endsWith("\n") ? "" : "\n";
  return `${head}${lineEnd}[… ${omittedBytes} bytes left out here. read_file reads all of it from ${output.name}.${problem}]\n${tail}`;
}

function withoutLastLineEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** The command of that id; an unknown one is an error that names those that run. */
export function commandOf(commands: Commands, id: string): NamedCommand {
  const command = commands.find(id);
  if (command !== undefined) return command;
  const running = commands.runningIds();
  const known = running.length === 0 ? "No command is running." : `Running: ${running.join(", ")}.`;
  throw new ToolError(`There is no command ${JSON.stringify(id)}. ${known}`);
}
