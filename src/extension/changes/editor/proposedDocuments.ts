import {
  Disposable,
  Range,
  type TextDocument,
  type TextDocumentChangeEvent,
  type Uri,
  WorkspaceEdit,
  workspace,
} from "vscode";
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import { diffLines } from "../model/diffLines.ts";
import { proposedText } from "../model/fitHunks.ts";
import { editorLines, sameLines } from "../model/pieces.ts";
import type { PendingReviews } from "../pendingReviews.ts";
import type { ProposalStore } from "../proposalStore.ts";
import { diffSideOf, proposedScheme } from "./diffUris.ts";
import { provideProposedFiles } from "./proposedFiles.ts";

export interface ProposedDocumentDependencies {
  store: ProposalStore;
  reviews: PendingReviews;
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
    }),
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
