import { SerialQueue } from "../common/serialQueue.ts";
import { firstBytes, lastBytes } from "./readLines.ts";
import { SpillFile } from "./spillFile.ts";

const defaultTail = 512 * 1_024;
const defaultFileLimit = 100 * 1_024 * 1_024;

/** What a model is shown of an output. One that is longer is kept in a file: all of it can be read there. */
const excerptBytes = 48_000;
const excerptLines = 1_900;
/** Of that, the share of the start; what went wrong is at the end more often. */
const headShare = 0.25;

export interface OutputPlace {
  /** The name a model may read it by. */
  name: string;
  /** Makes the folder, and gives the file's path. */
  file(): Promise<string>;
}

/** Text of which the start and the end are shown, and what stood between them was left out. */
export interface Excerpt {
  head: string;
  /** Empty when nothing is left out: then the head is all. */
  tail: string;
  omittedBytes: number;
}

/**
 * The output of a command as UTF-8: the start in memory, all of it in a file as soon as it is long, the end in memory
 * again. Memory stays bounded however much is written; who writes waits for the disk.
 */
export class KeptOutput {
  readonly name: string;
  readonly #file: SpillFile;
  readonly #tail: TailBuffer;
  readonly #followers = new Set<(text: string) => void>();
  #start: Buffer[] = [];
  #startLength = 0;
  #startLines = 0;
  #length = 0;
  #isSpilled = false;
  readonly #writes = new SerialQueue();

  constructor(place: OutputPlace, limits: { tailBytes?: number; fileBytes?: number } = {}) {
    this.name = place.name;
    this.#tail = new TailBuffer(limits.tailBytes ?? defaultTail);
    this.#file = new SpillFile(() => place.file(), limits.fileBytes ?? defaultFileLimit);
  }

  /** Bytes. */
  get length(): number {
    return this.#length;
  }

  /** Bytes in memory: bounded, whatever was written. */
  get heldBytes(): number {
    return this.#tail.length + (this.#isSpilled ? 0 : this.#startLength);
  }

  get isSpilled(): boolean {
    return this.#isSpilled;
  }

  /** Why not all of it can be read again. */
  get problem(): string | undefined {
    return this.#file.problem;
  }

  /** Called with each text as it comes, until the result is called. */
  follow(listener: (text: string) => void): () => void {
    this.#followers.add(listener);
    return () => void this.#followers.delete(listener);
  }

  write(text: string): Promise<void> {
    if (text === "") return this.#writes.settled();
    for (const follower of this.#followers) follower(text);
    const bytes = Buffer.from(text);
    this.#tail.add(bytes);
    this.#length += bytes.length;
    return this.#writes.run(() => this.#keep(bytes));
  }

  /** The end of the output, whole characters. */
  tail(bytes: number): string {
    return lastBytes(this.#tail.bytes(), bytes).toString();
  }

  /** What came from that byte on, shortened in its middle. */
  async excerpt(from = 0): Promise<Excerpt> {
    await this.#writes.settled();
    const end = this.#length;
    if (end - from <= excerptBytes) {
      const whole = await this.#read(from, end);
      if (countLines(whole) <= excerptLines) return { head: whole.toString(), tail: "", omittedBytes: 0 };
    }
    // A little more than is shown says where its last character ends.
    const headBytes = await this.#read(from, Math.min(end, from + excerptBytes * headShare + 4));
    const head = firstLines(firstBytes(headBytes, excerptBytes * headShare).toString(), excerptLines * headShare);
    const rest = from + Buffer.byteLength(head);
    const tailLength = Math.min(end - rest, excerptBytes * (1 - headShare));
    const tail = lastLines(this.tail(tailLength), excerptLines * (1 - headShare));
    return { head, tail, omittedBytes: end - rest - Buffer.byteLength(tail) };
  }

  /** After this it can't be written any more; what is in the file is read by its name. */
  async close(): Promise<void> {
    await this.#writes.settled();
    await this.#file.close();
  }

  async #keep(bytes: Buffer): Promise<void> {
    if (!this.#isSpilled) {
      this.#start.push(bytes);
      this.#startLength += bytes.length;
      this.#startLines += countLines(bytes);
      if (this.#startLength <= excerptBytes && this.#startLines <= excerptLines) return;
      this.#isSpilled = true;
    }
    const waiting = this.#start.length > 0 ? Buffer.concat(this.#start) : bytes;
    this.#start = [];
    await this.#file.write(waiting);
  }

  async #read(start: number, end: number): Promise<Buffer> {
    if (!this.#isSpilled) return Buffer.concat(this.#start).subarray(start, end);
    if (end <= this.#file.length) return this.#file.read(start, end);
    const tail = this.#tail.bytes();
    const tailStart = this.#length - tail.length;
    return start < tailStart ? this.#file.read(start, end) : tail.subarray(start - tailStart, end - tailStart);
  }
}

function countLines(text: Buffer): number {
  let count = 0;
  for (let at = -1; ; count++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return count;
  }
}

/** Up to that many lines; a last line that was cut is left out unless it is the only one. */
function firstLines(text: string, max: number): string {
  let end = -1;
  for (let count = 0; count < max; count++) {
    const next = text.indexOf("\n", end + 1);
    if (next < 0) break;
    end = next;
  }
  return end < 0 ? text : text.slice(0, end + 1);
}

function lastLines(text: string, max: number): string {
  let start = text.length;
  for (let count = 0; count < max && start > 0; count++) {
    const next = text.lastIndexOf("\n", start - 2);
    if (next < 0) break;
    start = next + 1;
  }
  return start === text.length ? text : text.slice(start);
}

/** The last bytes of a stream, at least `limit` of them while there are so many, in memory that does not grow. */
class TailBuffer {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (let first = this.#chunks[0]; first !== undefined && this.#length - first.length >= this.#limit; ) {
      this.#chunks.shift();
      this.#length -= first.length;
      first = this.#chunks[0];
    }
    // Many tiny chunks would cost far more than their bytes.
    if (this.#chunks.length > 1_000) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
