import * as vscode from "vscode";
import { editorLineEnds } from "./encoding.ts";
import { versionOf } from "./version.ts";

/** What became of waiting for a text: the document has it, has been typed into, or shows another one for too long. */
export type Arrival = "same" | "unsaved" | "other";

/** A busy machine reports late what was written on its disk. */
const maxWaitMs = 5_000;

/** Waits until a document has this text and nothing unsaved; false when that does not come. */
export async function untilText(document: vscode.TextDocument, text: string): Promise<boolean> {
  return (await arrivalOf(document, text)) === "same";
}

/** The same, and why not. With a history, a text that the document has had since counts, whatever came after it. */
export async function arrivalOf(
  document: vscode.TextDocument,
  text: string,
  history?: { readonly texts: readonly string[] },
): Promise<Arrival> {
  // A document has only one line end, so that it shows a text of several differently.
  const shown = editorLineEnds(text) === "mixed" ? foldedLineEnds : (each: string) => each;
  const wanted = shown(text);
  const isThere = () =>
    history?.texts.some((each) => shown(each) === wanted) ||
    (!document.isDirty && shown(document.getText()) === wanted);
  const arrival = (): Arrival | undefined => (isThere() ? "same" : document.isDirty ? "unsaved" : undefined);
  const now = arrival();
  if (now) return now;
  const { promise, resolve } = Promise.withResolvers<Arrival>();
  const timer = setTimeout(() => resolve("other"), maxWaitMs);
  const listener = vscode.workspace.onDidChangeTextDocument((change) => {
    const then = change.document === document ? arrival() : undefined;
    if (then) resolve(then);
  });
  try {
    const arrived = await promise;
    if (arrived !== "other") return arrived;
    // A window that has something to draw reports late.
    await untilReported();
    return arrival() ?? "other";
  } finally {
    clearTimeout(timer);
    listener.dispose();
  }
}

/** The texts that a document has had since it is followed, the newest last. */
export function followTexts(document: vscode.TextDocument): vscode.Disposable & { readonly texts: readonly string[] } {
  const texts: string[] = [];
  const listener = vscode.workspace.onDidChangeTextDocument((change) => {
    if (change.document === document && change.contentChanges.length > 0) texts.push(document.getText());
  });
  return { texts, dispose: () => listener.dispose() };
}

/**
 * Follows whether the user changes a document from now on, by keys, by the mouse or by an undo, while a formatter may
 * change it too. Typing is known by the caret, which it leaves at the end of what it inserts; of several quick keys the
 * editor does not always say that they were keys. Keys that only move the caret count after a change: nothing is lost by
 * that.
 */
export function followTyping(document: vscode.TextDocument): vscode.Disposable & { hasTyped(): boolean } {
  let [isChanged, hasTyped] = [false, false];
  let insertedUntil: number | undefined;
  const listeners = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument((change) => {
      if (change.document !== document || change.contentChanges.length === 0) return;
      isChanged = true;
      hasTyped ||= change.reason !== undefined;
      const [first, ...others] = change.contentChanges;
      const isInsertion = first !== undefined && others.length === 0 && first.rangeLength === 0;
      insertedUntil = isInsertion ? first.rangeOffset + first.text.length : undefined;
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind, selections }) => {
      if (textEditor.document !== document) return;
      const isByHand =
        kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
      const isAfterInsertion = selections.some(({ active }) => document.offsetAt(active) === insertedUntil);
      hasTyped ||= isChanged && (isByHand || isAfterInsertion);
    }),
  );
  return { hasTyped: () => hasTyped, dispose: () => listeners.dispose() };
}

export interface FollowedSaves extends vscode.Disposable {
  /** Whether any has begun. */
  hasBegun(): boolean;
  /** Whether one has been reported to begin, and not to end. */
  isSaving(): boolean;
  /**
   * Until a save of the document that has begun, also one by the user's own key, has ended. What would be written to
   * the file in the middle of it could end up in the editor alone, or on disk alone.
   */
  untilSaved(): Promise<void>;
}

/** Follows the saves of a document that begin from now on. */
export function followSaves(document: vscode.TextDocument): FollowedSaves {
  let [hasBegun, isSaving] = [false, false];
  const ended = new vscode.EventEmitter<void>();
  const listeners = vscode.Disposable.from(
    ended,
    vscode.workspace.onWillSaveTextDocument((save) => {
      if (save.document === document) hasBegun = isSaving = true;
    }),
    vscode.workspace.onDidSaveTextDocument((saved) => {
      if (saved !== document) return;
      isSaving = false;
      ended.fire();
    }),
  );
  return {
    hasBegun: () => hasBegun,
    isSaving: () => isSaving,
    async untilSaved() {
      await untilReported();
      if (!isSaving) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      // Of a save that fails there is no event.
      const timer = setTimeout(resolve, maxWaitMs);
      const listener = ended.event(() => resolve());
      await promise;
      clearTimeout(timer);
      listener.dispose();
      isSaving = false;
    },
    dispose: () => listeners.dispose(),
  };
}

/** What was typed and saved until now has been reported after this: a call to the editor and back, that changes nothing. */
export async function untilReported(): Promise<void> {
  await vscode.workspace.applyEdit(new vscode.WorkspaceEdit());
}

/** By document, the versions of the texts that it had during its last save. */
const savedTexts = new WeakMap<vscode.TextDocument, Set<string>>();
/** Of a save that fails there is no end. */
const maxSavedTexts = 100;

/** Remembers what documents save from now on, for `isUnsaved`. */
export function rememberSaves(): vscode.Disposable {
  const saving = new Set<vscode.TextDocument>();
  const remember = (document: vscode.TextDocument) => {
    const texts = savedTexts.get(document);
    if (texts !== undefined && texts.size < maxSavedTexts) texts.add(versionOf(document.getText()));
  };
  return vscode.Disposable.from(
    vscode.workspace.onWillSaveTextDocument(({ document }) => {
      savedTexts.set(document, new Set());
      saving.add(document);
      remember(document);
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (saving.has(document)) remember(document);
      // Read from the disk again, where another program wrote.
      else if (!document.isDirty && contentChanges.length > 0) savedTexts.delete(document);
    }),
    vscode.workspace.onDidSaveTextDocument((document) => void saving.delete(document)),
    vscode.workspace.onDidCloseTextDocument((document) => void saving.delete(document)),
  );
}

/**
 * Whether a document has text that its file, which holds `stored`, does not have. What is typed while a document is
 * saved leaves it unsaved, and the extension host reads that it is saved: its tab knows better. Not where an undo during
 * the save brought back the text of the save before: then the editor itself takes that for saved.
 */
export function isUnsaved(document: vscode.TextDocument, stored: string): boolean {
  if (document.isDirty) return true;
  if (foldedLineEnds(document.getText()) === foldedLineEnds(stored)) return false;
  if (savedTexts.get(document)?.has(versionOf(stored))) return true;
  const address = document.uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(
    ({ input, isDirty }) => isDirty && input instanceof vscode.TabInputText && input.uri.toString() === address,
  );
}

export function foldedLineEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
