import assert from "node:assert/strict";
import fc from "fast-check";
import { type AgentMessage, estimateTokens } from "../../../src/agent/vocabulary/messages.ts";
import { keptFrom } from "../../../src/extension/context/keptTail.ts";
import { assistant, user } from "../../support/events.ts";
import { calling, result, summary, toolCall } from "../../support/messages.ts";

const sizes = { whole: 100, lastTurn: 300 };

/** A transcript as a run leaves it before a request: every call has its result, right behind it. */
const transcripts = fc
  .array(
    fc.record({
      kind: fc.constantFrom("user", "answer", "calls", "failed"),
      length: fc.nat(2_000),
      calls: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 30 },
  )
  .map((turns) =>
    turns.flatMap(({ kind, length, calls }, index): AgentMessage[] => {
      const text = "x".repeat(length);
      if (kind === "user") return [user(`u${index}`, text)];
      if (kind === "answer") return [assistant(`a${index}`, text)];
      if (kind === "failed") return [{ ...assistant(`f${index}`, text), stopReason: "error" }];
      const ids = Array.from({ length: calls }, (_, at) => `c${index}-${at}`);
      return [calling(`t${index}`, ...ids.map((id) => toolCall(id))), ...ids.map((id) => result(id, text))];
    }),
  );

describe("what is kept word for word", () => {
  it("never begins between a call and its result, whatever came before", () => {
    fc.assert(
      fc.property(transcripts, fc.nat(2_000), fc.nat(2_000), (messages, whole, lastTurn) => {
        const kept = messages.slice(keptFrom(messages, { whole, lastTurn }));
        const calls = new Set(
          kept.flatMap((message) =>
            message.role === "assistant" ? message.content.flatMap((p) => (p.type === "toolCall" ? [p.id] : [])) : [],
          ),
        );
        for (const message of kept) if (message.role === "toolResult") assert.ok(calls.has(message.callId));
        assert.notEqual(kept[0]?.role, "toolResult");
      }),
    );
  });

  it("holds what the user said since the last answer, and else no more than there is room for", () => {
    fc.assert(
      fc.property(transcripts, (messages) => {
        const from = keptFrom(messages, sizes);
        const isOpen = (message: AgentMessage) =>
          message.role === "user" || (message.role === "assistant" && message.stopReason === "error");
        const lastAnswered = messages.findLastIndex((message) => !isOpen(message));
        const open = messages.slice(lastAnswered + 1).filter(({ role }) => role === "user");
        for (const prompt of open) assert.ok(messages.indexOf(prompt) >= from);
        const beyondPrompts = messages.slice(from, lastAnswered + 1).filter((message) => !isOpen(message));
        assert.ok(estimateTokens(beyondPrompts) <= Math.max(sizes.whole, sizes.lastTurn));
      }),
    );
  });

  it("is the last turn though it is long, since the agent has not worked with it yet", () => {
    const messages = [user("u", "go"), calling("t", toolCall("c")), result("c", "x".repeat(1_000))];
    assert.equal(keptFrom(messages, sizes), 1);
    assert.equal(keptFrom(messages, { whole: 100, lastTurn: 100 }), 3);
  });

  it("holds a prompt whose answer failed, since nothing has answered it", () => {
    const failed: AgentMessage = { ...assistant("f", "half"), stopReason: "error" };
    const messages = [user("u", "go"), assistant("a", "x".repeat(2_000)), user("v", "and on"), failed];
    assert.equal(keptFrom(messages, { whole: 0, lastTurn: 0 }), 2);
  });

  it("leaves an earlier summary to be summarized again", () => {
    assert.equal(keptFrom([summary("s", "earlier"), user("u", "go"), assistant("a", "went")], sizes), 1);
  });
});
