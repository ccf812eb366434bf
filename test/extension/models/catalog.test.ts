import assert from "node:assert/strict";
import {
  describeModel,
  findModelProblem,
  hasUsableModel,
  isUsersProvider,
  listModelChoices,
  resolveModel,
  usesPatches,
} from "../../../src/extension/models/catalog.ts";
import type { ModelFacts } from "../../../src/extension/models/facts.ts";
import { memoryKeys, settingsFrom } from "../../support/settings.ts";

describe("the model catalogue", () => {
  it("resolves a well-known model with its sizes and price", () => {
    const resolved = resolveModel("anthropic/claude-opus-5-5", settingsFrom());
    assert.ok(resolved.ok);
    assert.equal(resolved.model.provider, "anthropic");
    assert.equal(resolved.model.contextWindow, 1_000_000);
    assert.equal(resolved.model.price?.input, 4);
  });

  it("knows which models change files by patches, and lets the user's entry win", () => {
    const patching = (provider: string, id: string, raw = {}) => usesPatches({ provider, id }, settingsFrom(raw));
    assert.equal(patching("openai", "gpt-6-astra"), true);
    assert.equal(patching("anthropic", "claude-opus-5-5"), false);
    assert.equal(patching("openrouter", "some/model"), false);
    assert.equal(patching("openrouter", "openai/gpt-5.6"), true);
    assert.equal(patching("vscode", "copilot/gpt-5"), true);
    assert.equal(patching("openai", "gpt-4o"), false);
    const own = (provider: string, id: string, editTool: string) => ({
      "arbor.providers": { [provider]: { models: [{ id, editTool }] } },
    });
    assert.equal(patching("openrouter", "some/model", own("openrouter", "some/model", "apply_patch")), true);
    assert.equal(patching("openai", "gpt-6-astra", own("openai", "gpt-6-astra", "edit_file")), false);
    assert.equal(patching("openai", "gpt-6-astra", own("openai", "gpt-6-astra", "sed")), true, "a wrong entry is none");
    const resolved = resolveModel("openai/gpt-6-astra", settingsFrom());
    assert.ok(resolved.ok && !("editTool" in resolved.model), "providers are not told");
  });

  it("takes an agent of another program in place of a model, and offers it, but only by a name of the setting", async () => {
    const settings = settingsFrom({ "arbor.foreignAgents": { "Claude Code": { command: "/bin/claude" } } });
    const resolved = resolveModel("foreign/Claude Code", settings);
    assert.deepEqual(resolved.ok && resolved.model, { id: "Claude Code", provider: "foreign" });
    const { label, isDemo, thinkingLevels } = describeModel("foreign/Claude Code", settings);
    assert.deepEqual([label, isDemo, thinkingLevels], ["Claude Code", false, ["off"]]);
    const choices = await listModelChoices({ settings, keys: memoryKeys() });
    assert.ok(choices.some(({ id }) => id === "foreign/Claude Code"));
    const missing = resolveModel("foreign/Codex", settings);
    assert.match(missing.ok ? "" : missing.problem.text, /There is no agent Codex in arbor\.foreignAgents/);
  });

  it("leaves what it does not know absent", () => {
    const resolved = resolveModel("openrouter/some/model:free", settingsFrom());
    assert.ok(resolved.ok);
    assert.deepEqual(resolved.model, { id: "some/model:free", provider: "openrouter" });
  });

  it("lets the user's entry win field by field", () => {
    const settings = settingsFrom({
      "arbor.providers": { anthropic: { models: [{ id: "claude-opus-5-5", contextWindow: 200_000 }] } },
    });
    const resolved = resolveModel("anthropic/claude-opus-5-5", settings);
    assert.ok(resolved.ok);
    assert.equal(resolved.model.contextWindow, 200_000);
    assert.equal(resolved.model.maxOutput, 128_000);
  });

  it("knows a provider of the user's own by its address and wire", () => {
    const settings = settingsFrom({
      "arbor.providers": { lab: { type: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" } },
    });
    const resolved = resolveModel("lab/any", settings);
    assert.ok(resolved.ok);
    assert.equal(resolved.provider?.wire, "openai-chat");
    assert.equal(resolved.provider?.baseUrl, "http://127.0.0.1:1/v1");
    assert.equal(resolved.provider?.needsKey, false);
  });

  it("resolves the demo without any provider", () => {
    const resolved = resolveModel("demo/demo", settingsFrom());
    assert.ok(resolved.ok);
    assert.equal(resolved.provider, undefined);
    assert.equal(resolved.model.price, undefined);
  });

  for (const name of ["", "claude", "/claude", "anthropic/", "demo/other"]) {
    it(`says that ${JSON.stringify(name)} names no model`, () => {
      const resolved = resolveModel(name, settingsFrom());
      assert.ok(!resolved.ok);
      assert.ok(resolved.problem.actions.includes("selectModel"));
    });
  }

  it("names an unknown provider and the known ones", () => {
    const resolved = resolveModel("nobody/model", settingsFrom());
    assert.ok(!resolved.ok);
    assert.match(resolved.problem.text, /"nobody".*anthropic, openai, openrouter, ollama, .* or demo/);
    assert.ok(resolved.problem.actions.includes("openSettings"));
  });

  it("does not let an entry called vscode send the editor's requests anywhere else", () => {
    const settings = settingsFrom({
      "arbor.providers": { vscode: { type: "openai", baseUrl: "https://example.org", apiKeyEnv: "KEY" } },
    });
    const resolved = resolveModel("vscode/copilot/gpt-5", settings);
    assert.ok(resolved.ok);
    const { wire, baseUrl, apiKeyEnv, needsKey } = resolved.provider ?? {};
    assert.deepEqual(
      { wire, baseUrl, apiKeyEnv, needsKey },
      { wire: "vscode", baseUrl: undefined, apiKeyEnv: undefined, needsKey: false },
    );
  });

  it("does not let an entry called demo replace the demo", () => {
    const settings = settingsFrom({ "arbor.providers": { demo: { type: "openai", baseUrl: "https://example.org" } } });
    const resolved = resolveModel("demo/demo", settings);
    assert.ok(resolved.ok);
    assert.equal(resolved.provider, undefined);
  });
});

describe("a provider that the user uses", () => {
  it("87 needs a key or is named in the user's settings, and is no server that happens to listen here", () => {
    const uses = (id: string, settings: Record<string, unknown> = {}) => isUsersProvider(id, settingsFrom(settings));
    assert.equal(uses("anthropic"), true);
    assert.equal(uses("ollama"), false);
    assert.equal(uses("ollama", { "arbor.model": "ollama/mine" }), true);
    assert.equal(uses("ollama", { "arbor.subAgentModel": "ollama/mine" }), true);
    assert.equal(uses("vllm", { "arbor.model": "ollama/mine" }), false);
    assert.equal(uses("vllm", { "arbor.providers": { vllm: {} } }), true);
  });
});

describe("a usable model", () => {
  it("is missing while no one chose one, though the demo would answer", async () => {
    assert.equal(await hasUsableModel(settingsFrom(), memoryKeys()), false);
    assert.equal(await findModelProblem("demo/demo", settingsFrom(), memoryKeys()), undefined);
  });

  it("is the demo once somebody chose it", async () => {
    assert.equal(await hasUsableModel(settingsFrom({ "arbor.model": "demo/demo" }), memoryKeys()), true);
  });

  it("needs the key of a provider that needs one", async () => {
    const settings = settingsFrom({ "arbor.model": "openai/gpt-6-luna" });
    assert.equal(await hasUsableModel(settings, memoryKeys()), false);
    assert.equal(await hasUsableModel(settings, memoryKeys({ openai: "k" })), true);
    const problem = await findModelProblem(settings.model, settings, memoryKeys());
    assert.match(problem?.text ?? "", /OpenAI needs an API key/);
    assert.deepEqual(problem?.actions, ["setApiKey", "useDemo"]);
    assert.equal(problem?.keyOf, "openai");
  });

  it("needs no key on a local server", async () => {
    assert.equal(await hasUsableModel(settingsFrom({ "arbor.model": "ollama/any" }), memoryKeys()), true);
  });
});

describe("model choices", () => {
  it("are the demo alone when nothing is set up", async () => {
    const choices = await listModelChoices({ settings: settingsFrom(), keys: memoryKeys() });
    assert.deepEqual(choices, [
      {
        id: "demo/demo",
        label: "Demo (offline, scripted)",
        isDemo: true,
        contextWindow: 32_000,
        hasPrice: false,
        thinkingLevels: ["off"],
        images: false,
      },
    ]);
  });

  it("hold the models of each provider with a key, and the chosen one first where no provider lists it", async () => {
    const settings = settingsFrom({ "arbor.model": "ollama/mine" });
    const ids = (await listModelChoices({ settings, keys: memoryKeys({ openai: "k" }) })).map((choice) => choice.id);
    assert.equal(ids[0], "ollama/mine");
    assert.ok(ids.includes("openai/gpt-6-luna"));
    assert.ok(!ids.some((id) => id.startsWith("anthropic/")));
    assert.equal(ids.at(-1), "demo/demo");
  });

  it("say what is known of a model, and nothing of what is not", () => {
    const { label: _, ...choice } = describeModel("anthropic/claude-opus-5-5", settingsFrom());
    assert.deepEqual(choice, {
      id: "anthropic/claude-opus-5-5",
      isDemo: false,
      provider: "Anthropic",
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      hasPrice: true,
      thinkingLevels: ["low", "medium", "high", "xhigh", "max"],
      images: true,
    });
    assert.deepEqual(describeModel("ollama/any", settingsFrom()), {
      id: "ollama/any",
      label: "any (Ollama)",
      isDemo: false,
      provider: "Ollama",
      hasPrice: false,
    });
  });

  it("take what the provider said before what the table says, and the user's entry before both", () => {
    const reported = () => [{ id: "claude-opus-5-5", contextWindow: 2_000_000, maxOutput: 1_000 }];
    const settings = settingsFrom({
      "arbor.providers": { anthropic: { models: [{ id: "claude-opus-5-5", maxOutput: 7, images: false }] } },
    });
    const choice = describeModel("anthropic/claude-opus-5-5", settings, reported);
    assert.equal(choice.contextWindow, 2_000_000);
    assert.equal(choice.maxOutput, 7);
    assert.equal(choice.images, false);
    assert.equal(choice.hasPrice, true, "of the table, which alone knows it");
  });

  it("hold favourites and recent ones, but of a long list only the user's own and the well-known", async () => {
    const many: ModelFacts[] = Array.from({ length: 400 }, (_, index) => ({ id: `vendor/model-${index}` }));
    const names = async (preferred: string[]) => {
      const sources = { settings: settingsFrom(), keys: memoryKeys({ openrouter: "k" }), preferred };
      const reported = ({ id }: { id: string }) => (id === "openrouter" ? many : undefined);
      return (await listModelChoices({ ...sources, reported })).map((choice) => choice.id);
    };
    assert.deepEqual(await names([]), ["demo/demo"]);
    const preferred = ["openrouter/vendor/model-7", "openai/gpt-6-luna"];
    assert.deepEqual(await names(preferred), ["openrouter/vendor/model-7", "demo/demo"], "no key, no offer");
  });

  it("hold a local server's models once it has listed them", async () => {
    const reported = ({ id }: { id: string }) => (id === "ollama" ? [{ id: "qwen3" }] : undefined);
    const choices = await listModelChoices({ settings: settingsFrom(), keys: memoryKeys(), reported });
    assert.deepEqual(
      choices.map((choice) => choice.id),
      ["ollama/qwen3", "demo/demo"],
    );
  });

  it("show a name that can't be resolved as it is", () => {
    assert.deepEqual(describeModel("gone/x", settingsFrom()), {
      id: "gone/x",
      label: "gone/x",
      isDemo: false,
      hasPrice: false,
    });
  });
});
