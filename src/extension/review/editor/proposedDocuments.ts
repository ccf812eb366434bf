import {
  Disposable,
  Range,
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type Uri,
  WorkspaceEdit,
  workspace,
} from "vscode";
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import { sameLines } from "../hunks/fitHunk.ts";
import { editorLines } from "../hunks/lineEdit.ts";
import type { PendingReviews } from "../pendingReviews.ts";
import type { ProposalStore } from "../proposalStore.ts";
import { proposedText } from "../proposedText.ts";
import { diffSideOf, PROPOSED_SCHEME } from "./diffUris.ts";
import { provideProposedFiles } from "./proposedFiles.ts";

export interface ProposedDocumentDependencies {
  store: ProposalStore;
  reviews: PendingReviews;
  workspace: ReviewedWorkspace;
  uriOf(path: string): Uri;
  showError(error: unknown): void;
}

/** The right side of a diff: the proposed text, in which the user may change what will be written. */
export function provideProposedDocuments(dependencies: ProposedDocumentDependencies): Disposable {
  const { store, reviews, uriOf } = dependencies;
  const files = provideProposedFiles((uri) => proposedFor(uri));
  /** How often each document was changed by the user without the proposal knowing yet. */
  const unseen = new Map<TextDocument, number>();
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = (step: () => Promise<void>) => {
    queue = queue.then(step).catch(dependencies.showError);
  };

  async function proposedFor(uri: Uri): Promise<string | undefined> {
    const side = diffSideOf(store, uri, uriOf);
    if (side === undefined) return undefined;
    return proposedText(side.file, (await currentText(dependencies.workspace, side.file.path))?.text ?? "").text;
  }

  async function takeIn(document: TextDocument): Promise<void> {
    const side = diffSideOf(store, document.uri, uriOf);
    const current = side && (await currentText(dependencies.workspace, side.file.path));
    unseen.set(document, (unseen.get(document) ?? 1) - 1);
    if (side && !unseen.get(document)) {
      reviews.editProposed(side.proposalId, side.file.path, document.getText(), current?.text ?? "");
    }
  }

  async function refresh(document: TextDocument): Promise<void> {
    const text = await proposedFor(document.uri);
    if (text === undefined || unseen.get(document) || document.isClosed) return;
    if (sameLines(editorLines(document.getText()), editorLines(text))) return;
    if (!document.isDirty) return files.changed(document.uri);
    const edit = new WorkspaceEdit();
    edit.replace(document.uri, new Range(0, 0, document.lineCount, 0), text);
    await workspace.applyEdit(edit);
  }

  return Disposable.from(
    files,
    workspace.onDidChangeTextDocument((event) => {
      if (!isTyped(event)) return;
      unseen.set(event.document, (unseen.get(event.document) ?? 0) + 1);
      inTurn(() => takeIn(event.document));
    }),
    workspace.onDidCloseTextDocument((document) => void unseen.delete(document)),
    store.onDidChange(() => {
      const open = workspace.textDocuments.filter(({ uri }) => uri.scheme === PROPOSED_SCHEME);
      for (const document of open) inTurn(() => refresh(document));
    }),
  );
}

/** A document that is reloaded from its file is not dirty afterwards; neither is one after an undo down to the file. */
function isTyped({ document, contentChanges, reason }: TextDocumentChangeEvent): boolean {
  if (document.uri.scheme !== PROPOSED_SCHEME || contentChanges.length === 0) return false;
  return document.isDirty || reason === TextDocumentChangeReason.Undo;
}
