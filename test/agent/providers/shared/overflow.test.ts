import assert from "node:assert/strict";
import { isOverflow } from "../../../../src/agent/providers/shared/reported.ts";
import type { Model } from "../../../../src/agent/vocabulary/model.ts";
import { type FakeProvider, startFakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import { asking, hear, providerAt, wireNames } from "../support.ts";

/** What servers really say, by whom. */
const overflowTexts: Record<string, string> = {
  Anthropic: "prompt is too long: 213462 tokens > 200000 maximum",
  "Anthropic, by bytes": "Request exceeds the maximum size",
  Bedrock: "Input is too long for requested model.",
  OpenAI: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "OpenAI, Chat": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  Google: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  Groq: "Please reduce the length of the messages or completion.",
  OpenRouter: "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
  "llama.cpp": "the request exceeds the available context size, try increasing it",
  "LM Studio": "The number of tokens to keep from the initial prompt is greater than the context length.",
  Copilot: "prompt token count of 140000 exceeds the limit of 128000",
  MiniMax: "invalid params, context window exceeds limit",
  Kimi: "Your request exceeded model token limit: 131072 (requested: 140000)",
  Mistral: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  Ollama: "prompt too long; exceeded max context length by 1200 tokens",
  "vLLM, of all tokens":
    "This model's maximum context length is 163840 tokens. However, you requested 0 output tokens and your prompt contains at least 163841 input tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
  "Anthropic, with room for the answer":
    "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000, decrease input length or `max_tokens` and try again",
  vLLM: "The decoder prompt (length 9000) is longer than the maximum model length: too many tokens",
};

/** Other limits, in words that are alike. */
const others: Record<string, string> = {
  "an output limit": "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens",
  "an output limit of OpenAI": "max_tokens is too large: 99999. This model supports at most 16384 completion tokens.",
  "an output limit of vLLM":
    "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 32768 tokens and your request has 20000 input tokens",
  "an image": "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
  "a rate": "Request too large on tokens per min (TPM): Limit 10000, Requested 20000: rate limit reached",
  throttling: "Too many requests, too many tokens, please wait before trying again.",
  "a name": "tools.0.name: String should have at most 64 characters",
  "a number of tools": "tools: the request exceeds the maximum of 128 tools",
  "a field": "messages.3: all messages must have non-empty content",
};

describe("a conversation that is too long", () => {
  for (const [who, text] of Object.entries(overflowTexts)) {
    it(`is known by the words of ${who}`, () => assert.equal(isOverflow(text), true));
  }
  for (const [what, text] of Object.entries(others)) {
    it(`is not taken for ${what}`, () => assert.equal(isOverflow(text), false));
  }

  describe("that the server takes without a word", () => {
    const small: Model = { id: "test-model", provider: "test", contextWindow: 1_000 };
    let server: FakeProvider;
    before(async () => {
      server = await startFakeProvider();
    });
    beforeEach(() => server.reset());
    after(() => server.stop());

    for (const wire of wireNames) {
      for (const finish of ["stop", "length"] as const) {
        it(`is known by an empty answer (${finish}) to a full window over ${wire}`, async () => {
          await server.script({ steps: [], finish, usage: { input: 400, cacheRead: 600, output: 0 } });
          const { message } = await hear(providerAt(wire, server.url), asking(), {}, small);
          assert.equal(message.errorKind, "context");
          assert.match(message.errorMessage ?? "", /too long for test-model\. Compact it/);
          assert.equal((await server.requests()).length, 1);
        });
      }

      it(`is not seen in a whole answer over ${wire}, however full the window`, async () => {
        await server.script({ steps: [{ text: "Fine." }], usage: { input: 1_000, output: 3 } });
        assert.equal((await hear(providerAt(wire, server.url), asking(), {}, small)).terminal, "done");
      });
    }

    it("is known by the reason that Anthropic's models stop for", async () => {
      const stopped = { type: "message_delta", delta: { stop_reason: "model_context_window_exceeded" } };
      const raw = `event: message_delta\ndata: ${JSON.stringify(stopped)}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`;
      await server.script({ steps: [{ text: "And so" }, { raw }] });
      const { message, terminal } = await hear(providerAt("anthropic", server.url));
      assert.equal(terminal, "error");
      assert.equal(message.errorKind, "context");
    });
  });
});
