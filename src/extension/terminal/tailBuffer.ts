/** The last bytes of a stream, at least `limit` of them while there are so many, in memory that does not grow. */
export class TailBuffer {
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
