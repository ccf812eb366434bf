import type { TrackedFile, TrackedLine, WrittenHunk } from "../model/change.ts";
import type { Extent } from "../model/lineEdit.ts";
import { sameLines } from "../model/pieces.ts";

/** A file that agents wrote to, as it is now. */
export interface NotedFile extends TrackedFile {
  exists: boolean;
}

/** What is to be said of one hunk; the signature differs when there is something new to say. */
interface HunkReport {
  path: string;
  hunk: WrittenHunk;
  state: WrittenState;
  isGone: boolean;
  signature: string;
  /** The agent that wrote it was stopped before it could say so. */
  isUnreported?: boolean;
}

const intactSignature = "intact";
const maxLinesShown = 12;
const maxEntries = 40;

function hunkReports(file: NotedFile): HunkReport[] {
  return file.hunks
    .filter(({ kind }) => kind !== "move")
    .map((hunk) => {
      const state = writtenState(file, hunk);
      const isGone = !file.exists && hunk.kind !== "delete";
      const signature = isGone
        ? "gone"
        : state.kind === "changed"
          ? `changed ${state.lines.join("\n")}`
          : state.kind === "undone"
            ? "undone"
            : intactSignature;
      return { path: file.path, hunk, state, isGone, signature };
    });
}

/** By hunk id: what there is to say of each hunk; another one when there is something new to say. */
export function signaturesOf(file: NotedFile): Record<string, string> {
  return Object.fromEntries(hunkReports(file).map(({ hunk, signature }) => [hunk.id, signature]));
}

interface NoteRequest {
  agentId: string;
  /** What else the agent has to know. */
  events: readonly string[];
  /** By hunk id: the signature that the agent knows; none of a hunk that is as it was written. */
  known: Readonly<Record<string, string>>;
  /** Agents that were stopped before they could report. */
  stopped: ReadonlySet<string>;
}

/**
 * What an agent is to know of its own edits and of those it delegated: what is new, and beside it what is as it was. With
 * the signatures of what is new; undefined when nothing is.
 */
export function noteFor(
  files: readonly NotedFile[],
  { agentId, events, known, stopped }: NoteRequest,
): { note: string; signatures: Record<string, string> } | undefined {
  const reports = files
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .flatMap(hunkReports)
    .filter(({ hunk }) => hunk.author.agentIds.includes(agentId));
  const isUnreported = ({ id, author: { agentIds } }: WrittenHunk) =>
    known[id] === undefined && agentIds.slice(agentIds.indexOf(agentId) + 1).some((below) => stopped.has(below));
  const news = reports
    .map((report) => ({ ...report, isUnreported: isUnreported(report.hunk) }))
    .filter(({ hunk, signature, isUnreported }) => isUnreported || signature !== (known[hunk.id] ?? intactSignature));
  if (news.length === 0 && events.length === 0) return undefined;
  const newIds = new Set(news.map(({ hunk }) => hunk.id));
  const others = reports.filter(({ hunk }) => !newIds.has(hunk.id));
  const signatures = Object.fromEntries(news.map(({ hunk, signature }) => [hunk.id, signature]));
  return { note: noteText(news, others, { agentId, events }), signatures };
}

function noteText(
  news: readonly HunkReport[],
  others: readonly HunkReport[],
  { agentId, events }: Pick<NoteRequest, "agentId" | "events">,
): string {
  const unreported = news.filter((report) => report.isUnreported && report.signature === intactSignature);
  const answered = news.filter((report) => !unreported.includes(report));
  const there = answered.filter(({ isGone }) => !isGone);
  const parts = [
    ...events,
    ...section("Agents wrote this before they were stopped, and could not tell you (lines as they are now):", [
      ...unreported.map(unreportedEntry),
    ]),
    ...section("What the user did since with edits that you or your agents wrote (lines as they are now):", [
      ...goneFiles(answered),
      ...there.map((report) => entry(report, agentId)),
    ]),
    ...(answered.length > 0 ? unchanged(others) : []),
    `${answered.length > 0 || events.length > 0 ? "Don't redo what the user undid, unless they ask for it. " : ""}Read these files again before you edit them.`,
  ];
  return `<review>\n${parts.join("\n")}\n</review>`;
}

function section(title: string, entries: readonly string[]): string[] {
  if (entries.length === 0) return [];
  const left = entries.length - maxEntries;
  return [title, ...entries.slice(0, maxEntries), ...(left > 0 ? [`- and ${left} more`] : [])];
}

function unreportedEntry({ path, hunk, state }: HunkReport): string {
  const by = `written by ${hunk.author.agentPath.join(" › ")}`;
  if (hunk.kind === "delete") return `- ${path}: the file was deleted (${by})`;
  if (state.lines.length === 0) return `- ${path}, ${linesAt(state)}: lines were deleted (${by})`;
  return [`- ${path}, ${linesAt(state)} (${by}):`, ...shownLines(state)].join("\n");
}

