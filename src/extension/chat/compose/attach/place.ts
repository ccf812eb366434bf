import type { PlaceAttachment } from "../../../../protocol/attachments.ts";
import type { CodeSymbol } from "../../../workspace/workspace.ts";
import { type Brought, element, fittingLines } from "./brought.ts";
import type { AttachmentSources } from "./sources.ts";

/** As base64; providers refuse larger ones. */
const largestImage = 5_000_000;
const listedDepth = 4;
const mostListed = 300;
/** Of a symbol whose end nobody knows. */
const symbolLines = 60;

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
  const { entries, omitted } = await workspace.list(path, { depth: listedDepth, limit: mostListed }, signal);
  const names = entries.map((entry) => (entry.kind === "directory" ? `${entry.path}/` : entry.path));
  const { text, shown } = fittingLines(names, room);
  const missing = names.length - shown + omitted;
  const rest = missing === 0 ? "" : `\n(${missing} more entries: see them with list_files.)`;
  return element("attached_folder", { path }, `${text}${rest}`);
}

/** A symbol's lines: as the language server tells them, or up to the next symbol that does not stand in it. */
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
