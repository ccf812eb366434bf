import type { ProposedChange } from "../changes/model/change.ts";
import { mergeTexts } from "../changes/model/mergeTexts.ts";
import { decodeText, isBinary } from "../workspace/documents/encoding.ts";
import type { FileDifference, WorktreeFile } from "./worktreeFiles.ts";

/** What of a worktree's change can be proposed on the user's files as they are now. */
export interface ProposedChanges {
  changes: ProposedChange[];
  /** Files in which the user or another agent changed the same lines since. */
  conflicts: string[];
  /** Files that can't be proposed, and why, for the model. */
  left: { path: string; reason: string }[];
  /** Files whose mode changed, as it is in the worktree: the mode is never proposed. */
  modes: { path: string; isExecutable: boolean }[];
}

/**
 * Merges three ways: what the worktree began with, what its agent made of it, and what the user has now. Where both changed
 * the same lines the agent's are proposed over the user's, who decides.
 */
export async function proposedChanges(
  differences: readonly FileDifference[],
  /** The user's text now; undefined where there is no file. Throws for what is no text, and what no agent may see. */
  textNow: (path: string) => Promise<string | undefined>,
): Promise<ProposedChanges> {
  const result: ProposedChanges = { changes: [], conflicts: [], left: [], modes: [] };
  for (const { path, before, after } of differences) {
    const { isExecutable = false } = after ?? {};
    const isOtherMode = after !== undefined && !after.isLink && isExecutable !== (before?.isExecutable ?? false);
    if (isOtherMode && before !== undefined && Buffer.compare(before.bytes, after.bytes) === 0 && !before.isLink) {
      result.modes.push({ path, isExecutable });
      continue;
    }
    const base = textOf(before);
    const theirs = textOf(after);
    if (base === noText || theirs === noText) {
      result.left.push({ path, reason: "it is no text file" });
      continue;
    }
    if (base === theirs) {
      result.left.push({ path, reason: "only its encoding changed" });
      continue;
    }
    let now: string | undefined;
    try {
      now = await textNow(path);
    } catch (error) {
      result.left.push({ path, reason: error instanceof Error ? error.message : String(error) });
      continue;
    }
    if (isOtherMode) result.modes.push({ path, isExecutable });
    if (now === theirs) continue;
    const { text, isConflict } = merge(base, now, theirs);
    // What the user has is that and more.
    if (text === now && !isConflict) continue;
    if (isConflict) result.conflicts.push(path);
    result.changes.push({
      path,
      ...(now !== undefined && { before: now }),
      ...(text !== undefined && { after: text }),
    });
  }
  return result;
}

function merge(base: string | undefined, now: string | undefined, theirs: string | undefined) {
  if (now === base) return { text: theirs, isConflict: false };
  // Deleted on one side and changed on the other: there are no lines to merge.
  if (now === undefined || theirs === undefined) return { text: theirs, isConflict: true };
  const { text, conflicts } = mergeTexts(base ?? "", now, theirs);
  return { text, isConflict: conflicts.length > 0 };
}

const noText = Symbol("no text");

/** Undefined where there is no file. */
function textOf(file: WorktreeFile | undefined): string | typeof noText | undefined {
  if (file === undefined) return undefined;
  if (file.isLink || isBinary(file.bytes)) return noText;
  return decodeText(file.bytes)?.text ?? noText;
}
