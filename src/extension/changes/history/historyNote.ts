import type { WrittenFile, WrittenHunk } from "../model/change.ts";
import { type WrittenState, writtenState } from "../model/hunkStates.ts";

/** A file that agents wrote to, as it is now. */
export interface NotedFile extends WrittenFile {
  exists: boolean;
}

/** What is to be said of one hunk; the signature differs when there is something new to say. */
interface HunkReport {
  path: string;
  hunk: WrittenHunk;
  state: WrittenState;
  isGone: boolean;
  signature: string;
  /** Whoever wrote it was stopped before it could say so. */
  isUnreported?: boolean;
}

export const intactSignature = "intact";
/** Of what whoever asked for it does not know at all. */
export const unreportedSignature = "unreported";
const mostLinesShown = 12;
const mostEntries = 40;

export function hunkReports(file: NotedFile): HunkReport[] {
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

/** What an agent hears of its own edits and of those it delegated: what is new, and beside it what is as it was. */
export function historyNote(
  news: readonly HunkReport[],
  others: readonly HunkReport[],
  { agentId, events }: { agentId: string; events: readonly string[] },
): string | undefined {
  if (news.length === 0 && events.length === 0) return undefined;
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
  const left = entries.length - mostEntries;
  return [title, ...entries.slice(0, mostEntries), ...(left > 0 ? [`- and ${left} more`] : [])];
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
  const shown = lines.slice(0, mostLinesShown).map((line, index) => `  ${range.start + 1 + index}| ${line}`);
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
