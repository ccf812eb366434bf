import assert from "node:assert/strict";
import { clipped } from "../../../src/webview/text/visible.ts";

const limits = { lines: 2, characters: 20 };

describe("start of a long text", () => {
  it("is not needed for a text that is short enough, whatever blank lines follow it", () => {
    for (const text of ["", "one", "one\ntwo", "one\ntwo\n\n", "12345678901234567890"]) {
      assert.equal(clipped(text, limits), undefined, JSON.stringify(text));
    }
  });

  it("ends after so many lines and so many characters", () => {
    assert.equal(clipped("one\ntwo\nthree", limits), "one\ntwo");
    assert.equal(clipped("123456789012345678901", limits), "12345678901234567890");
  });
});
