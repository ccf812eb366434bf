import { crc32 } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Chunk {
  type: string;
  data: Buffer;
}

interface Frame {
  png: Buffer;
  /** How long it is shown. */
  ms: number;
}

/** An animation of pictures of one size and kind, which starts again for ever. */
export function animate(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ png, ms }) => ({ chunks: chunksOf(png), ms }));
  const header = pictures[0]?.chunks.find(({ type }) => type === "IHDR")?.data;
  if (header === undefined) throw new Error("There is nothing to animate.");
  let sequence = 0;
  const parts = [signature, chunk("IHDR", header), chunk("acTL", numbers(frames.length, 0))];
  for (const [index, { chunks, ms }] of pictures.entries()) {
    if (!chunks.find(({ type }) => type === "IHDR")?.data.equals(header)) {
      throw new Error(`Picture ${index + 1} has another size or kind than the first one.`);
    }
    const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
    // Shown for ms/1000 s, over all that was there before.
    const times = Buffer.from([ms >> 8, ms & 0xff, 1000 >> 8, 1000 & 0xff, 0, 0]);
    parts.push(chunk("fcTL", Buffer.concat([numbers(sequence++, width, height, 0, 0), times])));
    const data = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((each) => each.data));
    parts.push(index === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([numbers(sequence++), data])));
  }
  return Buffer.concat([...parts, chunk("IEND", Buffer.alloc(0))]);
}

/** The parts of a PNG, in their order. */
function chunksOf(png: Buffer): Chunk[] {
  if (!png.subarray(0, signature.length).equals(signature)) throw new Error("This is no PNG.");
  const chunks: Chunk[] = [];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
