import { chmod, stat } from "node:fs/promises";
import { FileType, Range, type TextDocument, type Uri, WorkspaceEdit, workspace } from "vscode";
import { UserError } from "../../common/userError.ts";
import { createFile } from "../../workspace/documents/createDocument.ts";
import { editorLineEnds } from "../../workspace/documents/encoding.ts";
import { openDocument, storedText } from "../../workspace/documents/readDocument.ts";
import { hasRoom } from "../../workspace/documents/replaceBytes.ts";
import {
  bytesNow,
  isCutOff,
  isSame,
  refuseUnwritable,
  restoreStored,
  type StoredBytes,
  writeStored,
} from "../../workspace/documents/storedFile.ts";
import type { StoredText } from "../../workspace/documents/textDecoding.ts";
import { followTyping, isUnsaved, untilText } from "../../workspace/documents/untilText.ts";
import { versionOf } from "../../workspace/documents/version.ts";
import { replaceInDocument } from "../../workspace/documents/writeDocument.ts";
import type { ResolvedPath } from "../../workspace/editorRoots.ts";
import { type FileAction, fileError, inWords } from "../../workspace/fileProblems.ts";
import { statOf } from "../../workspace/fileStat.ts";
import { diffLines, replacementsBetween } from "../model/diffLines.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import type { FileImage } from "../rewind/storage.ts";
import { ChangedMeanwhile } from "../rewind/storedImages.ts";

/** Only of a file on this machine's disk, where the system has modes. */
export async function modeOf({ scheme, fsPath }: Uri): Promise<Pick<FileImage, "mode">> {
  return scheme === "file" && process.platform !== "win32" ? { mode: (await stat(fsPath)).mode & 0o7777 } : {};
}

/** As `ImagedFiles` has it. */
export async function putBack(file: ResolvedPath, image: FileImage, current: FileImage): Promise<void> {
  const found = await statOf(file.uri);
  if (image.isFolder || (found !== undefined && found.type & FileType.Directory)) await putBackFolder(file, image);
  else await putBackFile(file, image, current);
}

async function putBackFolder({ path, uri }: ResolvedPath, { isFolder }: FileImage): Promise<void> {
  if (isFolder) await saidAs("create", path, workspace.fs.createDirectory(uri));
  else if ((await workspace.fs.readDirectory(uri)).length === 0) await saidAs("delete", path, workspace.fs.delete(uri));
}

/** What fails is said in words. */
async function saidAs(action: FileAction, path: string, work: Thenable<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw inWords(action, path, error);
  }
}

async function putBackFile(file: ResolvedPath, image: FileImage, current: FileImage): Promise<void> {
  const { uri } = file;
  const { bytes, unsaved, mode } = image;
  if (bytes === undefined) {
    if (current.bytes === undefined) return;
    await refuseChanged(file, current);
    await saidAs("delete", file.path, workspace.fs.delete(uri));
    return;
  }
  if (current.bytes === undefined) {
    await refuseChanged(file, current);
    await createFile(file, bytes, mode);
  } else if (!isSame(current.bytes, bytes) || (unsaved === undefined && current.unsaved !== undefined)) {
    await replace(file, bytes, { ...current, bytes: current.bytes });
  }
  if (mode !== undefined && (await modeOf(uri)).mode !== mode) await chmod(uri.fsPath, mode);
  const document = openDocument(uri);
  if (unsaved !== undefined && document !== undefined) await showUnsaved(file, document, image, current);
}

async function refuseChanged(file: ResolvedPath, { bytes, unsaved }: FileImage): Promise<void> {
  const now = await bytesNow(file);
  const document = openDocument(file.uri);
  const isSameFile = now === undefined || bytes === undefined ? now === bytes : isSame(now, bytes);
  if (!isSameFile || (document?.isDirty ? document.getText() : undefined) !== unsaved)
    throw new ChangedMeanwhile(file.path);
}

/** Through the file's document where that is possible, so that the editor can undo it. */
async function replace(
  file: ResolvedPath,
  bytes: Uint8Array,
  current: FileImage & { bytes: Uint8Array },
): Promise<void> {
  await refuseUnwritable("change", file, bytes);
  const modifiedAt = (await statOf(file.uri))?.mtime ?? 0;
  const found = await bytesNow(file);
  if (found === undefined || !isSame(found, current.bytes)) throw new ChangedMeanwhile(file.path);
  const before = { bytes: found, modifiedAt };
  const texts = openDocument(file.uri) && (await textsOf(file, before.bytes, bytes));
  const document = openDocument(file.uri);
  if (document === undefined || texts === undefined) return writePast(file, bytes, before);
  if (current.unsaved === undefined && isUnsaved(document, texts.old.text)) throw new ChangedMeanwhile(file.path);
  const encoded = await texts.old.encode(texts.text);
  const isText = current.unsaved === undefined && encoded !== undefined && isSame(encoded, bytes);
  if (isText && (await untilText(document, texts.old.text))) return replaceText(file, { bytes, ...texts });
  let held = before;
  if (await canHold(document, texts)) {
    if (document.isDirty && document.getText() !== current.unsaved) throw new ChangedMeanwhile(file.path);
    held = await showSaved(file, document, { before, bytes, ...texts });
  }
  await writePast(file, bytes, held);
  await untilText(document, texts.text);
}

