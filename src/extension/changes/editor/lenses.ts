import {
  CodeLens,
  type Command,
  Disposable,
  EventEmitter,
  l10n,
  languages,
  Range,
  type TextDocument,
  workspace,
} from "vscode";
import { proposedText } from "../model/fitHunks.ts";
import { currentText } from "../reviewedWorkspace.ts";
import { type ShownHunk, type ShownProposal, type ShownWritten, shownIn, shownProposals } from "../shownHunks.ts";
import { hunkCommands, writtenCommands } from "./commandNames.ts";
import { diffSideOf, type PresenterDependencies, proposedScheme } from "./diffDocuments.ts";

/**
 * A row of answers above each hunk that waits, in the file and on the proposed side of its diff. In the file, those of
 * proposed hunks are in the title of their comments instead, where the user wants that.
 */
export function showLenses(dependencies: PresenterDependencies, actions: () => "codeLens" | "comment"): Disposable {
  const changed = new EventEmitter<void>();
  const provider = languages.registerCodeLensProvider("*", {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) =>
      document.uri.scheme === proposedScheme
        ? lensesOfProposed(dependencies, document)
        : lensesOfFile(dependencies, document, actions() === "comment" && areCommentsVisible()),
  });
  return Disposable.from(
    changed,
    provider,
    dependencies.store.onDidChange(() => changed.fire()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("arbor.edits") || event.affectsConfiguration("comments.visible")) changed.fire();
    }),
  );
}

function areCommentsVisible(): boolean {
  return workspace.getConfiguration("comments").get<boolean>("visible") !== false;
}

function lensesOfFile(
  { store, pathOf }: PresenterDependencies,
  { uri, lineCount }: TextDocument,
  hasCommentActions: boolean,
): CodeLens[] {
  const path = store.proposals.length + store.files.length === 0 ? undefined : pathOf(uri);
  const shown = path === undefined ? [] : shownIn(store, path);
  // What adds a file has no comment.
  const hasOwn = (each: ShownHunk) => hasCommentActions && "proposalId" in each && each.file.change !== "add";
  return shown.filter((each) => !hasOwn(each)).flatMap((each) => rowInFile(each, lineCount - 1));
}

async function lensesOfProposed({ store, workspace, uriOf }: PresenterDependencies, { uri }: TextDocument) {
  const side = diffSideOf(store, uri, uriOf);
  if (side === undefined) return [];
  const current = await currentText(workspace, side.file.path);
  const { extents } = proposedText(side.file, current?.text ?? "");
  return shownProposals(store.proposals.filter(({ id }) => id === side.proposalId))
    .filter(({ path }) => path === side.file.path)
    .flatMap((shown) => proposedRow(shown, extents.get(shown.id)?.start ?? 0, false));
}

function rowInFile(shown: ShownHunk, lastLine: number): CodeLens[] {
  switch (shown.state) {
    case "proposed":
    case "conflicted":
      return proposedRow(shown, shown.range.start, true);
    default:
      return writtenRow(shown, Math.min(shown.range.start, lastLine));
  }
}

function proposedRow(shown: ShownProposal, line: number, inFile: boolean): CodeLens[] {
  const { id, agents, count, state, waitsForMove } = shown;
  const lens = (title: string, command: string): Command => ({ title, command, arguments: [id] });
  const accept =
    waitsForMove === undefined
      ? lens(l10n.t("$(check) Accept ({0})", count), hunkCommands.accept)
      : lens(l10n.t("$(info) Accept the move of {0} first", waitsForMove), hunkCommands.openDiff);
  const openDiff = inFile ? [lens(l10n.t("$(diff) Open diff"), hunkCommands.openDiff)] : [];
  // The author comes last: the names of many agents must not push the answers out of sight.
  if (state === "conflicted") {
    const warning = lens(l10n.t("$(warning) {0}: its lines have changed", agents), hunkCommands.openDiff);
    return lensesAt(line, [...conflictAnswers(shown), ...openDiff, warning]);
  }
  return lensesAt(line, [
    accept,
    lens(l10n.t("$(discard) Reject"), hunkCommands.reject),
    ...openDiff,
    lens(l10n.t("$(comment) Reject with feedback"), hunkCommands.rejectWhy),
    author(agents),
  ]);
}

/** Answers to a hunk whose lines have changed. */
function conflictAnswers({ id, canRebase, canMerge }: ShownProposal): Command[] {
  const lens = (title: string, command: string): Command => ({ title, command, arguments: [id] });
  if (!canRebase) return [lens(l10n.t("$(discard) Reject"), hunkCommands.reject)];
  return [
    lens(l10n.t("Use agent's lines"), hunkCommands.useAgent),
    lens(l10n.t("Keep mine"), hunkCommands.keepMine),
    ...(canMerge ? [lens(l10n.t("Merge…"), hunkCommands.merge)] : []),
  ];
}

function writtenRow({ id, agents, count, state }: ShownWritten, line: number): CodeLens[] {
  const lens = (title: string, command: string, tooltip: string): Command => ({
    ...{ title, command, tooltip },
    arguments: [id],
  });
  const { keep, undo } = writtenCommands;
  const keepTooltip = l10n.t("The change stays and is not asked about any more.");
  return lensesAt(line, [
    lens(l10n.t("$(check) Keep ({0})", count), keep, keepTooltip),
    state === "written"
      ? lens(l10n.t("$(discard) Undo"), undo, l10n.t("The lines come back; what you typed since stays."))
      : lens(
          l10n.t("$(warning) Changed since"),
          undo,
          l10n.t("Others wrote over these lines, so Undo would lose that."),
        ),
    author(agents),
  ]);
}

function author(agents: string): Command {
  return { title: `$(hubot) ${agents}`, command: "" };
}

function lensesAt(line: number, commands: readonly Command[]): CodeLens[] {
  const range = new Range(line, 0, line, 0);
  return commands.map((command) => new CodeLens(range, command));
}
