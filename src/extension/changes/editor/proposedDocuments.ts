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
import { diffSideOf, proposedScheme } from "./diffDocuments.ts";
import { GivenTexts } from "./givenTexts.ts";

interface ProposedDocumentDependencies {
  store: ChangeStore;
  reviews: ProposalReviews;
  workspace: ReviewedWorkspace;
  uriOf(path: string): Uri;
  showError(error: unknown): void;
}

/** Typing rests this long before the panel shows it. */
const showAfterMs = 300;

/** When a file has not changed yet under the editor; any that leaves room below. */
const firstTime = 1_000_000_000_000;

/** The right side of a diff: the proposed text, in which the user may change what will be written. */
export function provideProposedDocuments(dependencies: ProposedDocumentDependencies): Disposable {
  const { store, reviews, uriOf } = dependencies;
  /** How many changes of the user a proposal does not know yet. Until it does, its own text is the older one. */
  const unseen = new Map<TextDocument, number>();
  let showing: NodeJS.Timeout | undefined;
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
    const { proposalId, file, current: currentText, proposed } = texts;
    const edited = files.given(document.uri).takeIn(document.getText(), proposed);
    reviews.editProposed(proposalId, file.path, { edited, currentText });
    clearTimeout(showing);
    showing = setTimeout(() => reviews.showEdits(), showAfterMs);
  }

  async function refresh(document: TextDocument): Promise<void> {
    const proposed = (await textsOf(document.uri))?.proposed;
    if (proposed === undefined || unseen.get(document) || document.isClosed) return;
    if (sameLines(editorLines(document.getText()), editorLines(proposed))) return;
    if (!document.isDirty) return files.changed(document.uri);
    const given = files.given(document.uri);
    given.give(proposed);
    if (!(await workspace.applyEdit(editTo(document, proposed)))) given.withdraw(proposed);
  }

  return Disposable.from(
    files,
    { dispose: () => clearTimeout(showing) },
    workspace.onDidChangeTextDocument((event) => {
      if (event.document.uri.scheme !== proposedScheme || !isTyped(event, files.given(event.document.uri))) return;
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
 * Whether a user changed the text. The editor also reloads a document from its file. `isDirty` alone says nothing, since
 * the editor sets it only after it has reported the first change.
 */
function isTyped({ document, contentChanges, reason }: TextDocumentChangeEvent, given: GivenTexts): boolean {
  return contentChanges.length > 0 && (!given.noteShown(document.getText(), document) || reason !== undefined);
}

/** Text of the proposed sides, as files that an editor can change. */
interface ProposedFiles extends Disposable {
  /** The editor's copy of this file is old. */
  changed(uri: Uri): void;
  /** What the editor was given of it. */
  given(uri: Uri): GivenTexts;
}

/**
 * `read` gives the proposed text; undefined when there is no such proposal any more. What is saved is not kept here:
 * every change of the editor's text has been taken into the proposal when it was made.
 */
function provideProposedFiles(read: (uri: Uri) => Promise<string | undefined>): ProposedFiles {
  const events = new EventEmitter<FileChangeEvent[]>();
  /**
   * Falls when a file changed under the editor, so that it loads the file again. A rising one would have it refuse to save
   * what a user types meanwhile, and ask about it when the diff closes. Nothing newer can be lost: what is typed is in the
   * proposal already.
   */
  const times = new Map<string, number>();
  const revise = (uri: Uri) => times.set(uri.toString(), timeOf(uri) - 1);
  const timeOf = (uri: Uri) => times.get(uri.toString()) ?? firstTime;

  /** What the editor loaded or saved last, so that it can still save and close when the proposal is over. */
  const stored = new Map<string, string>();
  const given = new Map<string, GivenTexts>();
  const givenOf = (uri: Uri) => {
    const known = given.get(uri.toString()) ?? new GivenTexts();
    given.set(uri.toString(), known);
    return known;
  };

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
      return { type: FileType.File, ctime: 0, mtime: timeOf(uri), size };
    },
    readFile: async (uri) => {
      const text = await textOf(uri);
      stored.set(uri.toString(), text);
      givenOf(uri).give(text);
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
    workspace.onDidOpenTextDocument((document) => {
      if (document.uri.scheme === proposedScheme) givenOf(document.uri).noteShown(document.getText(), document);
    }),
    workspace.onDidCloseTextDocument(({ uri }) => {
      stored.delete(uri.toString());
      given.delete(uri.toString());
    }),
    events,
  ];
  return {
    changed: (uri) => {
      revise(uri);
      events.fire([{ type: FileChangeType.Changed, uri }]);
    },
    given: givenOf,
    dispose: () => Disposable.from(...registrations).dispose(),
  };
}
