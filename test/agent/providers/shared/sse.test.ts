import assert from "node:assert/strict";
import fc from "fast-check";
import { createSseDecoder } from "../../../../src/agent/providers/shared/attempt.ts";
import type { SseFrame } from "../../../../src/agent/providers/shared/wire.ts";

function decode(chunks: readonly Uint8Array[]): SseFrame[] {
  const decoder = createSseDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const edges = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, " "));
const frame = fc.record({
  event: fc.option(line.map((name) => `e${name}`)),
  data: fc.array(line, { minLength: 1, maxLength: 3 }),
});
const ending = fc.constantFrom("\n", "\r\n", "\r");

describe("event stream decoding", () => {
  it("reads the same frames however lines end and wherever the network cuts", () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 6 }),
        ending,
        fc.array(fc.nat(500), { maxLength: 8 }),
        (frames, end, cuts) => {
          const text = frames.map(({ event, data }) => {
            const lines = [...(event === null ? [] : [`event: ${event}`]), ...data.map((part) => `data: ${part}`)];
            return lines.map((each) => each + end).join("") + end;
          });
          const expected = frames.map(({ event, data }) => ({ event, data: data.join("\n") }));
          assert.deepEqual(decode(cut(new TextEncoder().encode(text.join("")), cuts)), expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("skips comments, unknown fields and a byte order mark, and takes a colon without a blank", () => {
    const text = "\ufeff: hello\nid: 7\nretry: 10\nevent:ping\ndata:{}\n\n";
    assert.deepEqual(decode([new TextEncoder().encode(text)]), [{ event: "ping", data: "{}" }]);
  });

  it("takes a name without a colon for an empty value, and no longer name for one of ours", () => {
    const text = "data\ndata: a:b\ndatas: c\nevents\n\n";
    assert.deepEqual(decode([new TextEncoder().encode(text)]), [{ event: null, data: "\na:b" }]);
  });

  it("reads a long line that comes byte by byte, and a mark of byte order only where it begins", () => {
    const value = "äöü\u2028".repeat(100);
    const bytes = new TextEncoder().encode(`data: ${value}\n\n\ufeffdata: b\n\n`);
    const frames = decode(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)));
    assert.deepEqual(frames, [{ event: null, data: value }]);
  });

  it("gives the last frame of a body that ends without its blank line", () => {
    assert.deepEqual(decode([new TextEncoder().encode("data: [DONE]")]), [{ event: null, data: "[DONE]" }]);
  });

  it("keeps a carriage return that ends a chunk with the line feed that starts the next", () => {
    const chunks = ["data: a\r", "\n", "\r", "\ndata: b\r\n\r\n"].map((text) => new TextEncoder().encode(text));
    assert.deepEqual(decode(chunks), [
      { event: null, data: "a" },
      { event: null, data: "b" },
    ]);
  });
});
