import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";

/** How many calls of the file system work makes one after the other: those that are made at once count once. */
export async function waitsOf(work: () => Promise<unknown>): Promise<number> {
  const places = new Map<number, number>();
  let done = 0;
  const hook = createHook({
    init(id, type) {
      if (type === "FSREQPROMISE" || type === "FILEHANDLECLOSEREQ") places.set(id, done + 1);
    },
    before(id) {
      done = Math.max(done, places.get(id) ?? 0);
    },
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  assert.ok(done > 0, "the calls are seen");
  return done;
}
