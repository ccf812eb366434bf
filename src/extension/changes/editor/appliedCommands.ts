import { commands, Disposable, l10n, Uri, window } from "vscode";
import type { AppliedStore } from "../changeStore.ts";
import type { WrittenFile } from "../model/change.ts";
import type { Extent } from "../model/lineEdit.ts";
import { filesInScope, inScope, type WrittenScope } from "../model/scope.ts";
import { type ShownApplied, shownApplied } from "../pendingHunks.ts";
import type { WrittenReviews } from "../writtenReviews.ts";
import { appliedCommands } from "./commandNames.ts";
import type { AppliedAnswers } from "./commands.ts";
import { reviewApplied } from "./diffTabs.ts";
import { chooseAgent } from "./undoQuestion.ts";

export interface AppliedCommandDependencies {
  store: AppliedStore;
  reviews: WrittenReviews;
  uriOf(path: string): Uri;
  pathOf(uri: Uri): string | undefined;
  showError(error: unknown): void;
}

export interface AppliedCommands extends Disposable, AppliedAnswers {
  keep(scope: WrittenScope): Promise<void>;
  /** Asks when more than one hunk is meant. */
  undo(scope: WrittenScope): Promise<void>;
  /** Brings back what the latest undo took away. */
  redo(): Promise<void>;
  forgetUndone(): Promise<void>;
  /** All that is meant, in one multi-diff. */
  review(scope: WrittenScope): Promise<void>;
}

/** The editor's commands for edits that are written and pending. */
export function registerAppliedCommands(dependencies: AppliedCommandDependencies): AppliedCommands {
  const { store, reviews, uriOf, showError } = dependencies;
  const keep = (scope: WrittenScope) => reviews.keep(scope);
  const undo = async (scope: WrittenScope) => {
    if (!(await confirmUndo(filesInScope(store.files, scope), scope))) return;
    const left = await reviews.undo(scope);
    if (left > 0) void window.showWarningMessage(conflictMessage(left));
  };
  const redo = async () => {
    const left = await reviews.redo();
    if (left > 0) void window.showWarningMessage(redoMessage(left));
  };
  const review = (scope: WrittenScope) => reviewApplied(filesInScope(store.files, scope), uriOf);
  const answers = { keep, undo };
  const onHunks =
    (answer: (scope: WrittenScope) => Promise<void>) =>
    async (...target: unknown[]) => {
      for (const hunkId of hunksOf(dependencies, target)) await answer({ hunkId });
    };
  const onFile = (answer: (scope: WrittenScope) => Promise<void>) => async (target: unknown) => {
    const uri = target instanceof Uri ? target : window.activeTextEditor?.document.uri;
    const path = uri && dependencies.pathOf(uri);
    if (path !== undefined) await answer({ path });
  };
  const ofAgent = (answer: (scope: WrittenScope) => Promise<void>) => async () => {
    const agentId = await chooseAgent(store.files);
    if (agentId !== undefined) await answer({ agentId });
  };
  const register = (command: string, run: (...args: unknown[]) => Promise<void>) =>
    commands.registerCommand(command, (...args: unknown[]) => run(...args).catch(showError));
  const registrations = Disposable.from(
    register(appliedCommands.keep, onHunks(keep)),
    register(appliedCommands.undo, onHunks(undo)),
    register("arbor.keepFileEdits", onFile(keep)),
    register("arbor.undoFileEdits", onFile(undo)),
    register("arbor.keepAgentEdits", ofAgent(keep)),
    register("arbor.undoAgentEdits", ofAgent(undo)),
    register("arbor.reviewAgentEdits", ofAgent(review)),
    register("arbor.keepAllEdits", () => keep({})),
    register("arbor.undoAllEdits", () => undo({})),
    register("arbor.reviewEdits", () => review({})),
  );
  return {
    keep,
    undo,
    redo,
    forgetUndone: async () => reviews.forgetUndone(),
    review,
    answerAll: (answer) => answers[answer]({}),
    answerAtCaret: async (answer) => {
      const hunkId = hunkAtCaret(dependencies);
      if (hunkId !== undefined) await answers[answer]({ hunkId });
      return hunkId !== undefined;
    },
    first: () => firstHunk(dependencies),
    dispose: () => registrations.dispose(),
  };
}

