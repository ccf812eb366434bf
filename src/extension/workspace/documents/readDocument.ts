import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { UserError } from "../../common/userError.ts";
import { type ResolvedPath, refuseGoneRoot } from "../editorRoots.ts";
import { doesNotExist, inWords } from "../fileProblems.ts";
import { type FoundFile, statOf } from "../fileStat.ts";
import { outside } from "../paths.ts";
import type { FileContent, ReadOptions } from "../workspace.ts";
import { imageType, isBinary } from "./encoding.ts";
import { LeftFolderError, readInside } from "./heldFiles.ts";
import { languageOf } from "./languageOf.ts";
import { decodeStored, type StoredText } from "./textDecoding.ts";
import { foldedLineEnds, isUnsaved, untilReported } from "./untilText.ts";
import { versionOf } from "./version.ts";

/** Larger files are searched, not read: the text would be held several times over. */
const maxFileBytes = 20 * 1024 * 1024;

/** How often, and after how long, a file is read again that holds another text than its document. */
const maxReads = 10;
const betweenReadsMs = 50;

/**
 * What a file holds: the editor's text while it is unsaved, else what is on disk. The editor empties a file before it
 * saves it, so what differs from a document without unsaved text may be a file half written: it is read again. `found` is
 * what was there just now, where that was looked at.
 */
export async function readDocument(
  file: ResolvedPath,
  { found, asReported = false }: ReadOptions & { found?: FoundFile | undefined } = {},
): Promise<FileContent> {
  for (let read = 1; ; read++) {
    const document = openDocument(file.uri);
    if (document?.isDirty) return textContent(file, document.getText(), document);
    const stored = readStored(file, read === 1 ? found : undefined);
    // Of a file with unsaved text it does not matter whether it can be read.
    stored.catch(() => undefined);
    // What was typed just before is not known here yet, and the disk does not ask the editor.
    if (document !== undefined && !asReported) await untilReported();
    if (document?.isDirty) return textContent(file, document.getText(), document);
    const { bytes, real = file.relative } = await stored;
    const link = real === file.relative ? {} : { leadsTo: real };
    // Typed into while the file was read.
    if (document?.isDirty) return textContent(file, document.getText(), document);
    const mimeType = imageType(bytes);
    if (mimeType) return { kind: "image", mimeType, data: Buffer.from(bytes).toString("base64"), ...link };
    const { text } = await storedText(file, bytes);
    const isWhole = !document || foldedLineEnds(document.getText()) === foldedLineEnds(text);
    if (document && isUnsaved(document, text))
      return { ...textContent(file, document.getText(), document, true), ...link };
    if (isWhole || read === maxReads) return { ...textContent(file, text, document), ...link };
    await new Promise((resolve) => setTimeout(resolve, betweenReadsMs));
  }
}

/** The text on disk; throws for what is not a text that can be written back. */
export async function storedText(file: ResolvedPath, bytes: Uint8Array): Promise<StoredText> {
  if (isBinary(bytes)) {
    throw new UserError(
      t("{0} is a binary file: it has no text.", file.path),
      `${file.path} is a binary file: it has no text.`,
    );
  }
  const stored = await decodeStored(file.uri, bytes);
  if (stored) return stored;
  throw new UserError(
    t(
      '{0} is not valid text in its encoding, so it is left alone. Choose its encoding by "Reopen with Encoding".',
      file.path,
    ),
    `${file.path} is not valid text in its encoding, so it is left alone. Ask the user to choose its encoding ("Reopen with Encoding" or files.encoding).`,
  );
}

export async function readBytes(file: ResolvedPath): Promise<Uint8Array> {
  return (await readStored(file)).bytes;
}

/** With where it really is, where that is known. */
async function readStored(
  { path, uri, root }: ResolvedPath,
  known?: FoundFile,
): Promise<{ bytes: Uint8Array; real?: string }> {
  const stat = known ?? (await statOf(uri));
  if (!stat) {
    await refuseGoneRoot(root);
    throw doesNotExist(path);
  }
  if (stat.type & vscode.FileType.Directory) throw new UserError(t("{0} is a folder.", path), `${path} is a folder.`);
  if (!(stat.type & vscode.FileType.File)) throw noPlainFile(path);
  if (stat.size > maxFileBytes) {
    const megabytes = Math.round(stat.size / (1024 * 1024));
    throw new UserError(
      t("{0} is too large to read ({1} MB).", path, megabytes),
      `${path} is too large to read (${megabytes} MB). Use search_text to find the part you need.`,
    );
  }
  try {
    if (uri.scheme !== "file") return { bytes: await vscode.workspace.fs.readFile(uri) };
    const found = await readInside({ root: root.uri.fsPath, path: uri.fsPath }, maxFileBytes);
    if (found !== undefined) return found;
  } catch (error) {
    throw error instanceof LeftFolderError ? outside(path) : inWords("read", path, error);
  }
  // It became something else since it was looked at.
  throw noPlainFile(path);
}

function noPlainFile(path: string): UserError {
  return new UserError(
    t("{0} is not a regular file: it can't be read.", path),
    `${path} is not a regular file: it can't be read.`,
  );
}

/** The document that the editor has of a file. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

function textContent(
  { path }: ResolvedPath,
  text: string,
  document: vscode.TextDocument | undefined,
  unsaved = document?.isDirty ?? false,
): Extract<FileContent, { kind: "text" }> {
  const languageId = document?.languageId ?? languageOf(path);
  return { kind: "text", text, version: versionOf(text), unsaved, languageId };
}
