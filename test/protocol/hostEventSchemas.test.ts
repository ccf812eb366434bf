import assert from "node:assert/strict";
import { hostEventSchema, hostEventTraits, keyOfHostEvent } from "../../src/protocol/hostEventSchemas.ts";

describe("the traits of host events", () => {
  it("are known of every type", () => {
    assert.deepEqual(
      Object.keys(hostEventTraits).sort(),
      hostEventSchema.options.map(({ shape }) => shape.type.value).sort(),
    );
  });

  it("give what ends something a key, as what it ends has one", () => {
    for (const [type, traits] of Object.entries(hostEventTraits)) {
      if (traits.ends === undefined) continue;
      assert.ok(traits.key, type);
      assert.ok(hostEventTraits[traits.ends].key, traits.ends);
    }
  });

  it("give an event that a newer version wrote no key", () => {
    const event: unknown = { type: "constructor", id: "1" };
    assert.equal(keyOfHostEvent(event as Parameters<typeof keyOfHostEvent>[0]), undefined);
  });
});
