import { t } from "@vscode/l10n";
import { oneLine, visible } from "./visible.ts";

/** What a tool call is about. */
export interface Target {
  /** As one text: `src/auth.ts 1-120`, `"login"`, `npm test`. Empty when the arguments name nothing. */
  text: string;
  path?: string;
  line?: number;
}

const maxLength = 120;
const none: Target = { text: "" };

/** The target of a call by the names of its arguments, so that tools of others are shown as well as our own. */
export function targetOf(args: unknown): Target {
  if (typeof args === "string") return targetOfPartialJson(args);
  if (!isRecord(args)) return none;
  const path = textAt(args, "path");
  if (path !== undefined) return pathTarget(path, args);
  for (const [key, quoted] of namingArguments) {
    const value = textAt(args, key);
    if (value !== undefined) return { text: quoted ? `"${oneLine(value, maxLength)}"` : oneLine(value, maxLength) };
  }
  if (Array.isArray(args.tasks)) return { text: taskNames(args.tasks) };
  const patched = textAt(args, "patch")?.match(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/m)?.[1];
  return patched === undefined ? none : { text: visible(patched), path: patched };
}

/** The folder of a target that is a file, and what is left: `src/auth/` and `session.ts 1-120`. */
export function folderAndName({ text, path }: Target): readonly [folder: string, name: string] {
  const cut = path === undefined ? 0 : visible(path).lastIndexOf("/") + 1;
  return [text.slice(0, cut), text.slice(cut)];
}

/** In order of precedence; whether the value is shown in quotation marks. */
const namingArguments: readonly (readonly [string, boolean])[] = [
  ["query", true],
  ["pattern", false],
  ["command", false],
  ["url", false],
  ["symbol", false],
  ["agent", false],
  ["name", false],
  ["question", true],
];

function pathTarget(path: string, args: Record<string, unknown>): Target {
  const start = numberAt(args, "start_line") ?? numberAt(args, "line");
  const end = numberAt(args, "end_line");
  const shown = visible(path);
  if (start === undefined) return { text: end === undefined ? shown : `${shown} 1-${end}`, path };
  return { text: `${shown} ${end === undefined ? start : `${start}-${end}`}`, path, line: start };
}

function taskNames(tasks: readonly unknown[]): string {
  const names = tasks.flatMap((task) => (isRecord(task) ? [textAt(task, "agent") ?? "agent"] : []));
  return oneLine(names.join(", "), maxLength);
}

/** While a call streams, its arguments are raw JSON text; the first naming value is found without parsing it. */
function targetOfPartialJson(json: string): Target {
  const match = /"(path|query|pattern|command|url|agent)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(json.slice(0, 2_000));
  if (match?.[1] === undefined || match[2] === undefined) return none;
  try {
    const value: unknown = JSON.parse(match[2]);
    return targetOf({ [match[1]]: value });
  } catch {
    return none;
  }
}

/** The agent library's own tools have English labels in every language. */
const libraryLabels: ReadonlyMap<string, string> = new Map([
  ["Delegate", t("Delegate")],
  ["Spawn agents", t("Spawn agents")],
  ["List agents", t("List agents")],
]);

/** `read_file` becomes "Read file": the label of a tool that has none of its own. */
export function labelOf(toolName: string, label?: string): string {
  if (label !== undefined && label !== "") return visible(libraryLabels.get(label) ?? label);
  const name = toolName.replace(/[_-]+/g, " ").trim();
  return visible(name.charAt(0).toUpperCase() + name.slice(1));
}

function textAt(record: Record<string, unknown>, key: string): string | undefined {
  const value = record[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberAt(record: Record<string, unknown>, key: string): number | undefined {
  const value = record[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
