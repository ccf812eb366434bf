import assert from "node:assert/strict";
import { LLMock } from "@copilotkit/aimock";
import type { ProviderErrorKind } from "../../../src/agent/vocabulary/messages.ts";
import { asking, callsOf, hear, providerAt, textOf, toolResult, user, wireNames } from "./support.ts";

/** A server that speaks all three wires and is not ours: what both sides here got wrong alike would show. */
describe("a provider written by somebody else", () => {
  let mock: LLMock;
  before(async () => {
    mock = new LLMock({ port: 0, logLevel: "silent" });
    await mock.start();
  });
  beforeEach(() => {
    mock.reset();
  });
  after(() => mock.stop());

  for (const wire of wireNames) {
    describe(`over ${wire}`, () => {
      const thinks = { id: wire === "anthropic" ? "claude-opus-5" : "gpt-5.6", provider: "test" };
      const stream = () => providerAt(wire, mock.url, { maxRetries: 0 });

      it("streams text, and counts its tokens", async () => {
        const usage = { input_tokens: 7, output_tokens: 5, prompt_tokens: 7, completion_tokens: 5 };
        mock.onMessage("Hello", { content: "Grüße, 😀 and so on.", usage });
        const { terminal, message } = await hear(stream());
        assert.equal(terminal, "done", message.errorMessage);
        assert.equal(textOf(message), "Grüße, 😀 and so on.");
        assert.deepEqual([message.usage?.input, message.usage?.output], [7, 5]);
      });

      it("streams thinking ahead of text", async () => {
        mock.onMessage("Hello", { content: "Yes.", reasoning: "Let me see." });
        const { message } = await hear(stream(), asking(), { thinkingLevel: "high" }, thinks);
        assert.deepEqual(
          message.content.map((part) => [part.type, part.type === "toolCall" ? part.name : part.text]),
          [
            ["thinking", "Let me see."],
            ["text", "Yes."],
          ],
          message.errorMessage,
        );
      });

      it("takes calls and their results, thinking included", async () => {
        const paths = ["a.ts", "b.ts", "c.ts"];
        const toolCalls = paths.map((path) => ({ name: "read", arguments: JSON.stringify({ path }) }));
        mock.on({ userMessage: "Read", hasToolResult: false }, { toolCalls, reasoning: "All three." });
        mock.on({ userMessage: "Read", hasToolResult: true }, { content: "Done." });
        const first = await hear(stream(), asking(user("Read")), { thinkingLevel: "high" }, thinks);
        assert.equal(first.message.stopReason, "toolUse", first.message.errorMessage);
        const calls = callsOf(first.message);
        assert.deepEqual(
          calls.map((call) => call.arguments),
          paths.map((path) => ({ path })),
        );
        assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
        const results = calls.map(({ id }) => toolResult(id, "text"));
        const request = asking(user("Read"), first.message, ...results);
        const second = await hear(stream(), request, { thinkingLevel: "high" }, thinks);
        assert.equal(textOf(second.message), "Done.", second.message.errorMessage);
      });

      it("sends arguments of half a megabyte whole", async () => {
        const text = "0123456789".repeat(58_000);
        mock.onMessage("Write", { toolCalls: [{ name: "write", arguments: JSON.stringify({ text }) }] });
        const { message } = await hear(stream(), asking(user("Write")));
        assert.deepEqual(callsOf(message)[0]?.arguments, { text });
      });

      it("cuts an answer off, which is no answer", async () => {
        mock.onMessage(
          "Hello",
          { content: "A sentence that is long enough for many chunks." },
          { truncateAfterChunks: 6, chunkSize: 4, latency: 5 },
        );
        const { terminal, message } = await hear(stream());
        assert.equal(terminal, "error");
        assert.equal(message.errorKind, "incomplete", message.errorMessage);
      });

      it("stops at its limit", async () => {
        mock.onMessage("Hello", { content: "So far", finishReason: "length" });
        assert.equal((await hear(stream())).message.stopReason, "length");
      });

      const errors: [number, string, ProviderErrorKind][] = [
        [400, "invalid_request_error", "rejected"],
        [401, "authentication_error", "auth"],
        [403, "permission_error", "auth"],
        [404, "not_found_error", "not_found"],
        [429, "rate_limit_error", "rate_limit"],
        [500, "api_error", "unknown"],
        [529, "overloaded_error", "overloaded"],
      ];
      for (const [status, type, kind] of errors) {
        it(`fails with ${status}, as ${kind}`, async () => {
          mock.nextRequestError(status, { message: `Failed as ${type}.`, type });
          const { terminal, message } = await hear(stream());
          assert.equal(terminal, "error");
          assert.equal(message.errorKind, kind, message.errorMessage);
          assert.match(message.errorMessage ?? "", new RegExp(`Failed as ${type}`));
        });
      }
    });
  }
});
