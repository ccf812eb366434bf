import * as vscode from "vscode";
import { UserError } from "../userError.ts";
import type { Place } from "./editorRoots.ts";
import { editorLineEnds } from "./lineEnds.ts";
import { openDocument, readBytes, readDocument, statOf, storedText } from "./readDocument.ts";
import { refuseReadOnly, replaceBytes } from "./replaceBytes.ts";
import { encodeNew } from "./textDecoding.ts";
import { untilText } from "./untilText.ts";
import { versionOf, withReplacements } from "./version.ts";
import type { Replacement, Written } from "./workspace.ts";

/**
 * Replaces ranges of a file's text in one undo step, through the editor's document, so that language servers and
 * formatters follow. Line ends that a document would not keep are written past it, as bytes.
 */
export async function replaceInDocument(
  place: Place,
  replacements: readonly Replacement[],
  expectedVersion: string | undefined,
): Promise<Written> {
  const document = openDocument(place.uri);
  if (document?.isDirty) {
    refuseOther(place, document.getText(), expectedVersion);
    await applyEdit(document, replacements, place);
    return { text: document.getText(), saved: false };
  }
  const bytes = await readBytes(place);
  const stored = await storedText(place, bytes);
  refuseOther(place, stored.text, expectedVersion);
  const after = withReplacements(stored.text, replacements);
  const encoded = await stored.encode(after);
  if (!encoded) throw new UserError(`${place.path} can't hold this text in its encoding. Use other characters.`);
  if (place.uri.scheme === "file") await refuseReadOnly(place.uri.fsPath);
  if (editorLineEnds(stored.text) === "mixed" || !(await isInStep(place.uri, stored.text))) {
    return writeStored(place, after, encoded);
  }
  const clean = await vscode.workspace.openTextDocument(place.uri);
  await applyEdit(clean, replacements, place);
  if (await clean.save()) return { text: await currentText(place), saved: true };
  await putBackDamaged(place, bytes);
  return { text: clean.getText(), saved: false };
}

/** Writes a new file with the folders it needs, as an edit that can be undone. */
export async function createDocument(place: Place, text: string): Promise<Written> {
  if (await statOf(place.uri)) throw new UserError(`${place.path} already exists.`);
  const contents = await encodeNew(place.uri, text);
  if (!contents) throw new UserError(`${place.path} can't hold this text in its encoding. Use other characters.`);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(place.uri, { contents, overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw refused(place);
  return { text: await currentText(place), saved: true };
}

export async function removeDocument(place: Place): Promise<void> {
  if (!(await statOf(place.uri))) throw new UserError(`${place.path} does not exist.`);
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(place.uri, { recursive: false, ignoreIfNotExists: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw refused(place);
}

async function applyEdit(document: vscode.TextDocument, replacements: readonly Replacement[], place: Place) {
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of replacements) {
    edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw refused(place);
}

/** Whether the document will show the text that is on disk; it lags behind for a moment when another program wrote. */
async function isInStep(uri: vscode.Uri, text: string): Promise<boolean> {
  return untilText(await vscode.workspace.openTextDocument(uri), text);
}

async function writeStored(place: Place, text: string, bytes: Uint8Array): Promise<Written> {
  if (place.uri.scheme === "file") await replaceBytes(place.uri.fsPath, bytes);
  else await vscode.workspace.fs.writeFile(place.uri, bytes);
  const document = openDocument(place.uri);
  if (document) await untilText(document, text);
  return { text, saved: true };
}

/** A save that failed half-way leaves less on disk than was there; the new text is safe in the unsaved document. */
async function putBackDamaged(place: Place, bytes: Uint8Array): Promise<void> {
  if (place.uri.scheme !== "file") return;
  const now = await vscode.workspace.fs.readFile(place.uri);
  if (Buffer.compare(now, bytes) !== 0) await replaceBytes(place.uri.fsPath, bytes);
}

async function currentText(place: Place): Promise<string> {
  const content = await readDocument(place);
  if (content.kind === "text") return content.text;
  throw new UserError(`${place.path} is not a text any more.`);
}

function refuseOther({ path }: Place, text: string, expectedVersion: string | undefined): void {
  if (expectedVersion === undefined || versionOf(text) === expectedVersion) return;
  throw new UserError(`${path} changed since it was read. Read it again.`);
}

function refused({ path }: Place): UserError {
  return new UserError(`The editor did not take the edit of ${path}. Read the file again and retry.`);
}