function goneFiles(news: readonly HunkReport[]): string[] {
  const paths = new Set(news.filter(({ isGone }) => isGone).map(({ path }) => path));
  return [...paths].map((path) => `- ${path}: the file does not exist any more`);
}

function entry({ path, hunk, state, signature }: HunkReport, agentId: string): string {
  const by = hunk.author.agentIds.at(-1) === agentId ? "" : ` (written by ${hunk.author.agentPath.join(" › ")})`;
  const what = `- ${path}, ${linesAt(state)}${by}`;
  if (signature === intactSignature) return `${what}: there again as it was written`;
  if (state.kind === "undone") return `${what}: undone by the user. ${undone(hunk)}`;
  if (state.lines.length === 0) return `${what}: changed by the user, and none of its lines is left`;
  return [`${what}: changed by the user, now:`, ...shownLines(state)].join("\n");
}

function shownLines({ lines, range }: WrittenState): string[] {
  const shown = lines.slice(0, maxLinesShown).map((line, index) => `  ${range.start + 1 + index}| ${line}`);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `  … ${left} more lines`] : shown;
}

function undone({ kind, hunk }: WrittenHunk): string {
  if (kind === "delete") return "The file is there again.";
  const removed = hunk.newLines.length === 1 ? "The added line is gone." : "The added lines are gone.";
  if (hunk.oldLines.length === 0) return removed;
  return "The former text is back.";
}

function linesAt({ range: { start, end } }: WrittenState): string {
  if (end - start > 1) return `lines ${start + 1}–${end}`;
  return end > start ? `line ${start + 1}` : `before line ${start + 1}`;
}

/** What the user let be, where something else was undone or changed. */
function unchanged(others: readonly HunkReport[]): string[] {
  const counts = new Map<string, number>();
  for (const { path, state, isGone } of others) {
    if (state.kind === "intact" && !isGone) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const named = [...counts].slice(0, 10).map(([path, count]) => `${path} (${count})`);
  return [`Kept as written: ${named.join(", ")}${counts.size > 10 ? ` and ${counts.size - 10} more files` : ""}`];
}

/** What became of a hunk that an agent wrote, whatever review mode it was written in. */
interface WrittenState {
  kind: "intact" | "undone" | "changed";
  /** Where it is, or was, in lines of the current text. */
  range: Extent;
  /** The current lines of one that was changed. */
  lines: readonly string[];
}

function writtenState({ lines }: Pick<TrackedFile, "lines">, { id, hunk }: WrittenHunk): WrittenState {
  const isOwn = ({ by }: TrackedLine) => by === id;
  const isRemoved = ({ goneBy }: TrackedLine) => goneBy === id;
  const first = lines.findIndex((line) => isOwn(line) || isRemoved(line));
  let last = lines.findLastIndex((line) => isOwn(line) || isRemoved(line));
  const part = lines.slice(first, last + 1);
  const own = part.filter(isOwn);
  const removed = part.filter(isRemoved);
  const live = own.filter(({ isLive }) => isLive).length;
  // What a later edit of an agent replaced is that edit's.
  const replaced = own.filter(({ isLive, goneBy }) => !isLive && goneBy !== undefined).length;
  const back = removed.filter(({ isLive }) => isLive).length;
  // What is typed in place of lines comes behind them.
  const isTypedOver = live + replaced < own.length || removed.some((line) => line.isTypedOver);
  if (isTypedOver) while (isTyped(lines[last + 1]) || isForgotten(lines[last + 1])) last += 1;
  const typed = lines.slice(first, last + 1).filter(isTyped).length;
  const now = lines.slice(first, last + 1).filter(({ isLive }) => isLive);
  const start = lines.slice(0, Math.max(0, first)).filter(({ isLive }) => isLive).length;
  const range = { start, end: start + now.length };
  const texts = now.map(({ text }) => text);
  const isAsWritten = typed === 0 && back === 0 && live + replaced === own.length;
  const isAsBefore = typed === 0 && live + replaced === 0 && back === removed.length;
  // Lines that were typed again are as good as those that came back by an undo.
  const isIntact = first < 0 || isAsWritten || (own.length > 0 && sameLines(texts, hunk.newLines));
  const isUndone = isAsBefore || (live + replaced === 0 && sameLines(texts, hunk.oldLines));
  return { kind: isIntact ? "intact" : isUndone ? "undone" : "changed", range, lines: texts };
}

/** The user typed it and it is gone: it is remembered for where it came from alone. */
function isForgotten(line: TrackedLine | undefined): boolean {
  return line?.isLive === false && line.by === undefined && line.goneBy === undefined;
}

function isTyped(line: TrackedLine | undefined): boolean {
  return line?.isLive === true && line.by === undefined && line.goneBy === undefined;
}
