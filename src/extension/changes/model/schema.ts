import * as z from "zod";
import type { ProposedFile, TrackedFile, TrackedLine } from "./change.ts";
import { editorLines } from "./pieces.ts";
import { lineFrom } from "./trackedLines.ts";

const exactHunk = z.object({
  oldStart: z.int(),
  oldLines: z.array(z.string()),
  oldText: z.string(),
  newStart: z.int(),
  newLines: z.array(z.string()),
  newText: z.string(),
});

const writtenHunk = z.object({
  id: z.string(),
  author: z.object({
    agentIds: z.array(z.string()),
    agentPath: z.array(z.string()),
    title: z.string().exactOptional(),
    editId: z.string(),
    callId: z.string().exactOptional(),
    chatId: z.string().exactOptional(),
  }),
  kind: z.enum(["update", "add", "delete", "move"]),
  hunk: exactHunk,
  movedFrom: z.string().exactOptional(),
  removed: z.object({ bytes: z.base64(), mode: z.int().exactOptional() }).exactOptional(),
  merged: z.array(z.string()).exactOptional(),
});

const trackedLine = z.object({
  text: z.string(),
  end: z.string(),
  isLive: z.boolean(),
  by: z.string().exactOptional(),
  goneBy: z.string().exactOptional(),
  isTypedOver: z.literal(true).exactOptional(),
  movedFrom: z.string().exactOptional(),
});

/** A string is a line, with its line end, that no hunk has to do with. */
const writtenLine = z.union([z.string(), trackedLine]);

export const writtenFileSchema = z
  .object({ path: z.string(), languageId: z.string(), lines: z.array(writtenLine), hunks: z.array(writtenHunk) })
  .transform(({ lines, ...file }): TrackedFile => {
    return { ...file, lines: lines.map((line) => (typeof line === "string" ? lineFrom(line) : line)) };
  });

/** As `writtenFileSchema` reads it. */
export function storedWritten(file: TrackedFile): unknown {
  const stored = (line: TrackedLine) =>
    line.by === undefined && line.goneBy === undefined && line.movedFrom === undefined ? line.text + line.end : line;
  return { ...file, lines: file.lines.map(stored) };
}

const proposedHunk = z.object({
  id: z.string(),
  hunk: exactHunk,
  extent: z.object({ start: z.int(), end: z.int() }),
  conflicted: z.boolean(),
  decision: z.enum(["pending", "accepted", "rejected"]),
  reason: z.string().exactOptional(),
});

export const proposedFileSchema = z
  .object({
    path: z.string(),
    change: z.enum(["add", "update", "delete"]),
    movedTo: z.string().exactOptional(),
    follows: z.string().exactOptional(),
    followed: z.array(z.string()).exactOptional(),
    languageId: z.string(),
    /** In place of its lines. */
    text: z.string(),
    lineEnd: z.string(),
    hunks: z.array(proposedHunk),
    changedByUser: z.boolean(),
    proposed: z.array(exactHunk),
  })
  .transform(({ text, ...file }): ProposedFile => ({ ...file, lines: editorLines(text) }));

const edits = z.object({ version: z.literal(1), files: z.array(writtenFileSchema) });

export function formatEdits(files: readonly TrackedFile[]): string {
  return JSON.stringify({ version: 1, files: files.map(storedWritten) });
}

/** The files as they were saved; undefined for what another version wrote, or what is damaged. */
export function parseEdits(json: string): TrackedFile[] | undefined {
  try {
    return edits.safeParse(JSON.parse(json)).data?.files;
  } catch {
    return undefined;
  }
}
