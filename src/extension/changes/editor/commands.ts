import { commands, l10n, Uri, window } from "vscode";
import { filesInScope, type ProposalScope, selectHunks, type WrittenScope } from "../model/scope.ts";
import { editPositions } from "../nextEdit.ts";
import type { ProposalReviews } from "../proposalReviews.ts";
import { undoConflictMessage, undoConflicts } from "../undoConflicts.ts";
import type { WrittenReviews } from "../writtenReviews.ts";
import { hunksOf, proposalAtCaret, writtenAtCaret } from "./commandTargets.ts";
import { diffSideOf, type PresenterDependencies } from "./diffDocuments.ts";
import { openDiff, openMultiDiff } from "./diffTabs.ts";
import { answerAndGoOn, answerFrom, goToEdit } from "./goToEdit.ts";
import { completeMerge, openMerge } from "./mergeEdit.ts";
import { chooseAgent, confirmUndo, conflictMessage, redoMessage } from "./questions.ts";
import type { HunkThreads } from "./threads.ts";

interface CommandDependencies extends PresenterDependencies {
  proposals: ProposalReviews;
  written: WrittenReviews;
  threads: HunkThreads;
  /** Whether a key that answers an edit goes on to the next one. */
  goesToNext(): boolean;
}

/** Answers to written hunks, as the panel gives them too. */
export interface WrittenCommands {
  keep(scope: WrittenScope): Promise<void>;
  /** Asks when more than one hunk is meant. */
  undo(scope: WrittenScope): Promise<void>;
  /** Brings back what the latest undo took away. */
  redo(): Promise<void>;
  forgetUndone(): Promise<void>;
  /** All that is meant, in one multi-diff; with no scope, proposed edits too. */
  review(scope: WrittenScope): Promise<void>;
}

/** What accepts or rejects proposed hunks, and what keeps or undoes written ones in their place. */
interface Answer {
  proposed(scope: ProposalScope): Promise<void>;
  written(scope: WrittenScope): Promise<void>;
}

/** The editor's commands for hunks that wait. Each answers exactly what it is asked about and nothing by chance. */
export interface EditorCommands {
  /** Of one proposed hunk. First argument: its id or its comment thread. */
  acceptHunk(...target: unknown[]): Promise<void>;
  rejectHunk(...target: unknown[]): Promise<void>;
  rejectHunkWhy(...target: unknown[]): Promise<void>;
  openHunkDiff(...target: unknown[]): Promise<void>;
  /** Of one whose lines have changed. */
  useAgentLines(...target: unknown[]): Promise<void>;
  keepMyLines(...target: unknown[]): Promise<void>;
  mergeHunk(...target: unknown[]): Promise<void>;
  completeMerge(target: unknown): Promise<void>;
  /** "thread" when the focus is in the comment thread. */
  acceptAtCaret(from: unknown): Promise<void>;
  rejectAtCaret(from: unknown): Promise<void>;
  /** Goes to the next edit that waits, or to the one before. */
  goToNext(from: unknown): Promise<void>;
  goToPrevious(from: unknown): Promise<void>;
  acceptAll(target: unknown): Promise<void>;
  rejectAll(target: unknown): Promise<void>;
  /** Of written hunks, see `hunksOf`. */
  keepHunks(...target: unknown[]): Promise<void>;
  undoHunks(...target: unknown[]): Promise<void>;
  /** A URI; otherwise the file of the active editor. */
  keepFile(target: unknown): Promise<void>;
  undoFile(target: unknown): Promise<void>;
  /** These ask for the agent. */
  keepAgent(): Promise<void>;
  undoAgent(): Promise<void>;
  reviewAgent(): Promise<void>;
}

export function createReviewCommands(dependencies: CommandDependencies): {
  written: WrittenCommands;
  editor: EditorCommands;
} {
  const { store, proposals, pathOf } = dependencies;
  const written = writtenCommandsOf(dependencies);
  const yes: Answer = {
    proposed: async (scope) => warnOfConflicts(await proposals.accept(scope)),
    written: written.keep,
  };
  const no: Answer = { proposed: (scope) => proposals.reject(scope), written: written.undo };
  const all = (answer: Answer) => async (target: unknown) => {
    const scope = diffScopeOf(dependencies, target);
    const isProposal = selectHunks(store.proposals, scope).length > 0 || scope.proposalId !== undefined;
    await (isProposal ? answer.proposed(scope) : answer.written({}));
  };
  const onWritten =
    (answer: Answer["written"]) =>
    async (...target: unknown[]) => {
      for (const hunkId of hunksOf(dependencies, target)) await answer({ hunkId });
    };
  const onFile = (answer: Answer["written"]) => async (target: unknown) => {
    const uri = target instanceof Uri ? target : window.activeTextEditor?.document.uri;
    const path = uri && pathOf(uri);
    if (path !== undefined) await answer({ path });
  };
  const ofAgent = (answer: Answer["written"]) => async () => {
    const agentId = await chooseAgent(store.files);
    if (agentId !== undefined) await answer({ agentId });
  };
  const editor: EditorCommands = {
    acceptHunk: onHunk(dependencies, yes.proposed),
    rejectHunk: onHunk(dependencies, no.proposed),
    rejectHunkWhy: onHunk(dependencies, (scope) => rejectWhy(proposals, scope)),
    openHunkDiff: onHunk(dependencies, (scope) => openHunkDiff(dependencies, scope)),
    useAgentLines: onHunk(dependencies, async (scope) => warnOfConflicts(await proposals.acceptOver(scope))),
    keepMyLines: onHunk(dependencies, no.proposed),
    mergeHunk: onHunk(dependencies, async (scope) => {
      const [selection] = selectHunks(store.proposals, scope);
      if (selection !== undefined)
        await openMerge(dependencies, { proposalId: selection.proposalId, path: selection.file.path });
    }),
    completeMerge: async (target) => {
      const scope = diffScopeOf(dependencies, target);
      if (scope.proposalId !== undefined) await completeMerge(proposals, scope);
    },
    acceptAtCaret: (from) => atCaret(dependencies, yes, from),
    rejectAtCaret: (from) => atCaret(dependencies, no, from),
    goToNext: (from) => goTo(dependencies, 1, from),
    goToPrevious: (from) => goTo(dependencies, -1, from),
    acceptAll: all(yes),
    rejectAll: all(no),
    keepHunks: onWritten(written.keep),
    undoHunks: onWritten(written.undo),
    keepFile: onFile(written.keep),
    undoFile: onFile(written.undo),
    keepAgent: ofAgent(written.keep),
    undoAgent: ofAgent(written.undo),
    reviewAgent: ofAgent(written.review),
  };
  return { written, editor };
}

