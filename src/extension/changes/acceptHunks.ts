import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import { UserError } from "../common/userError.ts";
import { doesNotExist } from "../workspace/fileProblems.ts";
import type { ReadOptions } from "../workspace/workspace.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { ProposedFile, ProposedHunk } from "./model/change.ts";
import { wholeFile } from "./model/diffLines.ts";
import { canRebase, fitHunks, type PlannedWrite, placedHunks, replacementsOf } from "./model/fitHunks.ts";
import { editorLines, sameLines, splitPieces } from "./model/pieces.ts";
import { isMoveAccepted, withTwins } from "./model/scope.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";

export interface AcceptContext {
  store: ChangeStore;
  workspace: ReviewedWorkspace;
  /** The editor reports this file's changes itself, so that what a read gave may already be old. */
  isOpen(path: string): boolean;
  /** Called before each write, so that one that is cut off can be found out about. Default: none is. */
  writeAhead?: WriteAhead;
}

/** Hunks of one file of one proposal. */
export interface AcceptTarget {
  proposalId: string;
  path: string;
  hunkIds: ReadonlySet<string>;
}

/** How often a write is tried again because the user typed meanwhile: a fast typist hits the same moment repeatedly. */
const maxAttempts = 50;
/** How often a file is read again because its document reported something else. */
const maxReads = 5;

/**
 * Writes those of the hunks that are still pending and whose lines are still there, all in one undo step, and marks them
 * and their twins as accepted. Throws when the workspace can't write; then nothing is marked.
 */
export async function acceptHunks(context: AcceptContext, target: AcceptTarget): Promise<void> {
  const { change, movedTo, follows } = context.store.proposedFile(target.proposalId, target.path) ?? {};
  if (follows !== undefined) refuseBeforeMove(context, target.proposalId, follows);
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

/** An import of a file that is not where it says would only break what works. */
function refuseBeforeMove({ store }: AcceptContext, proposalId: string, moved: string): void {
  if (!isMoveAccepted(store.proposal(proposalId), moved))
    throw new UserError(t("Accept the move of {0} first: this change belongs to it.", moved));
}

async function addFile(context: AcceptContext, target: AcceptTarget): Promise<void> {
  const hunks = pendingOf(context, target);
  const [hunk] = hunks;
  if (hunk === undefined) return;
  const { path } = target;
  const write = wholeWrite({ path, kind: "add", before: "", languageId: "" }, hunk);
  await marked(context, target, write, async () => {
    const written = await context.workspace.create(path, hunk.hunk.newText);
    return written.text;
  });
}

async function deleteFile(context: AcceptContext, target: AcceptTarget): Promise<void> {
  const { path } = target;
  const { text: before, languageId } = await freshText(context, path);
  const [hunk] = pendingOf(context, target).filter((each) => !each.conflicted);
  if (hunk === undefined) return;
  const write = wholeWrite({ path, kind: "delete", before, languageId }, hunk);
  await marked(context, target, write, async () => void (await context.workspace.remove(path)));
}

/** It goes as it is, whatever was typed into it meanwhile. */
async function moveFile(context: AcceptContext, target: AcceptTarget, movedTo: string): Promise<void> {
  const [hunk] = pendingOf(context, target);
  if (hunk === undefined) return;
  const write = wholeWrite(
    { path: target.path, kind: "move", ...(await movedText(context, target.path)), movedTo },
    hunk,
  );
  await marked(context, target, write, async () => {
    const followed = await context.workspace.move(target.path, movedTo);
    const proposal = context.store.proposal(target.proposalId);
    if (proposal === undefined) return;
    const files = proposal.files.map((file) => (file.path === target.path ? { ...file, followed } : file));
    context.store.replaceProposal({ ...proposal, files });
  });
}

/** What is no text moves all the same. */
async function movedText({ workspace }: AcceptContext, path: string): Promise<{ before: string; languageId: string }> {
  const isThere = (await workspace.stat(path)) !== undefined;
  const content = isThere ? await workspace.read(path, new AbortController().signal).catch(() => undefined) : undefined;
  return content?.kind === "text"
    ? { before: content.text, languageId: content.languageId }
    : { before: "", languageId: "" };
}

async function updateFile(context: AcceptContext, target: AcceptTarget): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // Where more was typed, the editor refuses the write, and this is done again.
    const read = await freshText(context, target.path, { asReported: true });
    const { text, version, languageId } = read;
    const file = context.store.proposedFile(target.proposalId, target.path);
    if (file === undefined) return;
    const pieces = splitPieces(text);
    const fitted = fitHunks(file, pendingOf(context, target), pieces);
    const hunks = fitted.map(({ hunk }) => hunk);
    const replacements = replacementsOf(fitted, pieces);
    if (hunks.length === 0) return;
    try {
      const write: Planned = {
        ...{ path: target.path, kind: "update", before: text, languageId },
        hunks: placedHunks(fitted, pieces),
      };
      return await marked(context, target, { ...write, marks: hunks }, async () => {
        if (replacements.length === 0) return undefined;
        const written = await context.workspace.replace(target.path, replacements, version, { read });
        if (!context.isOpen(target.path)) context.store.setProposedText(target.path, written.text);
        return written.text;
      });
    } catch (error) {
      const now = await currentText(context.workspace, target.path);
      if (now?.version === version || attempt === maxAttempts) throw error;
    }
  }
}

