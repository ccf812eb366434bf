import assert from "node:assert/strict";
import fc from "fast-check";
import { createDigest } from "../../../../src/agent/providers/shared/digest.ts";
import type { LlmMessage } from "../../../../src/agent/vocabulary/messages.ts";
import { user } from "../../../support/events.ts";

function idDigest() {
  return createDigest<string[], string>(
    () => [],
    (ids, message, context) => {
      ids.push(`${context}${message.id}`);
    },
  );
}

describe("what is worked out of a history", () => {
  it("is the same as from scratch, however the history grew, forked or shrank", () => {
    const pool = Array.from({ length: 5 }, (_, at) => user(`m${at}`, ""));
    const history = fc.array(fc.constantFrom(...pool), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(history, fc.constantFrom("a", "b"))), (asked) => {
        const digest = idDigest();
        for (const [messages, variant] of asked) {
          const expected = messages.map(({ id }) => variant + id);
          assert.deepEqual(digest.of(messages, variant, variant), expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is worked out once for each message of a history that grows, also where its list itself does", () => {
    const worked: string[] = [];
    const digest = createDigest<number[], undefined>(
      () => [],
      (_, message) => {
        worked.push(message.id);
      },
    );
    const messages: LlmMessage[] = [];
    for (const id of ["a", "b", "c"]) {
      messages.push(user(id, ""));
      digest.of(messages, "", undefined);
    }
    assert.deepEqual(worked, ["a", "b", "c"]);
  });
});
