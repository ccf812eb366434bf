import { commands, Disposable, l10n, Uri, window } from "vscode";
import { filesInScope, type ProposalScope, selectHunks, type WrittenScope } from "../model/scope.ts";
import type { ProposalReviews } from "../proposalReviews.ts";
import type { WrittenReviews } from "../writtenReviews.ts";
import { hunkCommands, writtenCommands } from "./commandNames.ts";
import { hunksOf, type NextHunk, nextHunk, proposalAtCaret, scopeOf, writtenAtCaret } from "./commandTargets.ts";
import { openDiff, openMultiDiff } from "./diffTabs.ts";
import type { LensDependencies } from "./lenses.ts";
import { chooseAgent, confirmUndo, conflictMessage, redoMessage, undoConflictMessage } from "./questions.ts";
import type { HunkThreads } from "./threads.ts";

export interface CommandDependencies extends LensDependencies {
  proposals: ProposalReviews;
  written: WrittenReviews;
  threads: HunkThreads;
  showError(error: unknown): void;
}

/** Answers to written hunks, as the panel gives them too. */
export interface WrittenCommands {
  keep(scope: WrittenScope): Promise<void>;
  /** Asks when more than one hunk is meant. */
  undo(scope: WrittenScope): Promise<void>;
  /** Brings back what the latest undo took away. */
  redo(): Promise<void>;
  forgetUndone(): Promise<void>;
  /** All that is meant, in one multi-diff. */
  review(scope: WrittenScope): Promise<void>;
}

/** What accepts or rejects proposed hunks, and what keeps or undoes written ones in their place. */
interface Answer {
  proposed(scope: ProposalScope): Promise<void>;
  written(scope: WrittenScope): Promise<void>;
}

/** The editor's commands for hunks that wait. Each answers exactly what it is asked about and nothing by chance. */
export function registerReviewCommands(dependencies: CommandDependencies): Disposable & { written: WrittenCommands } {
  const { store, proposals, pathOf, showError } = dependencies;
  const written = writtenCommandsOf(dependencies);
  const yes: Answer = {
    proposed: async (scope) => {
      const left = await proposals.accept(scope);
      if (left > 0) void window.showWarningMessage(conflictMessage(left));
    },
    written: written.keep,
  };
  const no: Answer = { proposed: (scope) => proposals.reject(scope), written: written.undo };
  const all = (answer: Answer) => async (target: unknown) => {
    const scope = scopeOf(dependencies, target);
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
  const handlers: Record<string, (...args: unknown[]) => Promise<void>> = {
    [hunkCommands.accept]: onHunk(dependencies, yes.proposed),
    [hunkCommands.reject]: onHunk(dependencies, no.proposed),
    [hunkCommands.rejectWhy]: onHunk(dependencies, (scope) => rejectWhy(proposals, scope)),
    [hunkCommands.openDiff]: onHunk(dependencies, (scope) => openHunkDiff(dependencies, scope)),
    "arbor.acceptEdit": (from) => atCaret(dependencies, yes, from),
    "arbor.rejectEdit": (from) => atCaret(dependencies, no, from),
    "arbor.acceptAllEdits": all(yes),
    "arbor.rejectAllEdits": all(no),
    [writtenCommands.keep]: onWritten(written.keep),
    [writtenCommands.undo]: onWritten(written.undo),
    "arbor.keepFileEdits": onFile(written.keep),
    "arbor.undoFileEdits": onFile(written.undo),
    "arbor.keepAgentEdits": ofAgent(written.keep),
    "arbor.undoAgentEdits": ofAgent(written.undo),
    "arbor.reviewAgentEdits": ofAgent(written.review),
    "arbor.keepAllEdits": () => written.keep({}),
    "arbor.undoAllEdits": () => written.undo({}),
    "arbor.reviewEdits": () => written.review({}),
  };
  const registrations = Object.entries(handlers).map(([command, run]) =>
    commands.registerCommand(command, (...args: unknown[]) => run(...args).catch(showError)),
  );
  return { written, dispose: () => Disposable.from(...registrations).dispose() };
}

function writtenCommandsOf({ store, written, uriOf }: CommandDependencies): WrittenCommands {
  return {
    keep: (scope) => written.keep(scope),
    undo: async (scope) => {
      if (!(await confirmUndo(filesInScope(store.files, scope), scope))) return;
      const left = await written.undo(scope);
      if (left > 0) void window.showWarningMessage(undoConflictMessage(left));
    },
    redo: async () => {
      const left = await written.redo();
      if (left > 0) void window.showWarningMessage(redoMessage(left));
    },
    forgetUndone: async () => written.forgetUndone(),
    review: (scope) => openMultiDiff(filesInScope(store.files, scope), uriOf),
  };
}

function onHunk({ threads }: CommandDependencies, answer: Answer["proposed"]): (...args: unknown[]) => Promise<void> {
  return async (target, from) => {
    const hunkId = typeof target === "string" ? target : threads.hunkIdOf(target);
    if (hunkId === undefined) return;
    if (from === "thread" || typeof target !== "string") await leaveThread();
    await answer({ hunkId });
  };
}

async function rejectWhy(proposals: ProposalReviews, scope: ProposalScope): Promise<void> {
  const reason = await window.showInputBox({
    title: l10n.t("Reject this edit"),
    prompt: l10n.t("The agent is told why."),
    placeHolder: l10n.t("Why not?"),
    ignoreFocusOut: true,
  });
  if (reason !== undefined) await proposals.reject(scope, reason === "" ? undefined : reason);
}

async function atCaret(dependencies: CommandDependencies, answer: Answer, from: unknown): Promise<void> {
  const proposed = await proposalAtCaret(dependencies);
  if (proposed !== undefined) {
    if (from === "thread") await leaveThread();
    return answer.proposed({ hunkId: proposed });
  }
  const written = writtenAtCaret(dependencies);
  if (written !== undefined) return answer.written({ hunkId: written });
  window.setStatusBarMessage(nothingAtCaret(await nextHunk(dependencies)), 5_000);
}

function nothingAtCaret(next: NextHunk): string {
  if (next === undefined) return l10n.t("No agent's edit is waiting for an answer.");
  if (next === "above") return l10n.t("No agent's edit at the cursor. Shift+Alt+F9 goes to the one above.");
  if (next === "below") return l10n.t("No agent's edit at the cursor. Alt+F9 goes to the next one.");
  const where = `${next.path.split("/").at(-1)}:${next.line + 1}`;
  return l10n.t("No agent's edit at the cursor. The next one is at {0}.", where);
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
