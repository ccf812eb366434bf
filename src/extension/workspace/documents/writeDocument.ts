// Long because one write is read best from its check to its report: editor, save, formatter and disk, one after the other.
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { UserError } from "../../common/userError.ts";
import type { ResolvedPath } from "../editorRoots.ts";
import { changedSinceRead, fileError, NothingWritten, noTextAnymore, wouldBeBinary } from "../fileProblems.ts";
import type { Replacement, WriteResult } from "../workspace.ts";
import { editorLineEnds, isBinary } from "./encoding.ts";
import { openDocument, readDocument, storedText } from "./readDocument.ts";
import { hasRoom } from "./replaceBytes.ts";
import {
  bytesNow,
  isCutOff,
  isSame,
  refuseUnwritable,
  restoreStored,
  type StoredBytes,
  takeStored,
  writeStored,
} from "./storedFile.ts";
import type { StoredText } from "./textDecoding.ts";
import {
  arrivalOf,
  type FollowedSaves,
  foldedLineEnds,
  followSaves,
  followTexts,
  followTyping,
  isUnsaved,
  untilReported,
} from "./untilText.ts";
import { versionOf, withReplacements } from "./version.ts";

export interface WriteOptions {
  /** What `read` gave: a text that has another version by now is left alone. */
  version?: string | undefined;
  /** The file is to hold exactly this text: what a formatter makes of it on saving is put right. */
  isExact?: boolean | undefined;
  /** Called when the text could not be saved and stays in the editor, unsaved. */
  report(problem: UserError): void;
}

/** One write of a file as it is on disk. */
interface Change extends WriteOptions {
  file: ResolvedPath;
  replacements: readonly Replacement[];
  before: StoredBytes & StoredText;
  /** The new text, with its own line ends. */
  text: string;
  bytes: Uint8Array;
}

/** How often it is begun again because the document was typed into or saved meanwhile. */
const maxAttempts = 5;

/**
 * Replaces ranges of a file's text in one undo step, through the editor's document, so that language servers and
 * formatters follow. A document with unsaved text gets the change and stays unsaved; the file is never written past it.
 */
export async function replaceInDocument(
  file: ResolvedPath,
  replacements: readonly Replacement[],
  options: WriteOptions,
): Promise<WriteResult> {
  let { version } = options;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const document = openDocument(file.uri);
    if (document?.isDirty) {
      const written = await editUnsaved(document, file, replacements, version);
      if (written) return written;
      continue;
    }
    const stored = await takeStored(file);
    const before = { ...stored, ...(await storedText(file, stored.bytes)) };
    const opened = openDocument(file.uri);
    if (opened && isUnsaved(opened, before.text)) {
      const written = await editUnsaved(opened, file, replacements, version, before.text);
      if (written) return written;
      continue;
    }
    refuseOther(file, before.text, version);
    version ??= versionOf(before.text);
    const text = withReplacements(before.text, replacements);
    const bytes = await before.encode(text);
    if (!bytes) throw notEncodable(file);
    if (isBinary(bytes)) throw wouldBeBinary(file.path);
    await refuseUnwritable("change", file, bytes);
    const written = await write({ ...options, file, replacements, before, text, bytes });
    if (written) return written;
  }
  throw refused(file);
}

/** Line ends that a document would not keep are written past it, as bytes. Absent when it has unsaved text by now. */
async function write(change: Change): Promise<WriteResult | undefined> {
  const { file, before, text, isExact } = change;
  const isMixed = editorLineEnds(before.text) === "mixed";
  // An exact text is no matter for formatters, and one that no editor shows needs none of its undo steps.
  if (isMixed || (isExact && (editorLineEnds(text) === "mixed" || !openDocument(file.uri)))) return writePast(change);
  const document = await vscode.workspace.openTextDocument(file.uri);
  const arrival = await arrivalOf(document, before.text);
  if (arrival === "same") return writeThrough(document, change);
  if (arrival === "unsaved") return undefined;
  // Its editor would be left with an older text, into which the user goes on typing.
  if (isShown(file.uri)) throw fileError("change", file.path, "newer on disk");
  return writePast(change);
}

