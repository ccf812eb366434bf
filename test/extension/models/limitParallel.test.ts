import assert from "node:assert/strict";
import type { Model, StreamFn } from "../../../src/agent/model.ts";
import { limitParallel } from "../../../src/extension/models/limitParallel.ts";

const model: Model = { id: "m", provider: "p" };
const request = { systemPrompt: "", messages: [], tools: [] };

/** A stream that notes how many run at once and ends when told. */
function heldStream() {
  const held: (() => void)[] = [];
  const seen = { running: 0, most: 0, started: 0 };
  const stream: StreamFn = async function* () {
    seen.started++;
    seen.running++;
    seen.most = Math.max(seen.most, seen.running);
    await new Promise<void>((resolve) => held.push(resolve));
    seen.running--;
    yield { type: "start" };
  };
  return { stream, seen, release: () => held.shift()?.() };
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}

async function settle(): Promise<void> {
  for (let step = 0; step < 20; step++) await Promise.resolve();
}

describe("a limit of parallel requests", () => {
  it("never lets more run than it allows, and lets all run in the end", async () => {
    const { stream, seen, release } = heldStream();
    const limited = limitParallel(stream, () => 2);
    const all = Array.from({ length: 5 }, () => drain(limited(model, request, {})));
    for (let step = 0; step < 5; step++) {
      await settle();
      release();
    }
    await Promise.all(all);
    assert.deepEqual(seen, { running: 0, most: 2, started: 5 });
  });

  it("lets an aborted request leave the line without taking a turn", async () => {
    const { stream, seen, release } = heldStream();
    const limited = limitParallel(stream, () => 1);
    const first = drain(limited(model, request, {}));
    await settle();
    const controller = new AbortController();
    const aborted = drain(limited(model, request, { signal: controller.signal }));
    const third = drain(limited(model, request, {}));
    controller.abort();
    await settle();
    assert.equal(seen.started, 2, "the aborted one reaches the stream, which sees its dead signal");
    release();
    release();
    await settle();
    release();
    await Promise.all([first, aborted, third]);
    assert.equal(seen.started, 3);
  });
});
