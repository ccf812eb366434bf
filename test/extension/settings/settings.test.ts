import assert from "node:assert/strict";
import { modelSchema } from "../../../src/extension/models/providerSettings.ts";
import { describeSettingProblem, parseSettings } from "../../../src/extension/settings/settings.ts";
import { readSettings } from "../../support/manifest.ts";

describe("settings", () => {
  it("have their defaults where nothing is set", () => {
    assert.deepEqual(parseSettings({}), {
      settings: {
        model: "demo/demo",
        modelChosen: false,
        subAgentModel: "",
        providers: {},
        limits: { maxTurns: 500, maxCost: 0, maxDepth: 3, maxParallelAgents: 8 },
        ripgrepPath: "",
        editReview: "before",
        editActions: "codeLens",
        goesToNextEdit: true,
        formatsFiles: false,
        organizesImports: false,
        permissionMode: "ask",
        permissionRules: { allow: [], ask: [], deny: [] },
        commandSandbox: "auto",
        compactionThreshold: 0.8,
        sendsEditorState: true,
        languageModelTools: false,
        trace: { enabled: false, otlpEndpoint: "" },
        foreignAgents: {},
        isolatedFiles: { node_modules: "link" },
        mcp: { servers: {}, inputs: [] },
      },
      problems: [],
    });
  });

  it("take over every value that makes sense", () => {
    const { settings, problems } = parseSettings({
      "arbor.model": "openrouter/vendor/model:free",
      "arbor.subAgentModel": "ollama/small",
      "arbor.limits.maxTurns": 7,
      "arbor.limits.maxCost": 0.5,
      "arbor.limits.maxDepth": 0,
      "arbor.limits.maxParallelAgents": 1,
      "arbor.search.ripgrepPath": " /opt/rg ",
      "arbor.edits.review": "before",
      "arbor.edits.actions": "comment",
      "arbor.edits.goToNext": false,
    });
    assert.deepEqual(problems, []);
    assert.equal(settings.model, "openrouter/vendor/model:free");
    assert.equal(settings.modelChosen, true);
    assert.equal(settings.subAgentModel, "ollama/small");
    assert.deepEqual(settings.limits, { maxTurns: 7, maxCost: 0.5, maxDepth: 0, maxParallelAgents: 1 });
    assert.equal(settings.ripgrepPath, "/opt/rg");
  });

  it("leave out a permission rule that makes no sense, and keep those beside it", () => {
    const { settings, problems } = parseSettings({
      "arbor.permissions.deny": ["run_command(rm *)", "rm *", "run_command(/[/)", "run_command(/a*/)", "edit_file()"],
    });
    assert.deepEqual(settings.permissionRules.deny, ["run_command(rm *)"]);
    assert.deepEqual(
      problems.map(({ ignored }) => ignored),
      ["rm *", "run_command(/[/)", "run_command(/a*/)", "edit_file()"],
    );
  });

  const senseless: [string, unknown][] = [
    ["arbor.model", "just-a-name"],
    ["arbor.model", 4],
    ["arbor.subAgentModel", "x"],
    ["arbor.limits.maxTurns", 0],
    ["arbor.limits.maxTurns", "many"],
    ["arbor.limits.maxCost", -1],
    ["arbor.limits.maxDepth", 1.5],
    ["arbor.limits.maxParallelAgents", 1000],
    ["arbor.search.ripgrepPath", ["rg"]],
    ["arbor.edits.review", "never"],
    ["arbor.permissions.mode", "yolo"],
    ["arbor.commands.sandbox", "on"],
    ["arbor.providers", []],
    ["arbor.compaction.threshold", 80],
    ["arbor.trace.enabled", "yes"],
    ["arbor.trace.otlpEndpoint", "collector:4318"],
  ];
  for (const [key, value] of senseless) {
    it(`name ${key} when it is ${JSON.stringify(value)}, and use its default`, () => {
      const { settings, problems } = parseSettings({ [key]: value });
      assert.deepEqual(
        problems.map((problem) => problem.key),
        [key],
      );
      assert.match(
        describeSettingProblem(problems[0] ?? { key: "", message: "" }),
        new RegExp(key.replaceAll(".", "\\.")),
      );
      assert.deepEqual(settings, parseSettings({}).settings);
    });
  }

  it("take null for not set, as the settings editor writes it", () => {
    assert.deepEqual(parseSettings({ "arbor.limits.maxCost": null, "arbor.providers": null }), parseSettings({}));
  });
});

