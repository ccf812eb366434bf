import { Disposable, type TextDocument, type Uri, workspace } from "vscode";
import type { AppliedStore } from "../applied/appliedStore.ts";
import { lineEdit } from "./followDocuments.ts";

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
