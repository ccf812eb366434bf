import { Disposable, type TextDocument, type TextDocumentContentChangeEvent, type Uri, workspace } from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { editorLines } from "../model/pieces.ts";

interface FollowingStore extends Pick<ChangeStore, "setWrittenText"> {
  /** Whether it follows the text of this file. */
  has(path: string): boolean;
  /** Called with what is typed into a file that it does not follow. */
  typedElsewhere?(typed: { path: string; languageId: string; textNow(): string; edits: readonly LineEdit[] }): void;
}

/** Lets the stores know what is typed into files that agents change. */
export function followDocuments(
  store: ChangeStore,
  others: readonly FollowingStore[],
  pathOf: (uri: Uri) => string | undefined,
): Disposable {
  let followed = new Set<string>();

  const follow = (document: TextDocument, edits: readonly LineEdit[] = []) => {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    if (store.has(path)) store.setText(path, document.getText(), edits);
    for (const other of others) {
      if (other.has(path)) other.setWrittenText(path, document.getText(), edits);
      else if (edits.length > 0) {
        other.typedElsewhere?.({ path, languageId: document.languageId, textNow: () => document.getText(), edits });
      }
    }
  };

  /** What was typed between an agent's read and its proposal was not reported to anyone. */
  const catchUp = () => {
    const before = followed;
    followed = new Set(store.proposals.map(({ id }) => id));
    if ([...followed].every((id) => before.has(id))) return;
    for (const document of workspace.textDocuments) {
      const path = pathOf(document.uri);
      if (path !== undefined && store.has(path)) store.setProposedText(path, document.getText());
    }
  };

  return Disposable.from(
    store.onDidChange(catchUp, "proposals"),
    workspace.onDidOpenTextDocument((document) => follow(document)),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => follow(document, contentChanges.map(lineEdit))),
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