describe("provider settings", () => {
  it("keep the entries that make sense when others do not", () => {
    const { settings, problems } = parseSettings({
      "arbor.providers": {
        good: { type: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "m", contextWindow: 10 }] },
        bad: { type: "gopher" },
        openai: { apiKeyEnv: "MY_KEY" },
      },
    });
    assert.deepEqual(settings.providers, {
      good: { type: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "m", contextWindow: 10 }] },
      openai: { apiKeyEnv: "MY_KEY" },
    });
    assert.deepEqual(
      problems.map((problem) => problem.key),
      ["arbor.providers.bad.type"],
    );
  });

  const faults: [string, unknown, string][] = [
    ["no request at all", { maxParallel: 0 }, "arbor.providers.openai.maxParallel"],
    ["an address that is no URL", { baseUrl: "localhost:1234" }, "arbor.providers.openai.baseUrl"],
    ["an address of another scheme", { baseUrl: "file:///etc/passwd" }, "arbor.providers.openai.baseUrl"],
    ["a password in the address", { baseUrl: "https://me:secret@host/" }, "arbor.providers.openai.baseUrl"],
    ["a key where a variable's name belongs", { apiKeyEnv: "sk-1234" }, "arbor.providers.openai.apiKeyEnv"],
    [
      "a window of no size",
      { models: [{ id: "m", contextWindow: 0 }] },
      "arbor.providers.openai.models[0].contextWindow",
    ],
    ["half a price", { models: [{ id: "m", price: { input: 1 } }] }, "arbor.providers.openai.models[0].price.output"],
    [
      "a thinking level that nobody knows",
      { models: [{ id: "m", thinkingLevels: ["off", "huge"] }] },
      "arbor.providers.openai.models[0].thinkingLevels[1]",
    ],
    ["images by count", { models: [{ id: "m", images: 3 }] }, "arbor.providers.openai.models[0].images"],
    ["a model without id", { models: [{}] }, "arbor.providers.openai.models[0].id"],
    ["an entry for a key", { apiKey: "sk-1234" }, "arbor.providers.openai"],
  ];
  for (const [what, entry, key] of faults) {
    it(`refuse ${what}, naming the place`, () => {
      const { settings, problems } = parseSettings({ "arbor.providers": { openai: entry } });
      assert.deepEqual(
        problems.map((problem) => problem.key),
        [key],
      );
      assert.deepEqual(settings.providers, {});
    });
  }

  it("take what is known of a model, and are described so in the package", async () => {
    const models = [{ id: "m", thinkingLevels: ["off", "high"], images: true, tools: false, editTool: "apply_patch" }];
    const { settings, problems } = parseSettings({ "arbor.providers": { openai: { models } } });
    assert.deepEqual(problems, []);
    assert.deepEqual(settings.providers.openai?.models, models);
    const [, providers] = (await readSettings()).find(([key]) => key === "arbor.providers") ?? [];
    const described = providers?.additionalProperties?.properties?.models?.items?.properties;
    assert.deepEqual(Object.keys(described ?? {}).sort(), Object.keys(modelSchema.shape).sort());
  });

  it("never repeat a value that could be a secret", () => {
    const { problems } = parseSettings({
      "arbor.providers": { openai: { apiKey: "sk-canary", apiKeyEnv: "sk-canary", baseUrl: "https://a:sk-canary@h" } },
    });
    assert.equal(problems.length, 3);
    assert.doesNotMatch(JSON.stringify(problems), /canary/);
  });

  it("ask an unknown provider for its type", () => {
    const { problems } = parseSettings({ "arbor.providers": { mine: { baseUrl: "https://example.org" } } });
    assert.deepEqual(
      problems.map((problem) => problem.key),
      ["arbor.providers.mine.type"],
    );
  });
});
