import { Disposable, type TextDocument, type TextDocumentContentChangeEvent, type Uri, workspace } from "vscode";
import type { AppliedStore, ProposalStore } from "../changeStore.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { editorLines } from "../model/pieces.ts";

/** Tells the store what is typed into files that have pending hunks. */
export function followDocuments(store: ProposalStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  let followed = new Set<string>();

  const pathIfPending = (uri: Uri) => {
    if (store.proposals.length === 0) return undefined;
    const path = pathOf(uri);
    return path !== undefined && store.isPending(path) ? path : undefined;
  };

  /** What was typed between an agent's read and its proposal was not reported to anyone. */
  const catchUp = () => {
    const before = followed;
    followed = new Set(store.proposals.map(({ id }) => id));
    if ([...followed].every((id) => before.has(id))) return;
    for (const document of workspace.textDocuments) {
      const path = pathIfPending(document.uri);
      if (path !== undefined) store.setText(path, document.getText());
    }
  };

  return Disposable.from(
    store.onDidChange(catchUp),
    workspace.onDidOpenTextDocument((document) => {
      const path = pathIfPending(document.uri);
      if (path !== undefined) store.setText(path, document.getText());
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const path = pathIfPending(document.uri);
      if (path !== undefined) store.setText(path, document.getText(), contentChanges.map(lineEdit));
    }),
  );
}

/** A change as the editor reports it. */
function lineEdit({ range, text }: TextDocumentContentChangeEvent): LineEdit {
  return {
    startLine: range.start.line,
    startCharacter: range.start.character,
    endLine: range.end.line,
    endCharacter: range.end.character,
    lines: editorLines(text),
  };
}

type FollowedStore = Pick<AppliedStore, "setText"> & { has(path: string): boolean };

/** Tells the store what is typed into files that have pending hunks. */
export function followApplied(store: FollowedStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  const pathIfPending = ({ uri }: TextDocument) => {
    const path = pathOf(uri);
    return path !== undefined && store.has(path) ? path : undefined;
  };
  return Disposable.from(
    workspace.onDidOpenTextDocument((document) => {
      const path = pathIfPending(document);
      if (path !== undefined) store.setText(path, document.getText());
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const path = pathIfPending(document);
      if (path !== undefined) store.setText(path, document.getText(), contentChanges.map(lineEdit));
    }),
  );
}
