import { assertNever } from "../../agent/errors.ts";
import { currentText, type ReviewedWorkspace } from "./currentText.ts";
import { sameLines } from "./hunks/fitHunk.ts";
import { editorLines } from "./hunks/lineEdit.ts";
import { splitPieces } from "./hunks/pieces.ts";
import type { ProposalStore } from "./proposalStore.ts";
import type { ReviewedFile, ReviewedHunk } from "./proposals.ts";
import { fitHunks } from "./proposedText.ts";
import { withTwins } from "./scope.ts";
import { replacementsOf } from "./writeHunks.ts";

export interface AcceptContext {
  store: ProposalStore;
  workspace: ReviewedWorkspace;
  /** The editor tells of this file's changes itself, so that what a read gave may already be old. */
  isOpen(path: string): boolean;
}

/** Hunks of one file of one proposal. */
export interface AcceptTarget {
  proposalId: string;
  path: string;
  hunkIds: ReadonlySet<string>;
}

/** How often a write is tried again because the user typed meanwhile. */
const mostAttempts = 5;

/**
 * Writes those of the hunks that are still pending and whose lines still stand, all in one undo step, and marks them
 * and their twins as accepted. Throws when the workspace can't write; then nothing is marked.
 */
export async function acceptHunks(context: AcceptContext, target: AcceptTarget): Promise<void> {
  const { change, movedTo } = context.store.file(target.proposalId, target.path) ?? {};
  if (movedTo !== undefined) return moveFile(context, target, movedTo);
  switch (change) {
    case undefined:
      return;
    case "add":
      return addFile(context, target);
    case "delete":
      return deleteFile(context, target);
    case "update":
      return updateFile(context, target);
    default:
      return assertNever(change);
  }
}

async function addFile(context: AcceptContext, target: AcceptTarget): Promise<void> {
  const hunks = pendingOf(context, target);
  const [hunk] = hunks;
  if (hunk === undefined) return;
  await marked(context, target, hunks, () => context.workspace.create(target.path, hunk.hunk.newText));
}

async function deleteFile(context: AcceptContext, target: AcceptTarget): Promise<void> {
  await freshText(context, target.path);
  const hunks = pendingOf(context, target).filter((hunk) => !hunk.conflicted);
  if (hunks.length > 0) await marked(context, target, hunks, () => context.workspace.remove(target.path));
}

/** It goes as it is, whatever was typed into it meanwhile. */
async function moveFile(context: AcceptContext, target: AcceptTarget, movedTo: string): Promise<void> {
  const hunks = pendingOf(context, target);
  if (hunks.length === 0) return;
  await marked(context, target, hunks, async () => {
    const followed = await context.workspace.move(target.path, movedTo);
    const proposal = context.store.find(target.proposalId);
    if (proposal === undefined) return;
    const files = proposal.files.map((file) => (file.path === target.path ? { ...file, followed } : file));
    context.store.replace({ ...proposal, files });
  });
}

async function updateFile(context: AcceptContext, target: AcceptTarget): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { text, version } = await freshText(context, target.path);
    const file = context.store.file(target.proposalId, target.path);
    if (file === undefined) return;
    const pieces = splitPieces(text);
    const fitted = fitHunks(file, pendingOf(context, target), pieces);
    const hunks = fitted.map(({ hunk }) => hunk);
    const replacements = replacementsOf(fitted, pieces);
    if (hunks.length === 0) return;
    try {
      return await marked(context, target, hunks, async () => {
        if (replacements.length === 0) return;
        const written = await context.workspace.replace(target.path, replacements, version);
        if (!context.isOpen(target.path)) context.store.setText(target.path, written.text);
      });
    } catch (error) {
      const now = await currentText(context.workspace, target.path);
      if (now?.version === version || attempt === mostAttempts) throw error;
    }
  }
}

/** The text as it is now; the hunks are where they belong in it. Empty for a file that is gone. */
async function freshText({ store, workspace, isOpen }: AcceptContext, path: string) {
  for (let attempt = 1; ; attempt++) {
    const content = (await currentText(workspace, path)) ?? { text: "", version: "" };
    const known = store.proposals.flatMap(({ files }) => files).find((file) => file.path === path)?.lines ?? [];
    if (sameLines(known, editorLines(content.text))) return content;
    // An open document has reported what is newer than this read, unless it reports nothing at all.
    if (isOpen(path) && attempt < mostAttempts) continue;
    store.setText(path, content.text);
    return content;
  }
}

function pendingOf({ store }: AcceptContext, { proposalId, path, hunkIds }: AcceptTarget): ReviewedHunk[] {
  const file: ReviewedFile | undefined = store.file(proposalId, path);
  return file?.hunks.filter((hunk) => hunk.decision === "pending" && hunkIds.has(hunk.id)) ?? [];
}

/** They count as accepted while they are written, so that their own change does not put them in conflict. */
async function marked(
  { store }: AcceptContext,
  { proposalId, path }: AcceptTarget,
  hunks: ReviewedHunk[],
  write: () => Promise<unknown>,
): Promise<void> {
  const file = store.file(proposalId, path);
  if (file === undefined) return;
  const ids = withTwins(store.proposals, { proposalId, file, hunks });
  store.decide(ids, "accepted");
  try {
    await write();
  } catch (error) {
    store.decide(ids, "pending");
    throw error;
  }
}
