import assert from "node:assert/strict";
import fc from "fast-check";
import { readAnthropicPage } from "../../../../src/extension/models/catalog/anthropicList.ts";
import { readOpenaiList } from "../../../../src/extension/models/catalog/listModels.ts";
import type { ModelListing } from "../../../../src/extension/models/catalog/listReading.ts";
import { readOpenrouterList } from "../../../../src/extension/models/catalog/openrouterList.ts";
import { anthropicPage, openaiList, openrouterList, vllmList } from "../../../support/modelFixtures.ts";

function modelsOf(listing: ModelListing) {
  assert.ok(listing.ok);
  return listing.models;
}

describe("Anthropic's list of models", () => {
  it("reads sizes, thinking, images and the day of retirement", () => {
    assert.deepEqual(modelsOf(readAnthropicPage(anthropicPage).listing), [
      {
        id: "claude-opus-5-5",
        name: "Claude Opus 5.5",
        contextWindow: 2_000_000,
        maxOutput: 256_000,
        thinkingLevels: ["low", "medium", "high", "max"],
        images: true,
      },
      {
        id: "claude-haiku-4-5-20251001",
        name: "Claude Haiku 4.5",
        contextWindow: 200_000,
        maxOutput: 64_000,
        thinkingLevels: ["off", "minimal", "low", "medium", "high"],
        images: true,
        retires: "2027-01-31",
      },
      { id: "claude-plain", name: "Claude Plain" },
    ]);
  });

  it("says where its next page begins", () => {
    assert.equal(readAnthropicPage(anthropicPage).after, undefined);
    assert.equal(readAnthropicPage({ ...anthropicPage, has_more: true }).after, "claude-plain");
  });
});

describe("OpenRouter's list of models", () => {
  const models = new Map(modelsOf(readOpenrouterList(openrouterList)).map((model) => [model.id, model]));

  it("reads sizes as the provider that gets most requests has them, and abilities", () => {
    assert.deepEqual(models.get("vendor/thinker"), {
      id: "vendor/thinker",
      name: "Vendor: Thinker",
      contextWindow: 200_000,
      maxOutput: 64_000,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      thinkingLevels: ["off", "low", "medium", "high"],
      images: true,
      tools: true,
      retires: "2027-03-01",
    });
  });

  it("distinguishes a free price from an unknown one", () => {
    assert.deepEqual(models.get("vendor/plain:free")?.price, { input: 0, output: 0 });
    assert.equal(models.get("openrouter/auto")?.price, undefined, "a router's price is -1");
    assert.equal(models.get("vendor/banded")?.price, undefined, "a price that depends on the prompt's length");
  });

  it("distinguishes no ability from an unknown one", () => {
    const { images, tools, thinkingLevels } = models.get("vendor/plain:free") ?? {};
    assert.deepEqual({ images, tools, thinkingLevels }, { images: false, tools: false, thinkingLevels: ["off"] });
    assert.deepEqual(models.get("vendor/banded"), {
      id: "vendor/banded",
      name: "Vendor: Banded",
      contextWindow: 1_000_000,
    });
  });

  it("leaves out what gives no text", () => {
    assert.equal(models.has("vendor/painter"), false);
  });
});

describe("a list in OpenAI's format", () => {
  it("reads the ids of models that one can chat with", () => {
    const ids = modelsOf(readOpenaiList(openaiList)).map((model) => model.id);
    assert.deepEqual(ids, ["gpt-6-astra", "gpt-unheard-of"]);
  });

  it("reads the window where the server has one for it", () => {
    assert.deepEqual(modelsOf(readOpenaiList(vllmList)), [{ id: "Qwen/Qwen3-32B", contextWindow: 40_960 }]);
    const groq = { data: [{ id: "m", context_window: 131_072, max_completion_tokens: 8_192 }] };
    assert.deepEqual(modelsOf(readOpenaiList(groq)), [{ id: "m", contextWindow: 131_072, maxOutput: 8_192 }]);
    assert.deepEqual(modelsOf(readOpenaiList([{ id: "bare", context_length: 8 }])), [{ id: "bare", contextWindow: 8 }]);
  });
});

/** Names that the formats have for what is read. */
const fieldNames = [
  ...["id", "name", "display_name", "capabilities", "max_input_tokens", "max_tokens", "retires_at"],
  ...["context_length", "max_model_len", "pricing", "architecture", "top_provider", "reasoning"],
];

describe("a list of models that is not what it should be", () => {
  const readers: [string, (value: unknown) => ModelListing][] = [
    ["Anthropic's", (value) => readAnthropicPage(value).listing],
    ["OpenAI's", readOpenaiList],
    ["OpenRouter's", readOpenrouterList],
  ];
  const garbage: unknown[] = [
    null,
    4,
    "text",
    {},
    { data: null },
    { data: {} },
    { data: [1, "x", null] },
    { data: [{}] },
  ];
  for (const [name, read] of readers) {
    it(`is malformed as ${name}, whatever it is`, () => {
      for (const value of garbage) {
        assert.deepEqual(read(value), { ok: false, fault: { type: "malformed" } }, JSON.stringify(value));
      }
    });

    it(`may be empty as ${name}`, () => {
      assert.deepEqual(read({ data: [] }), { ok: true, models: [] });
    });

    it(`never throws as ${name}, and never has a size that is none`, () => {
      const entry = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...fieldNames), fc.jsonValue()));
      const anything = fc.oneof(fc.jsonValue(), fc.record({ data: fc.oneof(fc.jsonValue(), fc.array(entry)) }));
      fc.assert(
        fc.property(anything, (value) => {
          const listing = read(value);
          for (const model of listing.ok ? listing.models : []) {
            assert.match(model.id, /^\S+$/);
            for (const size of [model.contextWindow, model.maxOutput]) assert.ok(size === undefined || size > 0);
            for (const usd of Object.values(model.price ?? {})) assert.ok(usd >= 0 && Number.isFinite(usd));
            assert.deepEqual(JSON.parse(JSON.stringify(model)), model, "nothing is there without being known");
          }
        }),
      );
    });

    it(`keeps of a list of a million as ${name} what a person could look through`, () => {
      const data = Array.from({ length: 1_000_000 }, (_, index) => ({ id: `m${index}` }));
      const listing = read({ data });
      assert.ok(listing.ok && listing.models.length === 5_000);
    });

    it(`keeps of ${name} the models that can be read, and no size that is none`, () => {
      const senseless = { context_length: 0, max_input_tokens: -1, max_tokens: 1.5, max_model_len: "many" };
      const data = [{ id: "good", ...senseless }, { id: "has blanks" }, { id: 4 }, null, { id: "good" }];
      assert.deepEqual(read({ data }), { ok: true, models: [{ id: "good" }] });
    });
  }
});
