import assert from "node:assert/strict";
import { coalescedRuns } from "../../../src/extension/common/coalescedRuns.ts";

const steps = async (count: number) => {
  for (let step = 0; step < count; step++) await undefined;
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("runs that are coalesced", () => {
  it("are one at a time, and one more for all that asked meanwhile", async () => {
    const open: PromiseWithResolvers<void>[] = [];
    const ask = coalescedRuns(() => {
      const run = Promise.withResolvers<void>();
      open.push(run);
      return run.promise;
    });
    const asked = [ask(), ask(), ask()];
    assert.equal(open.length, 1, "the first begins at once");
    open[0]?.resolve();
    await settled();
    assert.equal(open.length, 2);
    open[1]?.resolve();
    await Promise.all(asked);
    assert.equal(open.length, 2);
  });

  it("see all that was there when they were asked for, at whatever step of the run before", async () => {
    for (let count = 0; count < 20; count++) {
      let value = 0;
      const seen: number[] = [];
      const ask = coalescedRuns(async () => {
        await steps(3);
        seen.push(value);
      });
      void ask();
      await steps(count);
      value = 1;
      await ask();
      assert.equal(seen.at(-1), 1, `asked after ${count} steps`);
    }
  });

  it("go on after one that failed, of which all that asked learn", async () => {
    for (const fail of [() => assert.fail("first"), () => Promise.reject(new Error("first"))]) {
      let runs = 0;
      const ask = coalescedRuns(async () => (++runs === 1 ? fail() : undefined));
      const asked = [ask(), ask()];
      for (const each of asked) await assert.rejects(each, /first/);
      assert.equal(runs, 2);
      await ask();
      assert.equal(runs, 3);
    }
  });
});
