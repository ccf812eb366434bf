import assert from "node:assert/strict";
import type { ModelItem } from "../../../../src/extension/models/setup/modelItems.ts";
import { createModelSetUp } from "../../../../src/extension/models/setup/modelSetUp.ts";
import { selectModel } from "../../../../src/extension/models/setup/selectModel.ts";
import { type JsonServer, startJsonServer } from "../../../support/jsonServer.ts";
import { type SetUpOptions, setUpWorld } from "../../../support/modelSetUp.ts";

async function select(input: unknown, options: SetUpOptions = {}) {
  const world = setUpWorld(options);
  const result = await selectModel(input, world.role, world.context);
  return { ...world, result, saved: world.raw["arbor.model"] };
}

/** A picker as text: groups flush left, what can be taken below them. */
function drawn(items: readonly ModelItem[] = []): string {
  return items
    .map((item) => {
      if (item.type === "group") return item.label;
      if (item.type === "action") return `  > ${item.label}`;
      const marks = `${item.isCurrent ? "*" : ""}${item.isFavourite ? "+" : ""}`;
      return `  ${marks}${item.label} [${item.name}] ${item.detail}`;
    })
    .join("\n");
}

describe("selecting a model", () => {
  it("saves the one that is named, and remembers it", async () => {
    const { result, saved, context } = await select("ollama/qwen3");
    assert.deepEqual(result, { type: "selected", model: "ollama/qwen3" });
    assert.equal(saved, "ollama/qwen3");
    assert.deepEqual(context.preferences.recent(), ["ollama/qwen3"]);
  });

  it("saves the one that the user picks or types", async () => {
    const { saved } = await select(undefined, { script: [" openrouter/a/b "] });
    assert.equal(saved, "openrouter/a/b");
  });

  it("changes nothing when the user leaves", async () => {
    const { result, saved } = await select(undefined);
    assert.deepEqual(result, { type: "canceled" });
    assert.equal(saved, undefined);
  });

  for (const input of ["nobody/x", "nonsense", 4]) {
    it(`refuses ${JSON.stringify(input)} and saves nothing`, async () => {
      const { result, saved } = await select(input);
      assert.equal(result.type, "refused");
      assert.equal(saved, undefined);
    });
  }

  it("leads on to a key, local servers and other providers", async () => {
    const picked = async (label: string) => (await select(undefined, { script: [label] })).result;
    assert.deepEqual(await picked("Set API key for OpenAI…"), {
      type: "other",
      picked: { type: "setKey", providerId: "openai" },
    });
    assert.deepEqual(await picked("Find local servers…"), { type: "other", picked: { type: "findLocal" } });
    assert.deepEqual(await picked("Set up another provider…"), { type: "other", picked: { type: "setUp" } });
  });

  it("lets sub-agents have the model of the agent that delegates", async () => {
    const world = setUpWorld({ script: ["Same as the delegating agent"] });
    const role = { ...world.role, mayInherit: true, current: () => "openai/gpt-6-luna" };
    assert.deepEqual(await selectModel(undefined, role, world.context), { type: "selected", model: "" });
    assert.equal(world.raw["arbor.model"], "");
  });

  it("takes an agent of another program for the main agent only", async () => {
    const settings = { "arbor.foreignAgents": { "Claude Code": { command: "/bin/claude" } } };
    const { saved } = await select(undefined, { settings, script: ["Claude Code"] });
    assert.equal(saved, "foreign/Claude Code");
    const world = setUpWorld({ settings, script: [undefined] });
    const role = { ...world.role, mayInherit: true, mayBeForeign: false, current: () => "" };
    const refused = await selectModel("foreign/Claude Code", role, world.context);
    assert.deepEqual([refused.type, world.raw["arbor.model"]], ["refused", undefined]);
    await selectModel(undefined, role, world.context);
    assert.doesNotMatch(drawn(world.prompts.pickers.at(-1)), /Claude Code/);
  });
});

