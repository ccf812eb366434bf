import assert from "node:assert/strict";
import { SerialQueue } from "../../../src/extension/common/serialQueue.ts";

describe("A serial queue", () => {
  it("starts a step when the one before is over", async () => {
    const queue = new SerialQueue();
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const one = queue.run(async () => {
      seen.push("one starts");
      await first.promise;
      seen.push("one ends");
    });
    const two = queue.run(async () => {
      seen.push("two starts");
    });
    await Promise.resolve();
    assert.deepEqual(seen, ["one starts"]);
    first.resolve();
    await Promise.all([one, two]);
    assert.deepEqual(seen, ["one starts", "one ends", "two starts"]);
  });

  it("gives a failure to the caller of the step alone", async () => {
    const queue = new SerialQueue();
    const failed = queue.run(() => Promise.reject(new Error("no room")));
    const next = queue.run(async () => "written");
    await assert.rejects(failed, /no room/);
    assert.equal(await next, "written");
  });

  it("is settled when all steps so far are over, a failed one among them", async () => {
    const queue = new SerialQueue();
    const seen: string[] = [];
    const failed = queue.run(async () => {
      seen.push("over");
      throw new Error("no room");
    });
    failed.catch(() => undefined);
    await queue.settled();
    assert.deepEqual(seen, ["over"]);
  });
});
