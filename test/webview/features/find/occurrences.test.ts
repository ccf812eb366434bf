import assert from "node:assert/strict";
import fc from "fast-check";
import { occurrences } from "../../../../src/webview/features/find/occurrences.ts";

describe("occurrences of a query", () => {
  it("are found in any case of letters, none over another", () => {
    assert.deepEqual(occurrences("Aaa aA", "aa", 10), [
      { start: 0, end: 2 },
      { start: 4, end: 6 },
    ]);
    assert.deepEqual(occurrences("İstanbul STANBUL", "stanbul", 10), [
      { start: 1, end: 8 },
      { start: 9, end: 16 },
    ]);
    assert.deepEqual(occurrences("text", "", 10), []);
    assert.equal(occurrences("aaaa", "a", 3).length, 3);
  });

  it("mean every character as it is", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (query, around) => {
        const text = `${around}${query}${around}`;
        const [first] = occurrences(text, query, 1);
        assert.equal(text.slice(first?.start, first?.end).toLowerCase(), query.toLowerCase());
        assert.ok(first !== undefined && first.start <= around.length);
      }),
    );
  });
});
