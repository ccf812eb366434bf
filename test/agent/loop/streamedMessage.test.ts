import assert from "node:assert/strict";
import fc from "fast-check";
import { StreamedMessage } from "../../../src/agent/loop/streamedMessage.ts";
import { applyDelta } from "../../../src/agent/vocabulary/applyDelta.ts";
import type { MessageDelta } from "../../../src/agent/vocabulary/model.ts";
import { assistant } from "../../support/events.ts";

const index = fc.nat(2);
const delta: fc.Arbitrary<MessageDelta> = fc.oneof(
  fc.record({ type: fc.constantFrom("text_start" as const, "thinking_start" as const), index }),
  fc.record({ type: fc.constantFrom("text_delta" as const, "thinking_delta" as const), index, delta: fc.string() }),
  fc.record({ type: fc.constant("toolcall_start" as const), index, callId: fc.string(), toolName: fc.string() }),
  fc.record({ type: fc.constant("toolcall_delta" as const), index, delta: fc.string() }),
  fc.record({ type: fc.constantFrom("text_end" as const, "thinking_end" as const), index, content: fc.string() }),
);

describe("a message while it arrives", () => {
  it("is what its deltas make of it one by one, whenever somebody looks", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(delta, fc.boolean())), (steps) => {
        const streamed = new StreamedMessage(assistant("m", ""));
        let expected = assistant("m", "");
        for (const [step, isLookedAt] of steps) {
          streamed.append(step);
          expected = applyDelta(expected, step);
          if (isLookedAt) assert.deepEqual(streamed.message, expected);
        }
        assert.deepEqual(streamed.message, expected);
      }),
    );
  });

  it("loses nothing of a flood at which no one looks", () => {
    const streamed = new StreamedMessage(assistant("m", ""));
    streamed.append({ type: "text_start", index: 0 });
    for (let at = 0; at < 2_500; at += 1) streamed.append({ type: "text_delta", index: 0, delta: `${at},` });
    const text = Array.from({ length: 2_500 }, (_, at) => `${at},`).join("");
    assert.deepEqual(streamed.message.content, [{ type: "text", text }]);
  });
});
