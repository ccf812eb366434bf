import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { batchedStream, deferredStream, type EventBatch } from "../../../src/agent/vocabulary/eventBatches.ts";
import type { AssistantMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { StreamEvent } from "../../../src/agent/vocabulary/model.ts";

const model = { id: "m", provider: "p" };
const message: AssistantMessage = {
  role: "assistant",
  id: "answer",
  content: [{ type: "text", text: "ab" }],
  model: "m",
  provider: "p",
  stopReason: "stop",
  timestamp: 0,
};
const first: StreamEvent[] = [
  { type: "start" },
  { type: "text_start", index: 0 },
  { type: "text_delta", index: 0, delta: "a" },
  { type: "text_delta", index: 0, delta: "b" },
];
const second: StreamEvent[] = [
  { type: "text_end", index: 0, content: "ab" },
  { type: "done", message },
];

async function* twoBatches(): AsyncGenerator<EventBatch, void, undefined> {
  yield first;
  yield second;
}

describe("a stream that comes in batches", () => {
  it("gives single events to one that iterates it", async () => {
    const seen: StreamEvent[] = [];
    for await (const event of batchedStream(twoBatches)) seen.push(event);
    assert.deepEqual(seen, [...first, ...second]);
  });

  it("is read by an agent to its end", async () => {
    const agent = new Agent({ model, streamFn: () => batchedStream(twoBatches) });
    const { reason, finalMessage } = await agent.prompt("Talk.");
    assert.equal(reason, "done");
    assert.deepEqual(finalMessage?.content, message.content);
  });

  it("is opened once where it is deferred, and read to its end in batches and by the event", async () => {
    let opened = 0;
    const open = async () => {
      opened += 1;
      return batchedStream(twoBatches);
    };
    const seen: StreamEvent[] = [];
    const stream = deferredStream(open);
    assert.equal(opened, 0);
    for await (const event of stream) seen.push(event);
    assert.deepEqual(seen, [...first, ...second]);
    const { finalMessage } = await new Agent({ model, streamFn: () => deferredStream(open) }).prompt("Talk.");
    assert.deepEqual(finalMessage?.content, message.content);
    assert.equal(opened, 2);
  });

  it("fails where it is deferred and can't be opened", async () => {
    const streamFn = () => deferredStream(() => Promise.reject(new Error("no keys")));
    await assert.rejects(new Agent({ model, streamFn }).prompt("Talk."), /no keys/);
  });

  it("delivers nothing more of a batch once the run was aborted, and is closed", async () => {
    let closed = false;
    const agent = new Agent({
      model,
      streamFn: () =>
        deferredStream(async () =>
          batchedStream(async function* () {
            try {
              yield* twoBatches();
            } finally {
              closed = true;
            }
          }),
        ),
    });
    const deltas: string[] = [];
    agent.subscribe((event) => {
      if (event.type !== "message_update" || event.delta.type !== "text_delta") return;
      deltas.push(event.delta.delta);
      void agent.abort();
    });
    const { reason } = await agent.send("Talk.").result;
    assert.equal(reason, "aborted");
    assert.deepEqual(deltas, ["a"]);
    assert.equal(closed, true);
  });
});
