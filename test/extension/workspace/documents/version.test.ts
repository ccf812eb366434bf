import assert from "node:assert/strict";
import { versionOf, withReplacements } from "../../../../src/extension/workspace/documents/version.ts";

describe("Replacing ranges of a text", () => {
  it("takes all offsets from the text as it was", () => {
    const ranges = [
      { start: 4, end: 5, text: "EEE" },
      { start: 0, end: 1, text: "" },
      { start: 2, end: 2, text: "+" },
    ];
    assert.equal(withReplacements("abcde", ranges), "b+cdEEE");
  });

  it("refuses ranges that overlap or leave the text", () => {
    const first = { start: 0, end: 2, text: "" };
    assert.throws(() => withReplacements("abc", [first, { start: 1, end: 3, text: "" }]), RangeError);
    assert.throws(() => withReplacements("abc", [{ start: 0, end: 9, text: "" }]), RangeError);
  });
});

describe("The version of a text", () => {
  it("changes with the text alone", () => {
    assert.equal(versionOf("a\n"), versionOf("a\n"));
    assert.notEqual(versionOf("a\n"), versionOf("a\r\n"));
  });
});
