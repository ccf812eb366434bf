import assert from "node:assert/strict";
import { smallestFailing } from "./smallest.ts";

const steps = Array.from({ length: 16 }, (_, index) => index);
const failsWith =
  (...needed: number[]) =>
  async (some: readonly number[]) =>
    needed.every((step) => some.includes(step));

describe("The smallest steps that fail", () => {
  it("are those that the failure needs, in their order", async () => {
    const { steps: left } = await smallestFailing(steps, { fails: failsWith(3, 11), maxTries: 100 });
    assert.deepEqual(left, [3, 11]);
  });

  it("are all of them when it fails no second time", async () => {
    const { steps: left } = await smallestFailing(steps, { fails: async () => false, maxTries: 100 });
    assert.deepEqual(left, steps);
  });

  it("are as few as were found when the tries are used up", async () => {
    const { steps: left, tries } = await smallestFailing(steps, { fails: failsWith(3), maxTries: 2 });
    assert.equal(tries, 2);
    assert.deepEqual(left, steps.slice(0, 8));
  });
});
