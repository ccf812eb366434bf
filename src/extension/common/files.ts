import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/**
 * The calls by which sessions reach the disk, so that a test can let any of them fail. What is small is done without
 * waiting; what may be long is not. All throw what Node throws.
 */
export interface Files {
  makeFolder(folder: string): void;
  /** Names; none when there is no such folder. */
  list(folder: string): string[];
  /** Undefined when there is no such file. */
  stat(path: string): FileStat | undefined;
  /** Undefined when there is no such file. For small files. */
  read(path: string): string | undefined;
  /** Creates a file that must not exist yet. */
  create(path: string, text: string): void;
  rename(from: string, to: string): void;
  /** A file that is gone already is no error. */
  remove(path: string): void;
  /** Opens for appending. Gives a descriptor. */
  openForAppend(path: string): number;
  /** How many bytes were written, which may be fewer. */
  append(descriptor: number, bytes: Uint8Array): number;
  /** By path: a file that is opened for appending can't be shortened on every system. */
  truncate(path: string, size: number): void;
  size(descriptor: number): number;
  /** Whether the path still leads to the file that was opened: it may be deleted, or another one may be there. */
  isAt(path: string, descriptor: number): boolean;
  /** Reads a part of a file that was opened for appending. How many bytes were read. */
  readPart(descriptor: number, into: Uint8Array, position: number): number;
  close(descriptor: number): void;
  /** Brings what was appended to the disk itself. */
  sync(descriptor: number): Promise<void>;
  openForRead(path: string): Promise<OpenFile>;
}

export interface FileStat {
  size: number;
  mtimeMs: number;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Reads until the buffer is full or the file ends. Gives the number of bytes. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export const diskFiles: Files = {
  makeFolder: (folder) => void fs.mkdirSync(folder, { recursive: true, mode: 0o700 }),
  list: (folder) => unlessAbsent(() => fs.readdirSync(folder)) ?? [],
  stat: (path) => unlessAbsent(() => fs.statSync(path)),
  read: (path) => unlessAbsent(() => fs.readFileSync(path, "utf8")),
  create: (path, text) => fs.writeFileSync(path, text, { flag: "wx", mode: 0o600 }),
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.rmSync(path, { force: true }),
  openForAppend: (path) => fs.openSync(path, "a+", 0o600),
  append: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  truncate: (path, size) => fs.truncateSync(path, size),
  size: (descriptor) => fs.fstatSync(descriptor).size,
  isAt: (path, descriptor) => {
    const there = unlessAbsent(() => fs.statSync(path));
    return there !== undefined && there.ino === fs.fstatSync(descriptor).ino;
  },
  readPart: (descriptor, into, position) => fs.readSync(descriptor, into, 0, into.length, position),
  close: (descriptor) => fs.closeSync(descriptor),
  sync: (descriptor) =>
    new Promise((resolve, reject) => fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))),
  openForRead: async (path) => openedFile(await open(path, "r")),
};

function openedFile(handle: FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    async read(into, position) {
      let filled = 0;
      while (filled < into.length) {
        const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    close: () => handle.close(),
  };
}

function unlessAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether something thrown says that there is no file of that path. */
export function isMissing(error: unknown): boolean {
  return isFileSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Whether something thrown is a failed call of the file system, with its code (`ENOENT`, `EACCES`, …). */
export function isFileSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
