import { commands, Disposable, l10n, Uri, window } from "vscode";
import type { PendingReviews } from "../pendingReviews.ts";
import { type ReviewScope, select } from "../scope.ts";
import { hunkAtCaret, type NextHunk, nextHunk } from "./atCaret.ts";
import { openDiff } from "./diffTabs.ts";
import { diffSideOf } from "./diffUris.ts";
import { hunkCommands } from "./hunkCommands.ts";
import { answerFrom } from "./leaveDiff.ts";
import type { LensDependencies } from "./lenses.ts";
import type { HunkThreads } from "./threads.ts";

export interface CommandDependencies extends LensDependencies {
  reviews: PendingReviews;
  threads: HunkThreads;
  /** Edits that are written already: asked when no proposal is meant. */
  applied: AppliedAnswers;
  showError(error: unknown): void;
}

/** Keeps or undoes what is written. False when there is nothing at the caret. */
export interface AppliedAnswers {
  answerAtCaret(answer: "keep" | "undo"): Promise<boolean>;
  answerAll(answer: "keep" | "undo"): Promise<void>;
  /** The first hunk that can be answered, in the active editor if it has any. */
  first(): { path: string; line: number } | undefined;
}

type Answer = (scope: ReviewScope) => Promise<void>;

/** The editor's commands for pending hunks. Each answers exactly what it is asked about and nothing by chance. */
export function registerReviewCommands(dependencies: CommandDependencies): Disposable {
  const { store, reviews, applied, showError } = dependencies;
  const all = async (target: unknown, answer: Answer, appliedAnswer: "keep" | "undo") => {
    const scope = scopeOf(dependencies, target);
    if (select(store.proposals, scope).length > 0 || scope.proposalId !== undefined) await answer(scope);
    else await applied.answerAll(appliedAnswer);
  };
  const accept: Answer = async (scope) => {
    const left = await reviews.accept(scope);
    if (left > 0) void window.showWarningMessage(conflictMessage(left));
  };
  const reject: Answer = (scope) => reviews.reject(scope);
  const rejectWhy: Answer = async (scope) => {
    const reason = await window.showInputBox({
      title: l10n.t("Reject this edit"),
      prompt: l10n.t("The agent is told why."),
      placeHolder: l10n.t("Why not?"),
      ignoreFocusOut: true,
    });
    if (reason !== undefined) await reviews.reject(scope, reason === "" ? undefined : reason);
  };
  const register = (command: string, run: (...args: unknown[]) => Promise<void>) =>
    commands.registerCommand(command, (...args: unknown[]) => run(...args).catch(showError));
  return Disposable.from(
    register(hunkCommands.accept, onHunk(dependencies, accept)),
    register(hunkCommands.reject, onHunk(dependencies, reject)),
    register(hunkCommands.rejectWhy, onHunk(dependencies, rejectWhy)),
    register(
      hunkCommands.openDiff,
      onHunk(dependencies, (scope) => openHunkDiff(dependencies, scope)),
    ),
    register("arbor.acceptEdit", (from) => atCaret(dependencies, { answer: accept, appliedAnswer: "keep", from })),
    register("arbor.rejectEdit", (from) => atCaret(dependencies, { answer: reject, appliedAnswer: "undo", from })),
    register("arbor.acceptAllEdits", (target) => all(target, accept, "keep")),
    register("arbor.rejectAllEdits", (target) => all(target, reject, "undo")),
  );
}

function onHunk(dependencies: CommandDependencies, answer: Answer): (...args: unknown[]) => Promise<void> {
  return async (target, from) => {
    const hunkId = typeof target === "string" ? target : dependencies.threads.hunkIdOf(target);
    if (hunkId === undefined) return;
    if (from === "thread" || typeof target !== "string") await leaveThread();
    await answerFrom(dependencies, () => answer({ hunkId }));
  };
}

async function atCaret(
  dependencies: CommandDependencies,
  { answer, appliedAnswer, from }: { answer: Answer; appliedAnswer: "keep" | "undo"; from: unknown },
): Promise<void> {
  const hunkId = await hunkAtCaret(dependencies);
  if (hunkId !== undefined) {
    if (from === "thread") await leaveThread();
    return answerFrom(dependencies, () => answer({ hunkId }));
  }
  if (await dependencies.applied.answerAtCaret(appliedAnswer)) return;
  const next = (await nextHunk(dependencies)) ?? dependencies.applied.first();
  window.setStatusBarMessage(nothingAtCaret(next), 5_000);
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

async function openHunkDiff({ store, uriOf }: CommandDependencies, scope: ReviewScope): Promise<void> {
  const [selection] = select(store.proposals, scope);
  if (selection === undefined) return;
  // The diff takes the place of the editor it was asked from, and with it the focus, which would be lost otherwise.
  const { proposalId, file } = selection;
  await openDiff(store, uriOf, { proposalId, path: file.path, preserveFocus: false });
}

/** From the title of a diff: its file. From the palette: everything. */
function scopeOf({ store, uriOf }: CommandDependencies, target: unknown): ReviewScope {
  const side = target instanceof Uri ? diffSideOf(store, target, uriOf) : undefined;
  return side === undefined ? {} : { proposalId: side.proposalId, path: side.file.path };
}

/** What is told after an answer to several edits, when some could not be written. */
export function conflictMessage(count: number): string {
  return count === 1
    ? l10n.t("1 edit was left as proposed: its lines have changed meanwhile. Undo your change to accept, or reject.")
    : l10n.t(
        "{0} edits were left as proposed: their lines have changed meanwhile. Undo your change to accept, or reject.",
        count,
      );
}
