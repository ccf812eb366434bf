import assert from "node:assert/strict";
import { pendingText } from "../../../../src/extension/panel/status/activityBoard.ts";

describe("what waits for the user", () => {
  it("is counted, and named by what it needs", () => {
    assert.deepEqual(pendingText(0, 0), { count: 0, text: "" });
    assert.deepEqual(pendingText(1, 0), { count: 1, text: "1 request needs your approval" });
    assert.deepEqual(pendingText(2, 1), {
      count: 3,
      text: "2 requests need your approval, 1 question needs your answer",
    });
  });
});
