import type { ImagePart, TextPart } from "../../../../agent/index.ts";
import type { LiveAttachment, PlaceAttachment } from "../../../../protocol/attachments.ts";
import { isSecretPath } from "../../../approvals/sensitive.ts";
import { diagnosticText, severities } from "../../../tools/diagnosticText.ts";
import type { CodeSymbol } from "../../../workspace/workspace.ts";
import type { AttachmentSources, ChangedFile } from "./sources.ts";

/** As base64; providers refuse larger ones. */
const largestImage = 5_000_000;
const listedDepth = 4;
const maxListed = 300;
/** Of a symbol whose end is unknown. */
const symbolLines = 60;

/** A mention may come with text that the user pasted: an agent that needs such a file asks for it. */
export const withheldSecret =
  "(It may hold passwords or keys, so its text is not attached: read_file asks the user for it.)";

export interface PlaceOptions {
  workspace: AttachmentSources["workspace"];
  room: number;
  takesImages: boolean;
  signal: AbortSignal;
}

/** What a file, folder, selection or symbol brings. Throws for what the workspace refuses or can't read. */
export async function readPlace(place: PlaceAttachment, options: PlaceOptions): Promise<Brought> {
  if (place.kind === "folder") return readFolder(place.path, options);
  const span = place.kind === "symbol" ? await symbolSpan(place, options) : place;
  return readLines(place, span, options);
}

async function readLines(
  { kind, path, name }: PlaceAttachment,
  { startLine, endLine }: Pick<PlaceAttachment, "startLine" | "endLine">,
  { workspace, room, takesImages, signal }: PlaceOptions,
): Promise<Brought> {
  const content = await workspace.read(path, signal);
  if (isSecretPath(path) || (content.leadsTo !== undefined && isSecretPath(content.leadsTo))) {
    return element("attached_file", { path }, withheldSecret);
  }
  if (content.kind === "image") {
    if (!takesImages) return element("attached_file", { path }, "(a picture, which this model can't be shown)");
    if (content.data.length > largestImage) {
      return element("attached_file", { path }, "(a picture that is too large to be shown)");
    }
    const [caption] = element("attached_file", { path }, "(the picture follows)");
    return [caption, { type: "image", mimeType: content.mimeType, data: content.data }];
  }
  const all = content.text.split(/\r\n|\r|\n/);
  const first = startLine ?? 1;
  const wanted = startLine === undefined ? all : all.slice(first - 1, endLine ?? first);
  const { text, shown } = fittingLines(wanted, room);
  const rest =
    shown === wanted.length ? "" : `\n(${wanted.length - shown} more lines: read on with start_line=${first + shown}.)`;
  const lines = startLine === undefined ? undefined : `${first}-${endLine ?? first}`;
  return element(kind === "symbol" ? "attached_symbol" : "attached_file", { path, name, lines }, `${text}${rest}`);
}

async function readFolder(path: string, { workspace, room, signal }: PlaceOptions): Promise<Brought> {
  const { entries, omitted } = await workspace.list(path, { depth: listedDepth, limit: maxListed }, signal);
  const names = entries.map((entry) => (entry.kind === "directory" ? `${entry.path}/` : entry.path));
  const { text, shown } = fittingLines(names, room);
  const missing = names.length - shown + omitted;
  const rest = missing === 0 ? "" : `\n(${missing} more entries: see them with list_files.)`;
  return element("attached_folder", { path }, `${text}${rest}`);
}

/** A symbol's lines: as the language server reports them, or up to the next symbol that is not in it. */
async function symbolSpan(
  { path, name, startLine = 1, endLine }: PlaceAttachment,
  { workspace, signal }: PlaceOptions,
): Promise<{ startLine: number; endLine: number }> {
  if (endLine !== undefined) return { startLine, endLine };
  const outline = await workspace.documentSymbols(path, signal);
  const own = outline.find(({ line }) => line === startLine);
  if (own?.endLine !== undefined) return { startLine, endLine: own.endLine };
  const next = nextBeside(outline, { name: own?.name ?? name, line: startLine });
  return { startLine, endLine: next === undefined ? startLine + symbolLines - 1 : next - 1 };
}

function nextBeside(
  outline: readonly CodeSymbol[],
  symbol: { name: string | undefined; line: number },
): number | undefined {
  const inside = new Set(symbol.name === undefined ? [] : [symbol.name]);
  for (const { name, container, line } of outline) {
    if (line <= symbol.line) continue;
    if (container === undefined || !inside.has(container)) return line;
    inside.add(name);
  }
  return undefined;
}

const maxProblems = 200;

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
  const lines = found.slice(0, maxProblems).map((each) => `${each.path}:${diagnosticText(each)}`);
  const { text, shown } = fittingLines(lines, room);
  const rest = found.length === shown ? "" : `\n(${found.length - shown} more: see them with get_diagnostics.)`;
  return element("problems", { path }, `${text}${rest}`);
}

function terminal({ terminal: last }: AttachmentSources, room: number): Brought {
  const known = last();
  if (known === undefined) return element("terminal", {}, "(no command's output is known)");
  const { command, output, exitCode } = known;
  // What went wrong is at the end.
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

/** What an attachment brings: one text, and for some a picture after it. */
export type Brought = [TextPart] | [TextPart, ImagePart];

/** An element of ours around a text: attributes are JSON, so that no name ends them. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  text: string,
): [TextPart] {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}=${JSON.stringify(String(value))}`],
  );
  return [{ type: "text", text: `<${name}${written.join("")}>\n${text}\n</${name}>` }];
}

/** As many whole lines as there is room for; a single line that is longer is cut. */
function fittingLines(lines: readonly string[], room: number): { text: string; shown: number } {
  let length = 0;
  let shown = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > room + 1) break;
    shown++;
  }
  if (shown > 0 || lines.length === 0) return { text: lines.slice(0, shown).join("\n"), shown };
  return { text: (lines[0] ?? "").slice(0, Math.max(0, room)), shown: 0 };
}
