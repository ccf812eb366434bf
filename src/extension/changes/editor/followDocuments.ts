import { Disposable, type TextDocument, type TextDocumentContentChangeEvent, type Uri, workspace } from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { editorLines } from "../model/pieces.ts";
import type { Checkpoints } from "../rewind/checkpoints.ts";

interface FollowingStore {
  setWrittenText(path: string, text: string, edits: readonly LineEdit[]): void;
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

  const follow = (document: TextDocument, edits: readonly LineEdit[] = [], isHistory = false) => {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    if (store.has(path)) store.setText(path, document.getText(), edits, isHistory);
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
    workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) =>
      follow(document, contentChanges.map(lineEdit), reason !== undefined),
    ),
  );
}

interface FollowedDisk {
  store: ChangeStore;
  pathOf(uri: Uri): string | undefined;
  isOpen(path: string): boolean;
  /** Empty for a file that is gone. */
  textOf(path: string): Promise<string>;
  inTurn<T>(step: () => Promise<T>): Promise<T>;
  showError(error: unknown): void;
}

/** Lets the store know what other programs write into files that no editor has open, as long as edits of files wait. */
export function followDisk({ store, pathOf, isOpen, textOf, inTurn, showError }: FollowedDisk): Disposable {
  let watching: Disposable | undefined;

  const follow = (uri: Uri) => {
    const path = pathOf(uri);
    if (path === undefined || isOpen(path) || !store.has(path)) return;
    const read = async () => {
      const text = await textOf(path);
      if (!isOpen(path)) store.setProposedText(path, text);
    };
    inTurn(read).catch(showError);
  };

  const watchWhileNeeded = () => {
    if (store.proposals.length === 0) {
      watching?.dispose();
      watching = undefined;
    } else if (watching === undefined) {
      const watcher = workspace.createFileSystemWatcher("**/*");
      const events = [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete];
      watching = Disposable.from(watcher, ...events.map((event) => event(follow)));
    }
  };

  return Disposable.from(store.onDidChange(watchWhileNeeded, "proposals"), { dispose: () => watching?.dispose() });
}

interface RenameFollowers {
  stores: readonly { followRename(from: string, to: string): void }[];
  checkpoints: Pick<Checkpoints, "isChanging" | "followRename">;
  pathOf(uri: Uri): string | undefined;
  showError(error: unknown): void;
}

/** What is known of a file is known of where the user renames or moves it in the editor. */
export function followRenames({ stores, checkpoints, pathOf, showError }: RenameFollowers): Disposable {
  return workspace.onDidRenameFiles(({ files }) => {
    for (const { oldUri, newUri } of files) {
      const [from, to] = [pathOf(oldUri), pathOf(newUri)];
      // What agents move is recorded as theirs.
      if (from === undefined || to === undefined || checkpoints.isChanging(from)) continue;
      for (const store of stores) store.followRename(from, to);
      checkpoints.followRename(from, to).catch(showError);
    }
  });
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
