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
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import { proposedText } from "../model/fitHunks.ts";
import type { ProposalStore } from "../proposalStore.ts";
import { countOf, type ShownHunk, shownHunks } from "../shownHunks.ts";
import { diffSideOf, proposedScheme } from "./diffUris.ts";
import { hunkCommands } from "./hunkCommands.ts";

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
    .flatMap((shown) => row(shown, shown.hunk.extent.start, true));
}

async function lensesOfProposed({ store, workspace, uriOf }: LensDependencies, { uri }: TextDocument) {
  const side = diffSideOf(store, uri, uriOf);
  if (side === undefined) return [];
  const current = await currentText(workspace, side.file.path);
  const { extents } = proposedText(side.file, current?.text ?? "");
  return shownHunks(store.proposals.filter(({ id }) => id === side.proposalId))
    .filter(({ file }) => file.path === side.file.path)
    .flatMap((shown) => row(shown, extents.get(shown.hunk.id)?.start ?? 0, false));
}

function row({ hunk, agents }: ShownHunk, line: number, inFile: boolean): CodeLens[] {
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