/** Undefined where one of them is no text: a document shows nothing of it. */
async function textsOf(file: ResolvedPath, before: Uint8Array, bytes: Uint8Array) {
  try {
    return { old: await storedText(file, before), text: (await storedText(file, bytes)).text };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function writePast(file: ResolvedPath, bytes: Uint8Array, before: StoredBytes): Promise<void> {
  if (!isSame(before.bytes, bytes) && !(await writeStored(file, bytes, before))) throw new ChangedMeanwhile(file.path);
}

interface Texts {
  old: StoredText;
  text: string;
}

/** As an agent's edit is written that is undone. */
async function replaceText(file: ResolvedPath, { bytes, old, text }: Texts & { bytes: Uint8Array }): Promise<void> {
  let isReported = false;
  const report = () => {
    isReported = true;
  };
  const version = versionOf(old.text);
  try {
    const options = { version, isExact: true, report };
    const { saved } = await replaceInDocument(file, replacementsBetween(old.text, text), options);
    if (saved) return;
  } catch (error) {
    const document = openDocument(file.uri);
    if (document && isUnsaved(document, old.text)) throw new ChangedMeanwhile(file.path);
    throw error;
  }
  if (!isReported) throw new ChangedMeanwhile(file.path);
  // It is in the editor alone, where it would be half of a rewind.
  const document = openDocument(file.uri);
  if (document?.getText() === text) await show(document, old.text);
  throw await notWritten(file, bytes);
}

async function notWritten({ path, uri }: ResolvedPath, bytes: Uint8Array): Promise<UserError> {
  const isFull = uri.scheme === "file" && !(await hasRoom(uri.fsPath, bytes));
  return fileError("change", path, isFull ? "disk full" : "not saved");
}

/** A text of mixed line ends is more than a document can hold; one that lags behind its file could not be saved. */
async function canHold(document: TextDocument, { old, text }: Texts): Promise<boolean> {
  if (document.isDirty) return true;
  if (editorLineEnds(old.text) === "mixed" || editorLineEnds(text) === "mixed") return false;
  return untilText(document, old.text);
}

/** Gives what the file holds then. */
async function showSaved(
  file: ResolvedPath,
  document: TextDocument,
  { before, bytes, old, text }: Texts & { before: StoredBytes; bytes: Uint8Array },
): Promise<StoredBytes> {
  const shown = document.getText();
  if (!(await show(document, text))) throw new ChangedMeanwhile(file.path);
  const typing = followTyping(document);
  try {
    if (document.isDirty) await document.save().then(undefined, () => false);
    const now = await bytesNow(file);
    const wanted = [await old.encode(text), await old.encode(document.getText())];
    const isWhole = now !== undefined && wanted.some((each) => each !== undefined && isSame(now, each));
    if (typing.hasTyped()) throw new ChangedMeanwhile(file.path);
    if (isWhole) return { ...before, bytes: now };
    const isPart = now === undefined || wanted.some((each) => each !== undefined && isCutOff(now, each));
    if (isPart) await restoreStored(file, before);
    else if (document.isDirty && (await writeUnsaved(file, bytes, before))) return { ...before, bytes };
    if (document.getText() === text) await show(document, shown);
    throw await notWritten(file, wanted[0] ?? before.bytes);
  } finally {
    typing.dispose();
  }
}

/**
 * Another program wrote the file since its document became unsaved, so that the editor refuses to save it. What it holds is
 * known: it is written past the document, which stays unsaved, and the user's own save is asked about as it was before.
 */
function writeUnsaved(file: ResolvedPath, bytes: Uint8Array, before: StoredBytes): Promise<boolean> {
  if (file.uri.scheme !== "file") return Promise.resolve(false);
  return writeStored(file, bytes, before).catch(() => false);
}

/** What is typed while the file is written stays. */
async function showUnsaved(
  file: ResolvedPath,
  document: TextDocument,
  { bytes, unsaved = "" }: FileImage,
  current: FileImage,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const now = document.getText();
    const { text: stored } = await storedText(file, bytes ?? new Uint8Array());
    const isKnown = now === unsaved || now === stored || now === current.unsaved;
    const text = isKnown ? unsaved : mergeTexts(stored, unsaved, now).text;
    if (document.getText() === now && (await show(document, text))) return;
  }
  throw new ChangedMeanwhile(file.path);
}

/** A fast typist hits the same moment repeatedly. */
const maxAttempts = 20;

/** Only the lines that differ are replaced, in one undo step. False when somebody typed at that moment. */
async function show(document: TextDocument, text: string): Promise<boolean> {
  const edit = new WorkspaceEdit();
  for (const { oldStart, oldLines, newText } of diffLines(document.getText(), text)) {
    edit.replace(document.uri, new Range(oldStart - 1, 0, oldStart - 1 + oldLines.length, 0), newText);
  }
  return edit.size === 0 || (await workspace.applyEdit(edit));
}
