import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { NotCovered } from "../changes/rewind/commandChanges.ts";
import { ToolError } from "../common/userError.ts";
import type { Commands, NamedCommand } from "../terminal/commands.ts";
import type { Excerpt, KeptOutput } from "../terminal/keptOutput.ts";
import type { CommandEnd } from "../terminal/runningCommand.ts";

/** How a command ended, for the model. */
export function endText(end: CommandEnd): string {
  const after = `after ${durationText(end.durationMs)}`;
  const notes = [
    ...(end.leftBehind > 0
      ? [`It left ${processes(end.leftBehind)} behind, which ended with it. To keep a process running, use background.`]
      : []),
    ...(end.independent > 0 ? [`${processes(end.independent)} made independent of it still running.`] : []),
  ];
  return [`${headline(end)} ${after}.`, ...notes].join("\n");
}

function headline({ cause, exitCode, signal }: CommandEnd): string {
  switch (cause) {
    case "timeout":
      return "Timed out and was ended, with all it had started,";
    case "stopped":
      return "Stopped, with all it had started,";
    case "user":
      return "Stopped by the user, with all it had started,";
    case "exit":
      return exitCode === null ? `Ended by ${signal ?? "a signal"}` : `Exit code ${exitCode}`;
    default:
      return assertNever(cause);
  }
}

const processes = (count: number) => `${count} ${count === 1 ? "process" : "processes"}`;

function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/** What a rewind can't take back, for the model; empty when it can take back all. */
export function notCoveredText({ paths, isPartial }: NotCovered): string {
  const named = paths.slice(0, 5).join(", ");
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  const files = paths.length === 1 ? "1 file" : `${paths.length} files`;
  return [
    ...(paths.length > 0 ? [`(A rewind can't restore ${files} that this command changed: ${named}${more}.)`] : []),
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
  const where = output.isSpilled ? ` read_file reads all of it from ${output.name}.` : "";
  const problem = output.problem === undefined ? "" : ` (${output.problem})`;
  const lineEnd = head.endsWith("\n") ? "" : "\n";
  return `${head}${lineEnd}[… ${omittedBytes} bytes left out here.${where}${problem}]\n${tail}`;
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