describe("the model picker", () => {
  let server: JsonServer;
  before(async () => {
    server = await startJsonServer();
  });
  after(() => server.stop());
  const baseUrl = () => `${server.origin}/v1`;

  it("shows what is known of each model, in groups", async () => {
    server.routes = {
      "/v1/models": {
        data: [
          {
            id: "vendor/thinker",
            name: "Thinker",
            context_length: 200_000,
            architecture: { input_modalities: ["text", "image"] },
            pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
            top_provider: { max_completion_tokens: 64_000 },
            supported_parameters: ["tools", "reasoning"],
          },
          { id: "vendor/unknown" },
        ],
      },
    };
    const { prompts } = await select(undefined, {
      settings: { "arbor.model": "openrouter/vendor/gone", "arbor.providers": { openrouter: { baseUrl: baseUrl() } } },
      keys: { openrouter: "k" },
    });
    assert.equal(
      drawn(prompts.pickers[0]),
      [
        "In use, favorites and recent",
        "  *vendor/gone [openrouter/vendor/gone] not listed by OpenRouter · context unknown · no price",
        "OpenRouter",
        "  Thinker [openrouter/vendor/thinker] 200k context · $3 in, $15 out, $0.3 cached per million · images · thinking minimal–high",
        "  vendor/unknown [openrouter/vendor/unknown] context unknown · no price",
        "Demo",
        "  Demo (offline, scripted) [demo/demo] 32k context · no price · no images",
        "More models",
        "  > Set API key for Anthropic…",
        "  > Set API key for OpenAI…",
        "  > Find local servers…",
        "  > Set up another provider…",
      ].join("\n"),
    );
  });

  it("asks no one but the providers that are set up", async () => {
    server.requests.length = 0;
    server.routes = { "/v1/models": { data: [{ id: "m" }] } };
    const settings = {
      "arbor.providers": { openai: { baseUrl: baseUrl() }, lab: { type: "openai-chat", baseUrl: baseUrl() } },
    };
    await select(undefined, { settings });
    assert.equal(server.requests.length, 1, "lab needs no key, OpenAI has none");
  });

  it("still has the providers' models when the editor can't list its own", async () => {
    server.routes = { "/v1/models": { data: [{ id: "m" }] } };
    const { context } = setUpWorld({
      settings: { "arbor.providers": { lab: { type: "openai-chat", baseUrl: baseUrl() } } },
    });
    const broken = createModelSetUp({
      ...context,
      editorModels: { refresh: () => Promise.reject(new Error("not now")) },
    });
    assert.deepEqual(await broken.refreshAll(true), ["The editor could not list its models: not now"]);
    assert.equal(context.reported({ id: "lab", wire: "openai-chat", baseUrl: baseUrl() })?.length, 1);
  });

  it("says which providers could not be asked again", async () => {
    server.routes = { "/v1/models": (response) => response.writeHead(500).end() };
    const { context } = setUpWorld({
      settings: { "arbor.providers": { lab: { type: "openai-chat", baseUrl: baseUrl() } } },
    });
    assert.deepEqual(await context.refreshAll(false), [], "unasked, an old list will do");
    assert.deepEqual(await context.refreshAll(true), ["lab failed with status 500. Try again later."]);
  });

  it("marks favourites, and puts them first", async () => {
    const world = setUpWorld({ keys: { anthropic: "k" } });
    await world.context.preferences.toggleFavourite("demo/demo");
    await selectModel("anthropic/claude-opus-5-5", world.role, world.context).catch(() => undefined);
    await selectModel(
      undefined,
      { ...world.role, current: () => "" },
      { ...world.context, refreshAll: async () => [] },
    );
    const names = world.prompts.pickers[0]?.filter((item) => item.type === "model").map((item) => item.name);
    assert.deepEqual(names?.slice(0, 2), ["demo/demo", "anthropic/claude-opus-5-5"]);
    await world.context.preferences.toggleFavourite("demo/demo");
    assert.deepEqual(world.context.preferences.favourites(), []);
  });
});
