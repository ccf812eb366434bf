import assert from "node:assert/strict";
import { tokenCount, uncachedInput } from "../../../../src/agent/providers/shared/tokenCount.ts";

describe("token counts of a provider", () => {
  it("counts as zero what is no number of tokens", () => {
    assert.deepEqual(
      [3, 2.6, -1, Number.NaN, Number.POSITIVE_INFINITY, "7", null].map(tokenCount),
      [3, 3, 0, 0, 0, 0, 0],
    );
  });

  it("A41: takes the cache out of an input that holds it", () => {
    assert.equal(uncachedInput(100, { read: 40, write: 10 }), 50);
    assert.equal(uncachedInput(100, { read: 100, write: 0 }), 0);
    assert.equal(uncachedInput(100, { read: 90, write: 20 }), 0);
  });

  it("A41: leaves an input whole that is smaller than the cache, which was then reported apart", () => {
    assert.equal(uncachedInput(100, { read: 150, write: 0 }), 100);
  });
});
