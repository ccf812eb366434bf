import { createReadStream } from "node:fs";

/** Some lines of a file that may be of any length. */
export interface FileLines {
  lines: string[];
  /** How many lines the file has. */
  total: number;
  /** Bytes of the last line given that did not fit. */
  cutBytes: number;
}

const newline = 0x0a;

/**
 * Lines from number `start` (from 1) on, as many as fit; the rest is only counted, so that memory does not grow with
 * the file. A single line that does not fit is cut.
 */
export async function readLines(
  file: string,
  start: number,
  limit: { lines: number; bytes: number },
): Promise<FileLines> {
  const page = new Page(start, limit);
  for await (const chunk of createReadStream(file)) {
    const bytes: Buffer = chunk;
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      page.add(bytes.subarray(from, at));
      page.endLine();
      from = at + 1;
    }
    page.add(bytes.subarray(from));
  }
  return page.close();
}

class Page {
  readonly #start: number;
  readonly #limit: { lines: number; bytes: number };
  readonly #lines: string[] = [];
  #line: Buffer[] = [];
  #lineBytes = 0;
  #room: number;
  #number = 1;
  #cutBytes = 0;
  #isFull = false;

  constructor(start: number, limit: { lines: number; bytes: number }) {
    this.#start = start;
    this.#limit = limit;
    this.#room = limit.bytes;
  }

  add(bytes: Buffer): void {
    this.#lineBytes += bytes.length;
    if (!this.#isWanted() || bytes.length === 0 || this.#lineBytes - bytes.length > this.#room) return;
    // A view would keep the chunk it belongs to.
    this.#line.push(Buffer.from(bytes.subarray(0, this.#room + 4)));
  }

  endLine(): void {
    if (this.#isWanted()) this.#take();
    this.#line = [];
    this.#lineBytes = 0;
    this.#number++;
  }

  close(): FileLines {
    if (this.#lineBytes > 0) this.endLine();
    return { lines: this.#lines, total: this.#number - 1, cutBytes: this.#cutBytes };
  }

  #isWanted(): boolean {
    return this.#number >= this.#start && !this.#isFull;
  }

  #take(): void {
    const isFirst = this.#lines.length === 0;
    if (this.#lineBytes > this.#room && !isFirst) {
      this.#isFull = true;
      return;
    }
    const kept = firstBytes(Buffer.concat(this.#line), this.#room);
    this.#lines.push(kept.toString());
    this.#cutBytes = Math.max(0, this.#lineBytes - kept.length);
    this.#room -= kept.length + 1;
    this.#isFull = this.#room <= 0 || this.#lines.length >= this.#limit.lines;
  }
}

/** The end of `bytes`, at most `length` of them, not starting inside a character. */
export function lastBytes(bytes: Buffer, length: number): Buffer {
  let start = Math.max(0, bytes.length - length);
  while (start > 0 && start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** The start of `bytes`, at most `length` of them, not ending inside a character. */
export function firstBytes(bytes: Buffer, length: number): Buffer {
  if (length >= bytes.length) return bytes;
  let end = length;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return bytes.subarray(0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
