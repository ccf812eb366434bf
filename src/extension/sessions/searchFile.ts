import * as z from "zod";
import type { OpenFile } from "../common/files.ts";
import { findCurrentMessages, isAnyCurrent } from "./currentMessages.ts";
import { parseEntry } from "./entrySchema.ts";
import { readGrowing, type Unfinished } from "./growing.ts";
import { findLines, type Line, type Lines, readSessionLines } from "./lines.ts";
import { linkRoot, linkStrays } from "./links.ts";
import { isShown, type SearchedFile } from "./readEntries.ts";
import { format, type Head, version } from "./records.ts";
import type { SessionSummary } from "./session.ts";
import type { SessionCost } from "./transcripts.ts";

export const headerSchema = z.looseObject({
  format: z.literal(format),
  version: z.number(),
  id: z.string(),
  createdAt: z.number(),
});

/** A session's file with all that can be said of it without reading it all. */
export interface WholeFile extends SearchedFile, Lines {
  lines: Line[];
  /** Absent in files of the first version. */
  header?: z.infer<typeof headerSchema>;
  /** Where the first record is. */
  bodyOffset: number;
  createdAt: number;
  spent: SessionCost;
}

/** Searches for all that the log is read back from: the messages and calls of sub-agents are left out. */
export async function searchFile(file: OpenFile, isWanted: (head: Head) => boolean = isShown): Promise<WholeFile> {
  const found = await findLines(file, isWanted);
  const rootLinks = linkRoot(found.lines, found.counts);
  const links = isWanted === isShown ? await linkStrays(file, found, rootLinks) : rootLinks;
  const { lines, start, firstLength } = found;
  const currentByAgent = await findCurrentMessages(file, lines, ({ head }) => head.depth === 0);
  const header = await readHeader(file, start, firstLength);
  return {
    ...found,
    file,
    currentByAgent,
    links,
    ...(header !== undefined && { header }),
    bodyOffset: header === undefined ? start : start + firstLength + 1,
    createdAt: header?.createdAt ?? lines[0]?.head.at ?? 0,
    spent: await spentIn(file, lines),
  };
}

/** What had begun and never ended when the file was last written. */
export async function readUnfinished({ file, unfinished }: WholeFile): Promise<Unfinished[]> {
  const read: Unfinished[] = [];
  for (const lines of unfinished) {
    const all: Unfinished = { events: [] };
    for await (const [, text] of readSessionLines(file, lines)) {
      const { events = [], reported } = readGrowing(text) ?? {};
      for (const event of events) all.events.push(event);
      if (reported !== undefined) all.reported = reported;
    }
    if (all.events.length > 0) read.push(all);
  }
  return read;
}

/** Written by a later version, with records that this one may not know. */
export function isNewer({ header }: WholeFile): boolean {
  return header !== undefined && header.version > version;
}

async function readHeader(file: OpenFile, start: number, length: number) {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, start);
  try {
    return headerSchema.safeParse(JSON.parse(bytes.toString("utf8"))).data;
  } catch {
    // The records behind a damaged header tell enough.
    return undefined;
  }
}

async function spentIn(file: OpenFile, lines: readonly Line[]): Promise<SessionCost> {
  const usages = lines.filter(({ head }) => head.kind === "usage");
  const lastSum = usages.findLastIndex(({ head }) => head.tokens !== undefined);
  const { tokens = 0, cost = 0 } = usages[lastSum]?.head ?? {};
  const spent = { tokens, cost };
  // The first versions kept no sums.
  for await (const [, text] of readSessionLines(file, usages.slice(lastSum + 1))) {
    const entry = parseEntry(text);
    if (entry === undefined || entry === "broken" || !("agent" in entry) || entry.agent.type !== "usage") continue;
    const { delta } = entry.agent;
    spent.tokens += delta.input + delta.output + delta.cacheRead + delta.cacheWrite;
    spent.cost += delta.cost;
  }
  return spent;
}

export async function summarize(id: string, whole: WholeFile): Promise<SessionSummary> {
  const { file, lines, currentByAgent, createdAt, spent } = whole;
  const running = new Set<string>();
  let messageCount = 0;
  let updatedAt = createdAt;
  for (const line of lines) {
    const { head } = line;
    updatedAt = Math.max(updatedAt, head.at);
    if (head.depth !== 0 || head.of === undefined) continue;
    const current = currentByAgent.get(head.of);
    if (head.kind === "agent_start") running.add(head.of);
    else if (head.kind === "agent_end") running.delete(head.of);
    else if (head.role === "user" && current && isAnyCurrent(current, line)) messageCount += 1;
  }
  return {
    id,
    title: await titleIn(file, lines),
    createdAt,
    updatedAt,
    messageCount,
    tokens: spent.tokens,
    // A model without a known price costs nothing by its figures.
    ...(spent.cost > 0 && { cost: spent.cost }),
    isInterrupted: running.size > 0,
  };
}

async function titleIn(file: OpenFile, lines: readonly Line[]): Promise<string> {
  const titled = lines.findLast(({ head }) => head.kind === "chat_titled");
  for await (const [, text] of readSessionLines(file, titled === undefined ? [] : [titled])) {
    const entry = parseEntry(text);
    if (entry !== undefined && entry !== "broken" && "host" in entry && entry.host.type === "chat_titled") {
      return entry.host.title;
    }
  }
  return "";
}
