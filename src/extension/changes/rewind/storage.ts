import disk from "node:fs/promises";
import { join } from "node:path";
import { type DiskCalls, setAside, writeWhole } from "../../common/atomicFile.ts";
import { isFileSystemError } from "../../common/files.ts";

/** Where pre-images are stored. A write is all or nothing, and throws when it is nothing. */
export interface CheckpointStorage {
  /** Undefined when there is none. */
  readBlob(hash: string): Promise<Uint8Array | undefined>;
  writeBlob(hash: string, bytes: Uint8Array): Promise<void>;
  listBlobs(): Promise<readonly string[]>;
  removeBlob(hash: string): Promise<void>;
  readIndex(): Promise<string | undefined>;
  writeIndex(json: string): Promise<void>;
  /** Keeps all that is there under another name, where nothing is read or written any more. */
  setAside(): Promise<void>;
}

/** What is at a path at one moment: a file, a folder, or nothing. */
export interface FileImage {
  /** Absent when there is no file. */
  bytes?: Uint8Array;
  /** The editor's text, when it has not been saved. */
  unsaved?: string;
  /** The permission bits of a file on this machine's disk, where the system has them. */
  mode?: number;
  isFolder?: true;
}

/** The files of the workspace, byte for byte. */
export interface ImagedFiles {
  take(path: string): Promise<FileImage>;
  /**
   * Makes the path hold this again in the place of what it holds now, in its editor too. Throws when it can't; then it is
   * as it was: `ChangedMeanwhile` where it is not any more what it held. A folder that is to be removed stays where
   * something is in it.
   */
  putBack(path: string, image: FileImage, current: FileImage): Promise<void>;
  /** The text of a file's bytes; undefined for what is no text. */
  decode(path: string, bytes: Uint8Array): Promise<string | undefined>;
  /** The bytes of another text of the file, in the encoding of its bytes. Throws a `UserError` when it can't hold it. */
  encode(path: string, text: string, like: Uint8Array): Promise<Uint8Array>;
}

/** What is at a path, with its text where it is a text file: the editor's while that is unsaved. */
export interface FileState {
  image: FileImage;
  text?: string;
}

export function exists({ image }: FileState): boolean {
  return image.bytes !== undefined || image.isFolder === true;
}

/** The content alone: modes are compared apart. */
export function isSameContent(one: FileState, other: FileState): boolean {
  if (exists(one) !== exists(other) || one.image.isFolder !== other.image.isFolder) return false;
  if (one.text !== undefined && other.text !== undefined) return one.text === other.text;
  const [a, b] = [one.image.bytes, other.image.bytes];
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);
}

/** Pre-images in a folder of the extension's own: a file per content, named by its hash, and an index. */
export function diskStorage(folder: string, calls: DiskCalls = disk): CheckpointStorage {
  const { access, mkdir, readdir, readFile, rm } = calls;
  const blobs = join(folder, "blobs");
  const index = join(folder, "index.json");
  return {
    readBlob: (hash) => orAbsent(readFile(join(blobs, hash))),
    async writeBlob(hash, bytes) {
      const file = join(blobs, hash);
      if ((await orAbsent(access(file).then(() => true))) === true) return;
      await mkdir(blobs, { recursive: true });
      await writeWhole(file, bytes, calls);
    },
    listBlobs: async () => (await orAbsent(readdir(blobs))) ?? [],
    removeBlob: (hash) => rm(join(blobs, hash), { force: true }),
    readIndex: () => orAbsent(readFile(index, "utf8")),
    async writeIndex(json) {
      await mkdir(folder, { recursive: true });
      await writeWhole(index, json, calls);
    },
    setAside: () => setAside(folder, calls),
  };
}

async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}
