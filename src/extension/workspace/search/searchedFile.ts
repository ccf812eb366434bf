import { type FileHandle, realpath } from "node:fs/promises";
import { join } from "node:path";
import { openInside } from "../documents/heldFiles.ts";

/** Of larger ones nothing is kept: they are searched as what is open. */
const maxBytes = 20 * 1_024 * 1_024;

/** The folder that is searched, and where it really is, which is asked for once. */
export class SearchedFolder {
  readonly root: string;
  #realRoot: Promise<string> | undefined;

  constructor(root: string) {
    this.root = root;
  }

  realRoot(): Promise<string> {
    this.#realRoot ??= realpath(this.root);
    return this.#realRoot;
  }
}

/** A file in which something was found by its name, as it was opened afterwards. */
export class SearchedFile {
  readonly #handle: FileHandle;
  readonly #contents: Buffer | undefined;
  #at = 0;

  private constructor(handle: FileHandle, contents: Buffer | undefined) {
    this.#handle = handle;
    this.#contents = contents;
  }

  /** Undefined where nothing of it may be shown: it is gone, or a link by now, or behind one. Searches follow none. */
  static async open(folder: SearchedFolder, path: string): Promise<SearchedFile | undefined> {
    const { root } = folder;
    const opened = await folder
      .realRoot()
      .then((realRoot) => openInside({ root, realRoot, path: join(root, path) }))
      .catch(() => undefined);
    if (opened === undefined) return undefined;
    const { handle, real, bytes } = opened;
    try {
      if (real === path) {
        return new SearchedFile(handle, bytes > maxBytes ? undefined : await contentsOf(handle, bytes));
      }
    } catch {
      // It can't be read: nothing is shown of it.
    }
    await handle.close();
    return undefined;
  }

  /** For a process that is to read it from its start. */
  get number(): number {
    return this.#handle.fd;
  }

  /** Whether the bytes are in it. They are asked for in their order. */
  holds(bytes: Uint8Array): boolean {
    if (this.#contents === undefined) return false;
    const next = this.#contents.indexOf(bytes, this.#at);
    const found = next >= 0 ? next : this.#contents.indexOf(bytes);
    if (found >= 0) this.#at = found + bytes.length;
    return found >= 0;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** By positions, so that who is given the open file still reads it from its start. */
async function contentsOf(handle: FileHandle, bytes: number): Promise<Buffer> {
  const contents = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await handle.read(contents, length, bytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return contents.subarray(0, length);
}
