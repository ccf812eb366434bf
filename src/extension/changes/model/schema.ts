import * as z from "zod";
import type { TrackedLine, WrittenFile, WrittenHunk } from "./change.ts";
import { lineFrom, textOf } from "./trackedLines.ts";
import { typeInto } from "./trackText.ts";
import { keepHunks, unanswerable } from "./undoHunks.ts";

const hunkSchema = z.object({
  oldStart: z.int(),
  oldLines: z.array(z.string()),
  oldText: z.string(),
  newStart: z.int(),
  newLines: z.array(z.string()),
  newText: z.string(),
});

const writtenHunkSchema = z.object({
  id: z.string(),
  author: z.object({ agentIds: z.array(z.string()), agentPath: z.array(z.string()), editId: z.string() }),
  kind: z.enum(["update", "add", "delete", "move"]),
  hunk: hunkSchema,
  movedFrom: z.string().exactOptional(),
  removed: z.object({ bytes: z.base64(), mode: z.int().exactOptional() }).exactOptional(),
});

const trackedLineSchema = z.object({
  text: z.string(),
  end: z.string(),
  isLive: z.boolean(),
  by: z.string().exactOptional(),
  goneBy: z.string().exactOptional(),
});

/** A string stands for a line, with its line end, that no hunk has to do with. */
export const writtenFileSchema = z.object({
  path: z.string(),
  languageId: z.string(),
  lines: z.array(z.union([z.string(), trackedLineSchema])),
  hunks: z.array(writtenHunkSchema),
});

const editsSchema = z.object({ version: z.literal(1), files: z.array(writtenFileSchema) });

export function saveEdits(files: readonly WrittenFile[]): string {
  return JSON.stringify({ version: 1, files: files.map(savedFile) });
}

/** As `appliedFileSchema` reads it. */
export function savedFile(file: WrittenFile): unknown {
  return { ...file, lines: file.lines.map(savedLine) };
}

export function fileFromSaved({ lines, ...file }: z.output<typeof writtenFileSchema>): WrittenFile {
  return { ...file, lines: lines.map((line) => (typeof line === "string" ? lineFrom(line) : line)) };
}

function savedLine(line: TrackedLine): string | TrackedLine {
  return line.by === undefined && line.goneBy === undefined ? line.text + line.end : line;
}

export interface LoadedEdits {
  files: WrittenFile[];
  /** Files that were not wanted, as they were saved. */
  others: WrittenFile[];
  /** Hunks whose lines are not in their files any more. */
  dropped: { path: string; hunk: WrittenHunk }[];
  /** False for what another version wrote, or what is damaged: the files themselves hold all that was written. */
  isReadable: boolean;
}

/** Takes up what was saved, as far as the files still hold it. `currentTextOf` gives undefined for no file. */
export async function loadEdits(
  json: string,
  currentTextOf: (path: string) => Promise<string | undefined>,
  isWanted: (path: string) => boolean = () => true,
): Promise<LoadedEdits> {
  const parsed = parseEdits(json);
  const loaded: LoadedEdits = { files: [], others: [], dropped: [], isReadable: parsed !== undefined };
  for (const known of parsed ?? []) {
    if (!isWanted(known.path)) {
      loaded.others.push(known);
      continue;
    }
    const text = (await currentTextOf(known.path)) ?? "";
    const now = textOf(known) === text ? known : typeInto(known, text);
    const lost = now === known ? [] : unanswerable(now);
    loaded.dropped.push(...lost.map((hunk) => ({ path: known.path, hunk })));
    loaded.files.push(keepHunks(now, (hunk) => lost.includes(hunk)));
  }
  return loaded;
}

/** The files as they were saved; undefined for what another version wrote, or what is damaged. */
export function parseEdits(json: string): WrittenFile[] | undefined {
  try {
    return editsSchema.safeParse(JSON.parse(json)).data?.files.map(fileFromSaved);
  } catch {
    return undefined;
  }
}