/** Absent when it was saved or typed into meanwhile. */
async function editUnsaved(
  document: vscode.TextDocument,
  file: ResolvedPath,
  replacements: readonly Replacement[],
  version: string | undefined,
  stored = document.getText(),
): Promise<WriteResult | undefined> {
  const largestResult = Buffer.from(document.getText() + replacements.map(({ text }) => text).join(""));
  // Else the editor would cut the file off when it saves.
  await refuseUnwritable("change", file, largestResult);
  if (!isUnsaved(document, stored)) return undefined;
  refuseOther(file, document.getText(), version);
  // In UTF-16 the file stays one of text.
  const isPlain = replacements.every(({ text }) => !text.includes("\0")) || document.encoding.startsWith("utf16");
  if (!isPlain && isBinary(Buffer.from(withReplacements(document.getText(), replacements))))
    throw wouldBeBinary(file.path);
  if (!(await applyEdit(document, replacements))) return undefined;
  return { text: document.getText(), saved: false };
}

/** Changes the document and saves it, as long as the user does not type into it. */
async function writeThrough(document: vscode.TextDocument, change: Change): Promise<WriteResult | undefined> {
  const { replacements, text } = change;
  const followed = followTexts(document);
  const saves = followSaves(document);
  let typing: ReturnType<typeof followTyping> | undefined;
  try {
    // The editor refuses it when the document is not what it was when this was called.
    if (!(await applyEdit(document, replacements))) return undefined;
    if (foldedLineEnds(document.getText()) !== foldedLineEnds(text)) return { text: document.getText(), saved: false };
    typing = followTyping(document);
    await save(document, saves);
    return await checkSaved(document, { texts: followed.texts, saves, typing }, change);
  } finally {
    followed.dispose();
    saves.dispose();
    typing?.dispose();
  }
}

/** A save of the user's, called just before, ends ours before it has begun, and saves nothing of the change itself. */
async function save(document: vscode.TextDocument, saves: FollowedSaves): Promise<void> {
  const isSaved = await document.save().then(undefined, () => false);
  // No save writes before its begin was reported here.
  if (isSaved && !saves.isSaving()) return;
  await saves.untilSaved();
  if (isSaved || saves.hasBegun()) return;
  await document.save().then(undefined, () => false);
  await saves.untilSaved();
}

/** Of a document since its change. */
interface Followed {
  texts: readonly string[];
  saves: FollowedSaves;
  typing: { hasTyped(): boolean };
}

/**
 * What saving came to. The editor reports success also when only a part of the text had room, so the file is read: it
 * holds one of the texts that the document had since the change, or gets back what it held before.
 */
async function checkSaved(
  document: vscode.TextDocument,
  { texts, saves, typing }: Followed,
  change: Change,
): Promise<WriteResult> {
  const { file, before, bytes, isExact, report } = change;
  const now = await bytesNow(file);
  await untilReported();
  if (texts.length === 0) return written(document, before.text);
  let isPart = false;
  for (const text of texts.toReversed()) {
    const encoded = await before.encode(text);
    if (!encoded || !now) continue;
    if (isSame(now, encoded)) {
      // What the user typed and this saved too is no matter of formatters.
      const reformatted = isExact && !typing.hasTyped() && !isUnsaved(document, text) && !isSame(now, bytes);
      const exact = reformatted
        ? await writePast({ ...change, before: { ...before, bytes: now, text } }, saves)
        : undefined;
      return exact ?? written(document, text);
    }
    isPart ||= isCutOff(now, encoded);
  }
  if (!now || isPart || isSame(now, before.bytes)) {
    if (!document.isDirty) await makeUnsaved(document);
    if (isPart) await restoreStored(file, before);
    const isFull = file.uri.scheme === "file" && !(await hasRoom(file.uri.fsPath, bytes));
    report(fileError("save", file.path, isFull ? "disk full" : isPart ? "cut off" : now ? "not saved" : "missing"));
    return { text: document.getText(), saved: false };
  }
  // Another program wrote the file meanwhile.
  if (document.isDirty) {
    report(fileError("save", file.path, "newer on disk"));
    return { text: document.getText(), saved: false };
  }
  return { text: await currentText(file), saved: true };
}

function written(document: vscode.TextDocument, saved: string): WriteResult {
  return isUnsaved(document, saved) ? { text: document.getText(), saved: false } : { text: saved, saved: true };
}

/**
 * Writes the file and waits until its document shows the new text. When it was typed into before it could, the file
 * gets back what it held: typing wins, and the change is to be made in the unsaved text.
 */
