import * as vscode from "vscode";
import { UserError } from "../userError.ts";
import type { Place } from "./editorRoots.ts";
import { imageType, isBinary } from "./encoding.ts";
import { languageOf } from "./languageOf.ts";
import { decodeStored, type StoredText } from "./textDecoding.ts";
import { versionOf } from "./version.ts";
import type { FileContent } from "./workspace.ts";

/** Larger files are searched, not read: the text would be held several times over. */
const largestFile = 20 * 1024 * 1024;

/** What a file holds: the editor's text while it is unsaved, else what is on disk. */
export async function readDocument(place: Place): Promise<FileContent> {
  const document = openDocument(place.uri);
  if (document?.isDirty) return textContent(place, document.getText(), document);
  const bytes = await readBytes(place);
  const mimeType = imageType(bytes);
  if (mimeType) return { kind: "image", mimeType, data: Buffer.from(bytes).toString("base64") };
  return textContent(place, (await storedText(place, bytes)).text, document);
}

/** The text on disk; throws for what is not a text that can be written back. */
export async function storedText(place: Place, bytes: Uint8Array): Promise<StoredText> {
  if (isBinary(bytes)) throw new UserError(`${place.path} is a binary file: it has no text.`);
  const stored = await decodeStored(place.uri, bytes);
  if (stored) return stored;
  throw new UserError(
    `${place.path} is not valid text in its encoding, so it is left alone. Ask the user to choose its encoding ("Reopen with Encoding" or files.encoding).`,
  );
}

export async function readBytes({ path, uri }: Place): Promise<Uint8Array> {
  const stat = await statOf(uri);
  if (!stat) throw new UserError(`${path} does not exist.`);
  if (stat.type & vscode.FileType.Directory) throw new UserError(`${path} is a folder.`);
  if (!(stat.type & vscode.FileType.File)) throw new UserError(`${path} is not a regular file: it can't be read.`);
  if (stat.size > largestFile) {
    const megabytes = Math.round(stat.size / (1024 * 1024));
    throw new UserError(`${path} is too large to read (${megabytes} MB). Use search_text to find the part you need.`);
  }
  return vscode.workspace.fs.readFile(uri);
}

/** Absent when nothing is there. */
export async function statOf(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
    throw error;
  }
}

/** The document that the editor has of a file. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

function textContent({ path }: Place, text: string, document: vscode.TextDocument | undefined): FileContent {
  const languageId = document?.languageId ?? languageOf(path);
  return { kind: "text", text, version: versionOf(text), unsaved: document?.isDirty ?? false, languageId };
}
