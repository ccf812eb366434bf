import {
  CodeLens,
  type Command,
  Disposable,
  EventEmitter,
  l10n,
  languages,
  Range,
  type TextDocument,
  type Uri,
} from "vscode";
import type { AppliedStore, ProposalStore } from "../changeStore.ts";
import { proposedText } from "../model/fitHunks.ts";
import { countOf, type ShownApplied, type ShownHunk, shownApplied, shownHunks } from "../pendingHunks.ts";
import { currentText, type ReviewedWorkspace } from "../reviewedWorkspace.ts";
import { appliedCommands, hunkCommands } from "./commandNames.ts";
import { diffSideOf, proposedScheme } from "./diffUris.ts";

export interface LensDependencies {
  store: ProposalStore;
  workspace: ReviewedWorkspace;
  uriOf(path: string): Uri;
  pathOf(uri: Uri): string | undefined;
}

/** A row of answers above each hunk, in the file and on the proposed side of its diff. */
export function showLenses(dependencies: LensDependencies): Disposable {
  const changed = new EventEmitter<void>();
  const provider = languages.registerCodeLensProvider("*", {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) =>
      document.uri.scheme === proposedScheme
        ? lensesOfProposed(dependencies, document)
        : lensesOfFile(dependencies, document),
  });
  return Disposable.from(
    changed,
    provider,
    dependencies.store.onDidChange(() => changed.fire()),
  );
}

function lensesOfFile({ store, pathOf }: LensDependencies, { uri }: TextDocument): CodeLens[] {
  const path = store.proposals.length === 0 ? undefined : pathOf(uri);
  if (path === undefined) return [];
  return shownHunks(store.proposals)
    .filter(({ file }) => file.path === path)
    .flatMap((shown) => proposedRow(shown, shown.hunk.extent.start, true));
}

async function lensesOfProposed({ store, workspace, uriOf }: LensDependencies, { uri }: TextDocument) {
  const side = diffSideOf(store, uri, uriOf);
  if (side === undefined) return [];
  const current = await currentText(workspace, side.file.path);
  const { extents } = proposedText(side.file, current?.text ?? "");
  return shownHunks(store.proposals.filter(({ id }) => id === side.proposalId))
    .filter(({ file }) => file.path === side.file.path)
    .flatMap((shown) => proposedRow(shown, extents.get(shown.hunk.id)?.start ?? 0, false));
}

function proposedRow({ hunk, agents }: ShownHunk, line: number, inFile: boolean): CodeLens[] {
  const range = new Range(line, 0, line, 0);
  const lens = (title: string, command: string): Command => ({ title, command, arguments: [hunk.id] });
  const commands = [
    ...(hunk.conflicted
      ? [lens(l10n.t("$(warning) {0}: its lines have changed", agents), hunkCommands.openDiff)]
      : [lens(l10n.t("$(check) Accept ({0})", countOf(hunk)), hunkCommands.accept)]),
    lens(l10n.t("$(discard) Reject"), hunkCommands.reject),
    inFile
      ? lens(l10n.t("$(diff) Open diff"), hunkCommands.openDiff)
      : lens(l10n.t("$(comment) Say why"), hunkCommands.rejectWhy),
  ];
  const author: Command = { title: `$(hubot) ${agents}`, command: "" };
  return [...(hunk.conflicted ? [] : [author]), ...commands].map((command) => new CodeLens(range, command));
}

/** A row of Keep and Undo above each pending hunk. */
export function showWrittenLenses(store: AppliedStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  const changed = new EventEmitter<void>();
  const provider = languages.registerCodeLensProvider("*", {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: ({ uri, lineCount }) => {
      const path = store.files.length === 0 ? undefined : pathOf(uri);
      const file = path === undefined ? undefined : store.find(path);
      return file === undefined ? [] : shownApplied(file).flatMap((shown) => writtenRow(shown, lineCount - 1));
    },
  });
  return Disposable.from(
    changed,
    provider,
    store.onDidChange(() => changed.fire()),
  );
}

function writtenRow({ id, place, agents, count, isUndoable }: ShownApplied, lastLine: number): CodeLens[] {
  const line = Math.min(place.start, lastLine);
  const range = new Range(line, 0, line, 0);
  const lens = (title: string, command: string, tooltip: string): Command => ({
    title,
    command,
    tooltip,
    arguments: [id],
  });
  const commands = [
    lens(
      l10n.t("$(check) Keep ({0})", count),
      appliedCommands.keep,
      l10n.t("The change stays and is not asked about any more."),
    ),
    isUndoable
      ? lens(
          l10n.t("$(discard) Undo"),
          appliedCommands.undo,
          l10n.t("The lines come back; what you typed since stays."),
        )
      : lens(
          l10n.t("$(warning) Changed since"),
          appliedCommands.undo,
          l10n.t("Others wrote over these lines, so Undo would lose that."),
        ),
  ];
  const author: Command = { title: `$(hubot) ${agents}`, command: "" };
  return [author, ...commands].map((command) => new CodeLens(range, command));
}