function hunkAtCaret({ store, pathOf }: AppliedCommandDependencies): string | undefined {
  const editor = window.activeTextEditor;
  const path = editor && pathOf(editor.document.uri);
  const file = path === undefined ? undefined : store.find(path);
  if (editor === undefined || file === undefined) return undefined;
  const line = editor.selection.active.line;
  return shownApplied(file).find(({ place: { start, end } }) =>
    start === end ? line === start || line === start - 1 : line >= start && line < end,
  )?.id;
}

function firstHunk({ store, pathOf }: AppliedCommandDependencies): { path: string; line: number } | undefined {
  const active = window.activeTextEditor && pathOf(window.activeTextEditor.document.uri);
  const shown = store.files.flatMap((file) => shownApplied(file).map(({ place }) => ({ ...place, path: file.path })));
  const first = shown.find(({ path }) => path === active) ?? shown[0];
  return first && { path: first.path, line: first.start };
}

/** A hunk's id; or, from the peek of a change, its file, all its changes, and which one is meant. */
function hunksOf({ store, pathOf }: AppliedCommandDependencies, [target, changes, index]: unknown[]): string[] {
  if (typeof target === "string") return [target];
  const path = target instanceof Uri ? pathOf(target) : undefined;
  const file = path === undefined ? undefined : store.find(path);
  const change = Array.isArray(changes) && typeof index === "number" ? linesOf(changes[index]) : undefined;
  if (file === undefined || change === undefined) return [];
  return shownApplied(file)
    .filter((shown) => touches(shown, change))
    .map(({ id }) => id);
}

/** A change of the quick diff counts lines from 1; one that only removes has no modified end. */
function linesOf(change: unknown): Extent | undefined {
  if (typeof change !== "object" || change === null) return undefined;
  const start: unknown = Reflect.get(change, "modifiedStartLineNumber");
  const end: unknown = Reflect.get(change, "modifiedEndLineNumber");
  if (typeof start !== "number" || typeof end !== "number") return undefined;
  return end === 0 ? { start, end: start } : { start: start - 1, end };
}

function touches({ place }: ShownApplied, change: Extent): boolean {
  if (place.start === place.end || change.start === change.end) {
    return place.start <= change.end && place.end >= change.start;
  }
  return place.start < change.end && place.end > change.start;
}

/** One hunk is undone at once: it can be seen, and redone. */
async function confirmUndo(files: readonly WrittenFile[], scope: WrittenScope): Promise<boolean> {
  const isMeant = inScope(scope);
  const counts = files.map((file) => {
    const hunks = shownApplied(file).filter(({ hunk }) => isMeant(hunk)).length;
    return { path: file.path, hunks };
  });
  const total = counts.reduce((sum, { hunks }) => sum + hunks, 0);
  if (total < 2) return true;
  const message =
    counts.length === 1
      ? l10n.t("Undo {0} edits in 1 file?", total)
      : l10n.t("Undo {0} edits in {1} files?", total, counts.length);
  const listed = counts
    .slice(0, 10)
    .map(({ path, hunks }) => (hunks === 1 ? l10n.t("{0}: 1 edit", path) : l10n.t("{0}: {1} edits", path, hunks)));
  const more = counts.length > 10 ? [l10n.t("… and {0} more", counts.length - 10)] : [];
  const detail = [...listed, ...more].join("\n");
  const button = l10n.t("Undo");
  return (await window.showWarningMessage(message, { modal: true, detail }, button)) === button;
}

function redoMessage(count: number): string {
  return count === 1
    ? l10n.t("1 edit could not be redone: you changed its lines since. Your lines stay.")
    : l10n.t("{0} edits could not be redone: you changed their lines since. Your lines stay.", count);
}

function conflictMessage(count: number): string {
  return count === 1
    ? l10n.t(
        "1 edit stays pending: its lines were changed since, by you or by another agent. Undo that first, or keep it.",
      )
    : l10n.t(
        "{0} edits stay pending: their lines were changed since, by you or by another agent. Undo that first, or keep them.",
        count,
      );
}