async function writePast(change: Change, followedSaves?: FollowedSaves): Promise<WriteResult | undefined> {
  const { file, before, text, bytes } = change;
  const document = openDocument(file.uri);
  if (!document) {
    return (await writeStored(file, bytes, before)) ? { text, saved: true } : undefined;
  }
  const followed = followTexts(document);
  const saves = followedSaves ?? followSaves(document);
  try {
    await saves.untilSaved();
    if (isUnsaved(document, before.text)) return undefined;
    let held = before.bytes;
    for (let attempt = 1; ; attempt++) {
      // Another program, or a save, came in between: begun again with what is there now.
      if (!(await writeStored(file, bytes, { ...before, bytes: held }))) return undefined;
      const arrival = await arrivalOf(document, text, followed);
      if (arrival === "unsaved" && foldedLineEnds(document.getText()) === foldedLineEnds(before.text)) {
        await giveWay(document, file, before);
        return undefined;
      }
      await saves.untilSaved();
      const now = await bytesNow(file);
      const isThere = now !== undefined && isSame(now, bytes);
      if (arrival === "unsaved") {
        if (isThere) await restoreStored(file, before);
        return undefined;
      }
      if ((arrival === "same" && isThere) || isUnsaved(document, text) || attempt === maxAttempts) {
        return written(document, text);
      }
      // A save that had begun before has written the older text after it, or lets the editor show it.
      held = now ?? held;
    }
  } finally {
    followed.dispose();
    if (!followedSaves) saves.dispose();
  }
}

/**
 * The user saved before the editor had seen the new bytes: it refused, and takes the text for unsaved, though nothing was
 * typed. That save is done, which also removes its error.
 */
async function giveWay(document: vscode.TextDocument, file: ResolvedPath, before: StoredBytes): Promise<void> {
  await restoreStored(file, before);
  await document.save().then(undefined, () => false);
}

/** The editor takes the document for saved: a space comes and goes, so that it knows that it is not. */
async function makeUnsaved(document: vscode.TextDocument): Promise<void> {
  let offset = 0;
  const follow = vscode.workspace.onDidChangeTextDocument((change) => {
    if (change.document !== document) return;
    for (const { rangeOffset, rangeLength, text } of change.contentChanges) {
      if (rangeOffset <= offset && text !== " ") offset += text.length - rangeLength;
    }
  });
  try {
    if (!(await applyEdit(document, [{ start: 0, end: 0, text: " " }]))) return;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (await applyEdit(document, [{ start: offset, end: offset + 1, text: "" }])) return;
    }
  } finally {
    follow.dispose();
  }
}

/** False when the document is not any more what it was at the time of the call. */
async function applyEdit(document: vscode.TextDocument, replacements: readonly Replacement[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of replacements) {
    edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  }
  return vscode.workspace.applyEdit(edit);
}

/** Whether an editor shows the document, so that somebody can type into it. */
function isShown(uri: vscode.Uri): boolean {
  const isOf = (shown: vscode.Uri | undefined) => shown?.toString() === uri.toString();
  return (
    vscode.window.visibleTextEditors.some(({ document }) => isOf(document.uri)) ||
    vscode.window.tabGroups.all.some(({ tabs }) =>
      tabs.some(({ input }) => {
        if (input instanceof vscode.TabInputText) return isOf(input.uri);
        return input instanceof vscode.TabInputTextDiff && (isOf(input.original) || isOf(input.modified));
      }),
    )
  );
}

async function currentText(file: ResolvedPath): Promise<string> {
  const content = await readDocument(file);
  if (content.kind === "text") return content.text;
  throw noTextAnymore(file.path);
}

function refuseOther({ path }: ResolvedPath, text: string, version: string | undefined): void {
  if (version !== undefined && versionOf(text) !== version) throw changedSinceRead(path);
}

export function notEncodable({ path }: ResolvedPath): NothingWritten {
  return new NothingWritten(
    t("{0} can't hold this text in its encoding.", path),
    `${path} can't hold this text in its encoding. Use other characters.`,
  );
}

function refused({ path }: ResolvedPath): NothingWritten {
  return new NothingWritten(
    t("The editor did not accept the change of {0}. Try again.", path),
    `The editor did not take the edit of ${path}. Read the file again and retry.`,
  );
}
