import {
  Disposable,
  EventEmitter,
  type FileChangeEvent,
  FileChangeType,
  FileSystemError,
  type FileSystemProvider,
  FileType,
  l10n,
  Range,
  type TextDocument,
  type TextDocumentChangeEvent,
  type Uri,
  WorkspaceEdit,
  workspace,
} from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import { diffLines } from "../model/diffLines.ts";
import { proposedText } from "../model/fitHunks.ts";
import { editorLines, sameLines } from "../model/pieces.ts";
import type { ProposalReviews } from "../proposalReviews.ts";
import { currentText, type ReviewedWorkspace } from "../reviewedWorkspace.ts";
import { diffSideOf, proposedScheme } from "./diffUris.ts";

interface ProposedDocumentDependencies {
  store: ChangeStore;
  reviews: ProposalReviews;
  workspace: ReviewedWorkspace;
  uriOf(path: string): Uri;
  showError(error: unknown): void;
}

/** Typing rests this long before the panel hears of it. */
const tellAfterMs = 300;

/** The right side of a diff: the proposed text, in which the user may change what will be written. */
export function provideProposedDocuments(dependencies: ProposedDocumentDependencies): Disposable {
  const { store, reviews, uriOf } = dependencies;
  /** How many changes of the user a proposal does not know yet. Until it does, its own text is the older one. */
  const unseen = new Map<TextDocument, number>();
  let telling: NodeJS.Timeout | undefined;
  const files = provideProposedFiles(async (uri) => (await textsOf(uri))?.proposed);
  const inTurn = (step: () => Promise<void>) => void reviews.inTurn(step).catch(dependencies.showError);

  async function textsOf(uri: Uri) {
    const side = diffSideOf(store, uri, uriOf);
    if (side === undefined) return undefined;
    const current = (await currentText(dependencies.workspace, side.file.path))?.text ?? "";
    return { ...side, current, proposed: proposedText(side.file, current).text };
  }

  async function takeIn(document: TextDocument): Promise<void> {
    const texts = await textsOf(document.uri);
    unseen.set(document, (unseen.get(document) ?? 1) - 1);
    if (texts === undefined) return;
    const { proposalId, file, current: currentText } = texts;
    reviews.editProposed(proposalId, file.path, { edited: document.getText(), currentText });
    clearTimeout(telling);
    telling = setTimeout(() => reviews.tellEdits(), tellAfterMs);
  }

  async function refresh(document: TextDocument): Promise<void> {
    const proposed = (await textsOf(document.uri))?.proposed;
    if (proposed === undefined || unseen.get(document) || document.isClosed) return;
    if (sameLines(editorLines(document.getText()), editorLines(proposed))) return;
    if (document.isDirty) await workspace.applyEdit(editTo(document, proposed));
    else files.changed(document.uri);
  }

  return Disposable.from(
    files,
    { dispose: () => clearTimeout(telling) },
    workspace.onDidChangeTextDocument((event) => {
      if (event.document.uri.scheme !== proposedScheme || !isTyped(event, files.storedText(event.document.uri))) return;
      unseen.set(event.document, (unseen.get(event.document) ?? 0) + 1);
      inTurn(() => takeIn(event.document));
    }),
    workspace.onDidCloseTextDocument((document) => void unseen.delete(document)),
    store.onDidChange(() => {
      const open = workspace.textDocuments.filter(({ uri }) => uri.scheme === proposedScheme);
      for (const document of open) inTurn(() => refresh(document));
    }, "proposals"),
  );
}

/** Only the lines that differ, so that the caret stays. */
function editTo(document: TextDocument, text: string): WorkspaceEdit {
  const edit = new WorkspaceEdit();
  for (const { oldStart, oldLines, newText } of diffLines(document.getText(), text)) {
    edit.replace(document.uri, new Range(oldStart - 1, 0, oldStart - 1 + oldLines.length, 0), newText);
  }
  return edit;
}

/**
 * Whether a user changed the text. The editor also reloads a document from its file: then it is not dirty and holds
 * what the file does. `isDirty` alone says nothing, since the editor sets it only after it has reported the first change.
 */
function isTyped(
  { document, contentChanges, reason }: TextDocumentChangeEvent,
  storedText: string | undefined,
): boolean {
  if (contentChanges.length === 0) return false;
  if (document.isDirty || reason !== undefined || storedText === undefined) return true;
  return !sameLines(editorLines(document.getText()), editorLines(storedText));
}

/** Text of the proposed sides, as files that an editor can change. */
interface ProposedFiles extends Disposable {
  /** The editor's copy of this file is old. */
  changed(uri: Uri): void;
  /** The text as the editor last loaded or saved it; undefined when it did neither. */
  storedText(uri: Uri): string | undefined;
}

/**
 * `read` gives the proposed text; undefined when there is no such proposal any more. What is saved is not kept here:
 * every change of the editor's text has been taken into the proposal when it was made.
 */
function provideProposedFiles(read: (uri: Uri) => Promise<string | undefined>): ProposedFiles {
  const events = new EventEmitter<FileChangeEvent[]>();
  /** Rises when a file changed under the editor; only then is a save refused as overwriting something newer. */
  const revisions = new Map<string, number>();
  const revise = (uri: Uri) => revisions.set(uri.toString(), revisionOf(uri) + 1);
  const revisionOf = (uri: Uri) => revisions.get(uri.toString()) ?? 0;

  /** What the editor loaded or saved last, so that it can still save and close when the proposal is over. */
  const stored = new Map<string, string>();

  const textOf = async (uri: Uri) => {
    const text = (await read(uri)) ?? stored.get(uri.toString());
    if (text === undefined) throw FileSystemError.FileNotFound(l10n.t("This edit is no longer open for review."));
    return text;
  };
  const refuse = () => {
    throw FileSystemError.NoPermissions(l10n.t("Only the proposed text can be changed here."));
  };
  const provider: FileSystemProvider = {
    onDidChangeFile: events.event,
    watch: () => new Disposable(() => {}),
    stat: async (uri) => {
      const size = Buffer.byteLength(await textOf(uri));
      return { type: FileType.File, ctime: 0, mtime: revisionOf(uri), size };
    },
    readFile: async (uri) => {
      const text = await textOf(uri);
      stored.set(uri.toString(), text);
      return new TextEncoder().encode(text);
    },
    writeFile: (uri, content) => {
      stored.set(uri.toString(), new TextDecoder().decode(content));
      revise(uri);
    },
    readDirectory: () => [],
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
  const registrations = [
    workspace.registerFileSystemProvider(proposedScheme, provider, { isCaseSensitive: true }),
    workspace.onDidCloseTextDocument(({ uri }) => void stored.delete(uri.toString())),
    events,
  ];
  return {
    changed: (uri) => {
      revise(uri);
      events.fire([{ type: FileChangeType.Changed, uri }]);
    },
    storedText: (uri) => stored.get(uri.toString()),
    dispose: () => Disposable.from(...registrations).dispose(),
  };
}