function warnOfConflicts(count: number): void {
  if (count > 0) void window.showWarningMessage(conflictMessage(count));
}

function writtenCommandsOf({ store, written, uriOf }: CommandDependencies): WrittenCommands {
  return {
    keep: (scope) => written.keep(scope),
    undo: async (scope) => {
      if (!(await confirmUndo(filesInScope(store.files, scope), scope))) return;
      const left = await written.undo(scope);
      if (left > 0) void window.showWarningMessage(undoConflictMessage(left, undoConflicts(store.files, scope)));
    },
    redo: async () => {
      const left = await written.redo();
      if (left > 0) void window.showWarningMessage(redoMessage(left));
    },
    forgetUndone: async () => written.forgetUndone(),
    review: (scope) => {
      const isAll = Object.values(scope).every((value) => value === undefined);
      return openMultiDiff({ proposals: isAll ? store.proposals : [], files: filesInScope(store.files, scope) }, uriOf);
    },
  };
}

function onHunk(dependencies: CommandDependencies, answer: Answer["proposed"]): (...args: unknown[]) => Promise<void> {
  return async (target, from) => {
    const hunkId = typeof target === "string" ? target : dependencies.threads.hunkIdOf(target);
    if (hunkId === undefined) return;
    if (from === "thread" || typeof target !== "string") await leaveThread();
    await answerFrom(dependencies, () => answer({ hunkId }));
  };
}

async function rejectWhy(proposals: ProposalReviews, scope: ProposalScope): Promise<void> {
  const reason = await window.showInputBox({
    title: l10n.t("Reject this edit"),
    prompt: l10n.t("The agent gets your feedback."),
    placeHolder: l10n.t("What should be different?"),
    ignoreFocusOut: true,
  });
  if (reason !== undefined) await proposals.reject(scope, reason === "" ? undefined : reason);
}

async function atCaret(dependencies: CommandDependencies, answer: Answer, from: unknown): Promise<void> {
  const proposed = await proposalAtCaret(dependencies);
  if (proposed !== undefined) {
    if (from === "thread") await leaveThread();
    return answerAtCaret(dependencies, () => answer.proposed({ hunkId: proposed }));
  }
  const written = writtenAtCaret(dependencies);
  if (written !== undefined) return answerAtCaret(dependencies, () => answer.written({ hunkId: written }));
  const isAnyWaiting = editPositions(dependencies.store).length > 0;
  showHint(
    isAnyWaiting
      ? l10n.t("No agent's edit at the cursor. {0} goes to the next one.", nextEditKeys())
      : l10n.t("No agent's edit is waiting for an answer."),
  );
}

async function answerAtCaret(dependencies: CommandDependencies, answer: () => Promise<void>): Promise<void> {
  if (dependencies.goesToNext()) await answerAndGoOn(dependencies, answer);
  else await answerFrom(dependencies, answer);
}

async function goTo(dependencies: CommandDependencies, direction: 1 | -1, from: unknown): Promise<void> {
  if (from === "thread") await leaveThread();
  if (!(await goToEdit(dependencies, direction))) showHint(l10n.t("No agent's edit is waiting for an answer."));
}

function showHint(text: string): void {
  window.setStatusBarMessage(text, 5_000);
}

/** As they are by default. */
function nextEditKeys(): string {
  return process.platform === "darwin" ? "⌥⌘PageDown" : "Ctrl+Alt+PageDown";
}

/** The focus is lost with a thread that closes, and with it what is typed: it goes to the editor before that happens. */
async function leaveThread(): Promise<void> {
  await commands.executeCommand("workbench.action.focusActiveEditorGroup");
}

async function openHunkDiff({ store, uriOf }: CommandDependencies, scope: ProposalScope): Promise<void> {
  const [selection] = selectHunks(store.proposals, scope);
  if (selection === undefined) return;
  // The diff takes the place of the editor it was asked from, and with it the focus, which would be lost otherwise.
  const { proposalId, file } = selection;
  await openDiff(store, uriOf, { proposalId, path: file.path, preserveFocus: false });
}

/** From the title of a diff: its file. From the palette: everything. */
function diffScopeOf({ store, uriOf }: PresenterDependencies, target: unknown): ProposalScope {
  const side = target instanceof Uri ? diffSideOf(store, target, uriOf) : undefined;
  return side === undefined ? {} : { proposalId: side.proposalId, path: side.file.path };
}
