import { dirname } from "node:path";
import { removeQuietly } from "../common/atomicFile.ts";
import { type Files, isFileSystemError } from "../common/files.ts";
import type { Lock } from "../common/lock.ts";
import { setSessionAside } from "./sessionFolder.ts";

export interface LineFileOptions {
  path: string;
  files: Files;
  now(): number;
  /** Called with what can't be written, once until it can be again. */
  onTrouble(error: unknown): void;
  /** Called when the file was deleted and is written again. */
  onRewritten?(): void;
  /** Of a new file it is taken with the first write. Absent where none could be had. */
  lock?: Lock | (() => Lock);
}

const copiedBytes = 4 * 1_024 * 1_024;

/** Copies the beginning of an open file to a path where nothing is. */
function copyOpen(files: Files, from: number, { path, size }: { path: string; size: number }): void {
  const copy = `${path}.tmp`;
  removeQuietly(files, copy);
  const into = files.openForAppend(copy);
  try {
    for (let at = 0; at < size; ) {
      const bytes = Buffer.allocUnsafe(Math.min(copiedBytes, size - at));
      const read = files.readPart(from, bytes, at);
      if (read === 0) throw new Error("The session's file is shorter than what was written to it.");
      for (let done = 0; done < read; ) done += files.append(into, bytes.subarray(done, read));
      at += read;
    }
  } finally {
    files.close(into);
  }
  files.rename(copy, path);
}

/** A line that waits to be written. */
interface WaitingLine {
  bytes: Buffer;
  onWritten?: (offset: number) => void;
}

/**
 * A file to which lines are appended by this process alone. What can't be written waits and goes ahead of the next line;
 * a file that was deleted meanwhile is written again.
 */
export class LineFile {
  readonly #options: LineFileOptions;
  #waiting: WaitingLine[] = [];
  #lock: Lock | undefined;
  #descriptor: number | undefined;
  /** Of what is written whole. */
  #size: number;
  /** What is behind is left of a write that failed. */
  #isTorn: boolean;
  #isTroubled = false;
  /** How often something was reported. */
  #troubles = 0;
  #syncing: Promise<void> | undefined;
  #isSyncDue = false;

  /** What is behind `size` is cut away. */
  constructor(options: LineFileOptions, size: number) {
    this.#options = options;
    if (typeof options.lock === "object") this.#lock = options.lock;
    this.#size = size;
    this.#isTorn = size > 0;
    if (size > 0) this.#openEarly();
  }

  get size(): number {
    return this.#size;
  }

  /** How many lines wait to be written. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The latest write failed. */
  get isTroubled(): boolean {
    return this.#isTroubled;
  }

  /** Adds a line, with its end, to what the next write writes. */
  add(line: string, onWritten?: (offset: number, bytes: Buffer) => void): void {
    const bytes = Buffer.from(line);
    this.#waiting.push({ bytes, onWritten: (offset) => onWritten?.(offset, bytes) });
  }

  /** Held open, the file can be written again when it is deleted. */
  #openEarly(): void {
    try {
      this.#descriptor = this.#options.files.openForAppend(this.#options.path);
    } catch (error) {
      // The first record tries again, and reports.
      if (!isFileSystemError(error)) throw error;
    }
  }

  write(): void {
    const { files } = this.#options;
    let isRewritten = false;
    try {
      isRewritten = this.#rewriteIfGone();
      const descriptor = this.#open();
      this.#makeWhole(descriptor);
      const bytes = Buffer.concat(this.#waiting.map((line) => line.bytes));
      this.#isTorn = true;
      for (let written = 0; written < bytes.length; ) written += files.append(descriptor, bytes.subarray(written));
      this.#isTorn = false;
      for (const line of this.#waiting) {
        line.onWritten?.(this.#size);
        this.#size += line.bytes.length;
      }
      this.#waiting = [];
      this.#isTroubled = false;
    } catch (error) {
      this.#report(error);
    }
    if (isRewritten) this.#options.onRewritten?.();
  }

  /** Whether the file was deleted, or another one put in its place. What was open is copied to the path. */
  #rewriteIfGone(): boolean {
    const { files, path } = this.#options;
    const open = this.#descriptor;
    if (open === undefined || files.isAt(path, open)) return false;
    files.makeFolder(dirname(path));
    this.#lock?.renew();
    if (this.#size > 0) {
      if (files.stat(path) !== undefined) setSessionAside(files, path, this.#options.now());
      copyOpen(files, open, { path, size: this.#size });
    }
    this.#descriptor = undefined;
    files.close(open);
    return this.#size > 0;
  }

  /** With the descriptor goes the last that is left of a file that was deleted behind its last line. */
  #rewriteAtLast(): void {
    try {
      if (this.#rewriteIfGone()) this.#open();
    } catch (error) {
      this.#report(error);
    }
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const { files, path, lock } = this.#options;
    files.makeFolder(dirname(path));
    if (typeof lock === "function") this.#lock ??= lock();
    this.#descriptor = files.openForAppend(path);
    return this.#descriptor;
  }

  /** What a failed write left is cut away. What another process wrote stays, and is closed off by a line end. */
  #makeWhole(descriptor: number): void {
    const { files, path } = this.#options;
    const size = files.size(descriptor);
    if (size === this.#size) return;
    if (this.#isTorn && size > this.#size) files.truncate(path, this.#size);
    else {
      this.#waiting.unshift({ bytes: Buffer.from("\n") });
      this.#size = size;
    }
  }

  async close(): Promise<void> {
    this.#rewriteAtLast();
    this.sync();
    while (this.#syncing !== undefined) await this.#syncing;
    try {
      if (this.#descriptor !== undefined) this.#options.files.close(this.#descriptor);
    } catch (error) {
      this.#report(error);
    }
    this.#lock?.release();
  }

  #report(error: unknown): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#troubles += 1;
    this.#options.onTrouble(error);
  }

  /** Brings what is written to the disk itself. One at a time; what comes meanwhile leads to a single further one. */
  sync(): void {
    if (this.#descriptor === undefined || this.#isTroubled) return;
    if (this.#syncing !== undefined) {
      this.#isSyncDue = true;
      return;
    }
    const before = this.#troubles;
    this.#syncing = this.#options.files
      .sync(this.#descriptor)
      .catch((error: unknown) => {
        // The same trouble that a write met meanwhile is reported once.
        if (this.#troubles === before) this.#report(error);
      })
      .finally(() => {
        this.#syncing = undefined;
        if (!this.#isSyncDue) return;
        this.#isSyncDue = false;
        this.sync();
      });
  }
}
