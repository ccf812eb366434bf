import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { copyPlain, equalPlain, plainJson } from "../../../src/agent/vocabulary/plainJson.ts";

describe("plain JSON", () => {
  it("is what a JSON round trip makes of a value", () => {
    const value = fc.anything({
      withDate: true,
      withNullPrototype: true,
      withSparseArray: true,
      withMap: true,
      withSet: true,
    });
    fc.assert(
      fc.property(value, (given) => {
        const text = JSON.stringify(given);
        const expected: unknown = text === undefined ? undefined : JSON.parse(text);
        assert.deepEqual(plainJson(given), expected);
      }),
    );
  });

  it("keeps the identity of what is plain already", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const plain: unknown = JSON.parse(JSON.stringify(given));
        assert.equal(plainJson(plain), plain);
      }),
    );
  });

  it("survives circles, getters that throw, big integers and depth beyond the stack", () => {
    const circle: Record<string, unknown> = { n: 10n };
    circle.self = circle;
    assert.deepEqual(plainJson(circle), { n: "10", self: "[circular]" });
    const throwing = {
      get boom() {
        throw new Error("boom");
      },
    };
    assert.equal(plainJson(throwing), "[cannot be shown as JSON]");
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    assert.equal(plainJson(deep), "[cannot be shown as JSON]");
  });

  it("keeps a key named __proto__ a key", () => {
    const odd: unknown = JSON.parse('{"__proto__": {"a": 1}, "f": 1}');
    const cleaned = plainJson({ odd, drop: () => 1 });
    assert.equal(JSON.stringify(cleaned), '{"odd":{"__proto__":{"a":1},"f":1}}');
  });

  it("shares what occurs twice instead of taking it for a circle", () => {
    const shared = { a: 1 };
    assert.deepEqual(plainJson([shared, shared, () => 1]), [{ a: 1 }, { a: 1 }, null]);
  });
});

describe("a copy of plain JSON", () => {
  it("equals its original, whatever the keys, and shares nothing that can be written to", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const plain: unknown = JSON.parse(JSON.stringify(given));
        const copy = copyPlain(plain);
        assert.deepEqual(copy, plain);
        assert.ok(equalPlain(copy, plain));
        if (typeof plain === "object" && plain !== null) assert.notEqual(copy, plain);
      }),
    );
    const odd: unknown = JSON.parse('{"__proto__":{"a":[1]}}');
    assert.equal(JSON.stringify(copyPlain(odd)), '{"__proto__":{"a":[1]}}');
  });

  it("is distinguished from what differs, as by a deep comparison", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b]: unknown[] = JSON.parse(JSON.stringify([one, other]));
        assert.equal(equalPlain(a, b), isDeepStrictEqual(a, b));
      }),
    );
    for (const [a, b] of [
      [[1], { 0: 1 }],
      [{ a: 1 }, { b: 1 }],
      [{ a: [1, 2] }, { a: [1, 3] }],
      [{ a: 1 }, { a: 1, b: 2 }],
      [null, {}],
    ]) {
      assert.equal(equalPlain(a, b), false);
    }
  });
});
