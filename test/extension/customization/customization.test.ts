import assert from "node:assert/strict";
import { type Custom, Customization, nothingCustom } from "../../../src/extension/customization/customization.ts";

function arrange(load: () => Promise<Custom>) {
  const state = { isTrusted: true, loads: 0, changes: 0, failures: [] as unknown[] };
  const customization = new Customization({
    isTrusted: () => state.isTrusted,
    load: () => {
      state.loads += 1;
      return load();
    },
    onChange: () => {
      state.changes += 1;
    },
    reportFailure: (error) => state.failures.push(error),
  });
  return { customization, state };
}

const some: Custom = { ...nothingCustom, problems: [] };

describe("what custom files say", () => {
  it("is read once, and again after a change", async () => {
    const { customization, state } = arrange(async () => some);
    assert.equal(customization.current, nothingCustom);
    await Promise.all([customization.ready(), customization.ready()]);
    assert.deepEqual([customization.current, state.loads, state.changes], [some, 1, 1]);
    customization.changed();
    await customization.ready();
    assert.equal(state.loads, 2);
    customization.dispose();
  });

  it("is read again when something changed while it was being read", async () => {
    const held = Promise.withResolvers<void>();
    const { customization, state } = arrange(async () => {
      await held.promise;
      return some;
    });
    const ready = customization.ready();
    customization.changed();
    held.resolve();
    await ready;
    assert.equal(state.loads, 2);
    customization.dispose();
  });

  it("94 is nothing in a workspace that is not trusted, and is read as soon as it is", async () => {
    const { customization, state } = arrange(async () => some);
    state.isTrusted = false;
    await customization.ready();
    assert.deepEqual([customization.current, state.loads], [nothingCustom, 0]);
    state.isTrusted = true;
    customization.changed();
    await customization.ready();
    assert.equal(customization.current, some);
    customization.dispose();
  });

  it("stays as it was when it can't be read, and no one waits for ever", async () => {
    let fails = false;
    const { customization, state } = arrange(async () => {
      if (fails) throw new Error("broken");
      return some;
    });
    await customization.ready();
    fails = true;
    customization.changed();
    await customization.ready();
    assert.equal(customization.current, some);
    assert.equal(state.failures.length, 1);
    customization.dispose();
  });
});
