import assert from "node:assert/strict";
import { waitingWords } from "../../../../src/extension/chat/waiting/waitingWords.ts";

describe("what waits for the user", () => {
  it("is counted, and named by what it needs", () => {
    assert.deepEqual(waitingWords(0, 0), { count: 0, text: "" });
    assert.deepEqual(waitingWords(1, 0), { count: 1, text: "1 request needs your approval" });
    assert.deepEqual(waitingWords(2, 1), {
      count: 3,
      text: "2 requests need your approval, 1 question needs your answer",
    });
  });
});
