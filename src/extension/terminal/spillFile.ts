import { type FileHandle, open } from "node:fs/promises";

/** Where a text goes that is too long to keep in memory. The file is made with the first write. */
export class SpillFile {
  readonly #path: () => Promise<string>;
  readonly #limit: number;
  #handle: FileHandle | undefined;
  #openedPath: string | undefined;
  #length = 0;
  #problem: string | undefined;

  constructor(path: () => Promise<string>, limit: number) {
    this.#path = path;
    this.#limit = limit;
  }

  /** Bytes that are in the file: the text's first ones, without a gap. */
  get length(): number {
    return this.#length;
  }

  /** Why the file holds less than it was given. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#problem !== undefined) return;
    try {
      this.#handle ??= await this.#open();
      const room = this.#limit - this.#length;
      await this.#handle.appendFile(bytes.subarray(0, room));
      this.#length += Math.min(room, bytes.length);
      if (bytes.length > room) this.#problem = `only the first ${this.#limit} bytes are kept in a file`;
    } catch (error) {
      // A full disk must not end the command that is running.
      this.#problem = `the rest could not be kept in a file: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Also once it is closed. */
  async read(start: number, end: number): Promise<Buffer> {
    const length = Math.min(end, this.#length) - start;
    if (this.#openedPath === undefined || length <= 0) return Buffer.alloc(0);
    const handle = await open(this.#openedPath, "r");
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #open(): Promise<FileHandle> {
    this.#openedPath = await this.#path();
    return open(this.#openedPath, "w", 0o600);
  }
}
