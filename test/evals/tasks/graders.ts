import { failureText } from "../harness/repository.ts";
import type { RecordedCall, TaskRun } from "../harness/runTask.ts";

/** What several graders look at. Each gives what is wrong as sentences, none when nothing is. */

const editTools = ["edit_file", "apply_patch", "write_file", "delete_file", "move_file", "rename_symbol"];

const isEdit = ({ name }: RecordedCall) => editTools.includes(name);

/** Nothing but these files was changed. */
export async function onlyChanged({ repository }: TaskRun, paths: readonly string[]): Promise<string[]> {
  const others = (await repository.changed()).filter((path) => !paths.includes(path));
  return others.map((path) => `${path} was changed.`);
}

/** Nothing was changed, and no tool was called for it. */
export async function nothingChanged(run: TaskRun): Promise<string[]> {
  const tried = run.calls.filter(isEdit).map(({ name, args }) => `${name} was called for ${String(args.path)}.`);
  return [...(await onlyChanged(run, [])), ...tried];
}

/** A script of the repository runs without an error in Node. */
export async function scriptPasses({ repository }: TaskRun, script: string): Promise<string[]> {
  const { code, output } = await repository.check([process.execPath, script]);
  return code === 0 ? [] : [failureText(script, output)];
}

/** A script of the repository fails where these files are as given: it tests what they do. */
export async function scriptNotices(
  { repository }: TaskRun,
  script: string,
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { code } = await repository.check([process.execPath, script], files);
  return code === 0
    ? [`${script} does not notice when ${Object.keys(files).join(" and ")} lacks what it is about.`]
    : [];
}

/** The files as they were at first. */
export function originals({ repository }: TaskRun, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, repository.before(path) ?? ""]));
}

/** The answer has `path:line` for one of these lines. */
export function cites({ answer }: TaskRun, path: string, lines: readonly number[]): string[] {
  const cited = answer
    .split(`${path}:`)
    .slice(1)
    .map((rest) => Number.parseInt(rest, 10));
  const isCited = lines.some((line) => cited.includes(line));
  return isCited ? [] : [`The answer does not cite ${path}:${lines.join(" or ")}.`];
}

export function says({ answer }: TaskRun, expected: RegExp): string[] {
  return expected.test(answer) ? [] : [`The answer does not say ${expected}.`];
}

/** The file has what it should have. */
export async function has({ repository }: TaskRun, path: string, expected: RegExp): Promise<string[]> {
  const text = await repository.text(path);
  if (text === undefined) return [`${path} is missing.`];
  return expected.test(text) ? [] : [`${path} does not have ${expected}.`];
}

/** The file does not have what it should not have. */
export async function lacks({ repository }: TaskRun, path: string, unwanted: RegExp): Promise<string[]> {
  const text = await repository.text(path);
  return text !== undefined && unwanted.test(text) ? [`${path} has ${unwanted}.`] : [];
}

/** Commands that were run, in order. */
export function commandsRun({ calls }: TaskRun): string[] {
  return calls
    .filter(({ name, result }) => name === "run_command" && /^Exit code /.test(result))
    .map(({ args }) => String(args.command));
}

/** A command like this was run after the last edit and ended well. */
export function verifiedBy({ calls }: TaskRun, command: RegExp): string[] {
  const since = calls.slice(calls.findLastIndex(isEdit) + 1);
  const isVerified = since.some(
    ({ name, args, isError }) => name === "run_command" && !isError && command.test(String(args.command)),
  );
  return isVerified ? [] : [`Nothing like ${command} was run with success after the last edit.`];
}
