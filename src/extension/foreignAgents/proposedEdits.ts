import { isRecord } from "../../protocol/records.ts";
import type { FileOutcome, ProposedChange, ReviewOutcome } from "../changes/model/change.ts";
import { editReport, hiddenHunks } from "../tools/editReport.ts";
import { keepLineEnds, majorityLineEnd } from "../tools/text/keepLineEnds.ts";
import { normalizeLineEnds, withoutByteOrderMark } from "../tools/text/normalizedText.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ForeignCall } from "./toolCalls.ts";

/** Longer files are shown as the program shows their change: to compare them would take too long. */
const maxTextLength = 2_000_000;
const maxFiles = 100;

/**
 * What a call would make of the files as they are now, by the differences that the program shows: whole files, or lines
 * that are in the file once. Undefined where that is not known in full, or a file is none of the workspace's.
 */
export async function proposedEdits(
  { content = [], args, paths }: Pick<ForeignCall, "content" | "args" | "paths">,
  workspace: Pick<Workspace, "canonicalPath" | "stat" | "read">,
  signal: AbortSignal,
): Promise<ProposedChange[] | undefined> {
  const changes = new Map<string, ProposedChange>();
  for (const part of content) {
    if (part.type !== "diff") continue;
    const isEach = isRecord(args) && args.replace_all === true;
    try {
      const path = workspace.canonicalPath(part.path);
      const before = changes.get(path) ?? (await currentOf(path, workspace, signal));
      if (before === undefined) return undefined;
      const after = changedText(before.after ?? before.before, { ...part, isEach });
      if (after === undefined) return undefined;
      changes.set(path, { path, ...(before.before !== undefined && { before: before.before }), after });
    } catch (error) {
      if (signal.aborted) throw error;
      // Outside the workspace, or hidden from agents: it is asked about with what the program says.
      return undefined;
    }
  }
  const all = [...changes.values()];
  const isWhole = all.length > 0 && all.length <= maxFiles && all.every(isKnown);
  // What it is about and does not show is allowed with the rest.
  return isWhole && paths.every((path) => isIn(changes, path, workspace)) ? all : undefined;
}

/** A file without any text left may be meant to be deleted. */
function isKnown({ before, after = "" }: ProposedChange): boolean {
  return before !== after && after.length <= maxTextLength && (before === undefined || after !== "");
}

function isIn(changes: ReadonlyMap<string, unknown>, path: string, workspace: Pick<Workspace, "canonicalPath">) {
  try {
    return changes.has(workspace.canonicalPath(path));
  } catch {
    return false;
  }
}

type Current = Pick<ProposedChange, "before" | "after">;

/** Empty for a file that is not there. */
async function currentOf(
  path: string,
  workspace: Pick<Workspace, "stat" | "read">,
  signal: AbortSignal,
): Promise<Current | undefined> {
  if ((await workspace.stat(path)) === undefined) return {};
  const current = await workspace.read(path, signal);
  return current.kind === "text" && current.text.length <= maxTextLength ? { before: current.text } : undefined;
}

/** Undefined where it can't be said what the text becomes. */
function changedText(
  before: string | undefined,
  { oldText, newText, isEach }: { oldText?: string | null | undefined; newText: string; isEach: boolean },
): string | undefined {
  const wanted = normalizeLineEnds(withoutByteOrderMark(newText).text);
  if (before === undefined) return oldText ? undefined : wanted;
  const text = normalizeLineEnds(before);
  const old = oldText == null ? text : normalizeLineEnds(withoutByteOrderMark(oldText).text);
  const after = old === text ? wanted : replaced(text, old, { wanted, isEach });
  return after === undefined ? undefined : keepLineEnds(before, after, majorityLineEnd(before) ?? "\n");
}

function replaced(text: string, old: string, { wanted, isEach }: { wanted: string; isEach: boolean }) {
  const parts = old === "" ? [] : text.split(old);
  return parts.length === 2 || (isEach && parts.length > 2) ? parts.join(wanted) : undefined;
}

/**
 * The message to the program about an edit that was not allowed as it is; undefined where a plain no says it all.
 * `hidden`: files with lines that the program may not see.
 */
export function partReport(
  changes: readonly ProposedChange[],
  { files }: ReviewOutcome,
  hidden: ReadonlySet<string> = new Set(),
): string | undefined {
  const hunks = files.flatMap((file) => file.hunks);
  const isSilent = hunks.every(({ accepted, reason = "" }) => !accepted && reason === "");
  if (isSilent || hunks.some(({ unanswered }) => unanswered)) return undefined;
  const reports = changes.flatMap((change) => {
    const outcome = files.find(({ path }) => path === change.path);
    return outcome === undefined
      ? []
      : [editReport(change, outcome, hidden.has(change.path) ? { show: hiddenHunks } : {})];
  });
  return [headOf(files), ...reports].join("\n");
}

function headOf(files: ReviewOutcome["files"]): string {
  if (files.every(isWanted)) {
    return "The user accepted your edit. You were answered that it is not allowed, since a file is not as you saw it; the edit is in it now, so do not repeat it.";
  }
  return files.some(({ hunks }) => hunks.some(({ accepted }) => accepted))
    ? "The user took a part of your edit. You were answered that it is not allowed, since there is no other answer for a part; what the user took of it is in the files now."
    : "The user did not allow your edit.";
}

/** Whether the program may write all of it as it is. */
export function isTakenWhole({ files, isWritten }: ReviewOutcome): boolean {
  return isWritten !== true && files.every(isWanted);
}

function isWanted({ changedByUser, hunks }: FileOutcome): boolean {
  return !changedByUser && hunks.every(({ accepted }) => accepted);
}