/**
 * Lets those of the hunks whose lines have changed, and their twins, replace what these lines are now: the user wants the
 * agent's.
 */
export async function rebaseHunks(context: AcceptContext, target: AcceptTarget): Promise<void> {
  const { store } = context;
  const { proposalId, path } = target;
  const { text } = await freshText(context, path);
  const file = store.proposedFile(proposalId, path);
  const hunks = pendingOf(context, target).filter(({ conflicted }) => conflicted);
  if (file === undefined || !canRebase(file)) return;
  store.rebase(path, withTwins(store.proposals, { proposalId, file, hunks }), text);
}

/**
 * The text as it is now; the hunks are where they belong in it. Throws for a file that is not there: the user may have
 * moved it, and may move it back, so that the hunks stay where they are.
 */
async function freshText({ store, workspace, isOpen }: AcceptContext, path: string, options?: ReadOptions) {
  for (let attempt = 1; ; attempt++) {
    const content = await currentText(workspace, path, options);
    if (content === undefined) throw doesNotExist(path);
    const known = store.proposals.flatMap(({ files }) => files).find((file) => file.path === path)?.lines ?? [];
    if (sameLines(known, editorLines(content.text))) return content;
    // An open document has reported what is newer than this read, unless it reports nothing at all.
    if (isOpen(path) && attempt < maxReads) continue;
    store.setProposedText(path, content.text);
    return content;
  }
}

function pendingOf({ store }: AcceptContext, { proposalId, path, hunkIds }: AcceptTarget): ProposedHunk[] {
  const file: ProposedFile | undefined = store.proposedFile(proposalId, path);
  return file?.hunks.filter((hunk) => hunk.decision === "pending" && hunkIds.has(hunk.id)) ?? [];
}

type Planned = Omit<PlannedWrite, "hunkIds">;

/**
 * They count as accepted while they are written, so that their own change does not put them in conflict. `write` gives
 * the text that the file has then.
 */
async function marked(
  { store, writeAhead }: AcceptContext,
  { proposalId, path }: AcceptTarget,
  { marks, ...planned }: Planned & { marks?: readonly ProposedHunk[] },
  write: () => Promise<string | undefined>,
): Promise<void> {
  const file = store.proposedFile(proposalId, path);
  if (file === undefined) return;
  const hunks = [...(marks ?? planned.hunks.map(({ hunk }) => hunk))];
  const hunkIds = withTwins(store.proposals, { proposalId, file, hunks });
  const ahead: PlannedWrite = { ...planned, hunkIds };
  store.decide(hunkIds, "accepted");
  let text: string | undefined;
  try {
    await writeAhead?.begin(ahead);
    text = await write();
  } catch (error) {
    store.decide(hunkIds, "pending");
    await writeAhead?.fail(ahead);
    throw error;
  }
  await writeAhead?.end(ahead, text);
}

/** Called before each write and after it. */
export interface WriteAhead {
  /** Resolves when storage holds what is about to be written, or can't hold anything. */
  begin(write: PlannedWrite): Promise<void>;
  /** It is written; `text` is what the file holds now, where that is known. */
  end(write: PlannedWrite, text?: string): Promise<void>;
  /** Nothing was written. */
  fail(write: PlannedWrite): Promise<void>;
}

/** The one hunk of a file that is added, deleted or moved as a whole. */
function wholeWrite(
  { path, kind, before, languageId, movedTo }: Omit<PlannedWrite, "hunks" | "hunkIds">,
  hunk: ProposedHunk,
): Omit<PlannedWrite, "hunkIds"> {
  const placed =
    kind === "add" ? wholeFile("", hunk.hunk.newText) : kind === "delete" ? wholeFile(before, "") : wholeFile("", "");
  return { path, kind, before, languageId, hunks: [{ hunk, placed }], ...(movedTo === undefined ? {} : { movedTo }) };
}
