import type { LiveAttachment } from "../../../../protocol/attachments.ts";
import { diagnosticText, severities } from "../../../tools/diagnosticText.ts";
import { type Brought, element, fittingLines } from "./brought.ts";
import type { AttachmentSources, ChangedFile } from "./sources.ts";

const mostProblems = 200;

/** What the editor knows now: its problems, the last command's output, the changes since the last commit. */
export async function readLive(
  { kind, path }: LiveAttachment,
  sources: AttachmentSources,
  room: number,
  signal: AbortSignal,
): Promise<Brought> {
  switch (kind) {
    case "problems":
      return problems(path, sources, room);
    case "terminal":
      return terminal(sources, room);
    case "diff":
      return diff(await sources.changes(signal), room);
    default:
      kind satisfies never;
      throw new Error(`Nothing is known of ${String(kind)}.`);
  }
}

async function problems(path: string | undefined, { workspace }: AttachmentSources, room: number): Promise<Brought> {
  const found = (await workspace.diagnostics(path))
    .filter(({ severity }) => severity === "error" || severity === "warning")
    .sort((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  if (found.length === 0) return element("problems", { path }, "(the editor shows none)");
  const lines = found.slice(0, mostProblems).map((each) => `${each.path}:${diagnosticText(each)}`);
  const { text, shown } = fittingLines(lines, room);
  const rest = found.length === shown ? "" : `\n(${found.length - shown} more: see them with get_diagnostics.)`;
  return element("problems", { path }, `${text}${rest}`);
}

function terminal({ terminal: last }: AttachmentSources, room: number): Brought {
  const known = last();
  if (known === undefined) return element("terminal", {}, "(no command's output is known)");
  const { command, output, exitCode } = known;
  // What went wrong stands at the end.
  const text = output.length > room ? output.slice(output.length - room) : output;
  const omitted = known.omitted + output.length - text.length;
  const before = omitted === 0 ? "" : `(${omitted} characters before this are left out)\n`;
  return element("terminal", { command, exit_code: exitCode }, `${before}${text}`);
}

function diff(changes: Awaited<ReturnType<AttachmentSources["changes"]>>, room: number): Brought {
  if (changes === undefined) return element("git_diff", {}, "(there is no git repository)");
  const { files, omitted } = changes;
  if (files.length === 0) return element("git_diff", {}, "(nothing has changed since the last commit)");
  let left = room;
  const texts: string[] = [];
  for (const file of files) {
    const text = fileDiff(file, left);
    if (text === undefined) break;
    texts.push(text);
    left -= text.length;
  }
  const missing = [...files.slice(texts.length).map(({ path }) => path)];
  if (missing.length > 0) texts.push(`(left out, because it would be too long: ${missing.join(", ")})`);
  if (omitted > 0) texts.push(`(${omitted} more changed files are left out)`);
  return element("git_diff", {}, texts.join("\n"));
}

function fileDiff({ path, text, isUntracked }: ChangedFile, room: number): string | undefined {
  const whole = isUntracked ? `new file ${path}, not added yet:\n${text}` : text.trimEnd();
  if (whole.length <= room) return whole;
  const { text: start, shown } = fittingLines(whole.split("\n"), room);
  return shown < 2 ? undefined : `${start}\n(the rest of ${path} is left out)`;
}
