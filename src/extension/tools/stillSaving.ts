import { setTimeout } from "node:timers/promises";
import type { FileOutcome, ProposedChange, ReviewOutcome } from "../changes/model/change.ts";
import { diffLines, type Hunk, wholeFile } from "../changes/model/diffLines.ts";
import { onAbort } from "../common/abort.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Less than a run that is stopped waits for its tools. */
const stopPatienceMs = 1_500;

/**
 * What a review comes to. After a stop it is over at once, unless an accepted change is just being saved: that takes as
 * long as what runs on save, and nothing waits for it. Then what counts is what the files hold.
 */
export async function outcomeOrStopped(
  workspace: Workspace,
  review: Promise<ReviewOutcome>,
  { changes, signal }: { changes: readonly ProposedChange[]; signal: AbortSignal },
): Promise<ReviewOutcome> {
  const over = new AbortController();
  const outcome = review.finally(() => over.abort());
  const stopped = Promise.withResolvers<void>();
  const stop = () =>
    setTimeout(stopPatienceMs, undefined, { signal: over.signal }).then(stopped.resolve, () => undefined);
  const listening = onAbort(signal, stop);
  try {
    const first = await Promise.race([outcome, stopped.promise]);
    if (first !== undefined) return first;
    return { files: await Promise.all(changes.map((change) => outcomeNow(workspace, change))) };
  } finally {
    listening.dispose();
  }
}

/** A hunk counts as accepted when the file has it. Nothing is known to be saved. */
async function outcomeNow(workspace: Workspace, change: ProposedChange): Promise<FileOutcome> {
  const { path, before, after, movedTo } = change;
  const text = await textNow(workspace, movedTo ?? path);
  const isMoved = movedTo !== undefined && text !== undefined && (await workspace.stat(path)) === undefined;
  const isThere = ({ oldLines, newLines }: Hunk) => {
    if (movedTo !== undefined) return isMoved;
    if (after === undefined || text === undefined) return after === text;
    if (before === undefined) return text === after;
    return newLines.length > 0 ? hasLines(text, newLines) : !hasLines(text, oldLines);
  };
  const isUpdate = before !== undefined && after !== undefined;
  const hunks: Hunk[] = isUpdate ? diffLines(before, after) : [wholeFile(before ?? "", after ?? "")];
  return {
    path,
    hunks: hunks.map((hunk) =>
      isThere(hunk) ? { hunk, accepted: true } : { hunk, accepted: false, unanswered: true },
    ),
    ...(text === undefined || movedTo !== undefined ? {} : { text }),
    saved: false,
    changedByUser: false,
  };
}

async function textNow(workspace: Workspace, path: string): Promise<string | undefined> {
  if ((await workspace.stat(path)) === undefined) return undefined;
  const content = await workspace.read(path, new AbortController().signal);
  return content.kind === "text" ? content.text : undefined;
}

function hasLines(text: string, lines: readonly string[]): boolean {
  const all = `\n${text.replaceAll("\r\n", "\n")}\n`;
  return all.includes(`\n${lines.join("\n")}\n`);
}
