import * as vscode from "vscode";
import { decodeText, encodeText, type OwnEncoding } from "./encoding.ts";

/** A text as it lies on disk, and how to write it there again. */
export interface StoredText {
  /** With its own line ends, without a byte order mark. */
  text: string;
  /** The bytes of another text in the same encoding; absent when they would not give it back. */
  encode(text: string): Promise<Uint8Array | undefined>;
}

/**
 * The text of a file's bytes in the encoding that the editor uses for it; absent when the bytes are no text in it, so
 * that writing the text would not give them back.
 */
export async function decodeStored(uri: vscode.Uri, bytes: Uint8Array): Promise<StoredText | undefined> {
  const chosen = chosenEncoding(uri);
  if (/^utf-?(?:8|16)/.test(chosen)) {
    const own = decodeText(bytes);
    if (own) return { text: own.text, encode: async (text) => encodeText(text, own.encoding) };
    // Not the chosen encoding; the editor may have guessed another one.
    const guessed = (await vscode.workspace.openTextDocument(uri)).encoding;
    return /^utf-?(?:8|16)/.test(guessed) ? undefined : inEditorEncoding(bytes, guessed);
  }
  return inEditorEncoding(bytes, chosen);
}

/** The bytes of a new file. */
export async function encodeNew(uri: vscode.Uri, text: string): Promise<Uint8Array | undefined> {
  const encoding = chosenEncoding(uri);
  if (isOwnEncoding(encoding)) return encodeText(text, encoding);
  const bytes = await vscode.workspace.encode(text, { encoding });
  return (await vscode.workspace.decode(bytes, { encoding })) === text ? bytes : undefined;
}

function chosenEncoding(uri: vscode.Uri): string {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open?.encoding ?? vscode.workspace.getConfiguration("files", uri).get<string>("encoding", "utf8");
}

async function inEditorEncoding(bytes: Uint8Array, encoding: string): Promise<StoredText | undefined> {
  const text = await vscode.workspace.decode(bytes, { encoding });
  const back = await vscode.workspace.encode(text, { encoding });
  if (Buffer.compare(back, bytes) !== 0) return undefined;
  return {
    text,
    async encode(other) {
      const encoded = await vscode.workspace.encode(other, { encoding });
      return (await vscode.workspace.decode(encoded, { encoding })) === other ? encoded : undefined;
    },
  };
}

function isOwnEncoding(encoding: string): encoding is OwnEncoding {
  return encoding === "utf8" || encoding === "utf8bom" || encoding === "utf16le" || encoding === "utf16be";
}
