import assert from "node:assert/strict";
import fc from "fast-check";
import { BufferedStream } from "../../../src/agent/loop/eventStream.ts";

async function read(stream: AsyncIterable<number>, count = Number.POSITIVE_INFINITY): Promise<number[]> {
  const items: number[] = [];
  if (count === 0) return items;
  for await (const item of stream) {
    items.push(item);
    if (items.length >= count) break;
  }
  return items;
}

describe("a buffered stream", () => {
  it("gives everything in order, however reads and writes are mixed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_500), { maxLength: 6 }), async (sizes) => {
        const stream = new BufferedStream<number, void>();
        const expected: number[] = [];
        const got: number[] = [];
        for (const size of sizes) {
          for (let i = 0; i < size; i++) {
            stream.push(expected.length);
            expected.push(expected.length);
          }
          got.push(...(await read(stream, Math.floor(size / 2))));
        }
        stream.end();
        got.push(...(await read(stream)));
        assert.deepEqual(got, expected);
      }),
      { numRuns: 30 },
    );
  });

  it("wakes a reader that waits, and ends it", async () => {
    const stream = new BufferedStream<number, string>();
    const reading = read(stream);
    stream.push(1);
    await Promise.resolve();
    stream.push(2);
    stream.end();
    stream.push(3);
    assert.deepEqual(await reading, [1, 2]);
    stream.settle("over");
    assert.equal(await stream.result, "over");
  });

  it("can be left and taken up again", async () => {
    const stream = new BufferedStream<number, void>();
    for (const item of [1, 2, 3]) stream.push(item);
    stream.end();
    assert.deepEqual(await read(stream, 1), [1]);
    assert.deepEqual(await read(stream), [2, 3]);
    assert.deepEqual(await read(stream), []);
  });
});
