import assert from "node:assert/strict";
import { findLocalModel } from "../../../../src/extension/models/setup/findLocal.ts";
import { providerOfKey } from "../../../../src/extension/models/setup/setApiKey.ts";
import { setUpModel } from "../../../../src/extension/models/setup/setUp.ts";
import { type JsonServer, startJsonServer } from "../../../support/jsonServer.ts";
import { anthropicPage, vllmList } from "../../../support/modelFixtures.ts";
import { type SetUpOptions, setUpWorld } from "../../../support/modelSetUp.ts";
import { editorModel } from "../../../support/scriptedEditorModel.ts";
import type { ScriptedPrompts } from "../../../support/scriptedPrompts.ts";

describe("setting up a model", () => {
  let server: JsonServer;
  beforeEach(async () => {
    server = await startJsonServer();
  });
  afterEach(() => server.stop());

  async function setUp(options: SetUpOptions) {
    const world = setUpWorld(options);
    return { ...world, model: await setUpModel(world.context) };
  }
  const atServer = (id: string, path = "") => ({ "arbor.providers": { [id]: { baseUrl: server.origin + path } } });

  it("offers every way to a model", async () => {
    const { prompts, model } = await setUp({});
    assert.deepEqual(prompts.offered, [
      [
        "Anthropic",
        "OpenAI",
        "OpenRouter",
        "Servers on this machine",
        "Models of the editor",
        "Another server",
        "Demo",
      ],
    ]);
    assert.equal(model, undefined);
  });

  it("takes a key, lists what it opens, and ends with a model of that", async () => {
    server.routes = { "/v1/models": anthropicPage };
    const script = ["Anthropic", " 'sk-1' ", "Claude Haiku 4.5"];
    const { model, keys, prompts } = await setUp({ settings: atServer("anthropic"), script });
    assert.equal(model, "anthropic/claude-haiku-4-5-20251001");
    assert.equal(await keys.get({ id: "anthropic" }), "sk-1");
    assert.match(prompts.asked[0] ?? "", /secret storage/);
    assert.deepEqual(prompts.offered[1], ["Claude Opus 5.5", "Claude Haiku 4.5", "Claude Plain", "Enter a model ID…"]);
  });

  it("asks again, saying why, when the provider rejects the key", async () => {
    server.routes = {
      "/v1/models": (response, { headers }) => {
        const isGood = headers["x-api-key"] === "sk-good";
        response.writeHead(isGood ? 200 : 401).end(JSON.stringify(anthropicPage));
      },
    };
    const script = ["Anthropic", "sk-bad", "sk-good", "Claude Plain"];
    const { model, keys, prompts } = await setUp({ settings: atServer("anthropic"), script });
    assert.equal(model, "anthropic/claude-plain");
    assert.match(prompts.asked[1] ?? "", /Anthropic rejected the API key/);
    assert.equal(await keys.get({ id: "anthropic" }), "sk-good");
  });

  it("stores no key that the provider rejects, and none that could not be tried unless the user wants it", async () => {
    server.routes = { "/v1/models": (response) => response.writeHead(401).end("{}") };
    for (const script of [["Anthropic", "sk-bad"], ["sk-ant-api03-0123456789abcdef"]]) {
      const { model, keys } = await setUp({ settings: atServer("anthropic"), script });
      assert.deepEqual([model, await keys.get({ id: "anthropic" })], [undefined, undefined]);
    }
    const settings = { "arbor.providers": { anthropic: { baseUrl: "http://127.0.0.1:1" } } };
    const left = await setUp({ settings, script: ["Anthropic", "sk-1"] });
    assert.match(left.prompts.told[0] ?? "", /^Could not reach Anthropic/);
    assert.equal(await left.keys.get({ id: "anthropic" }), undefined);
    const stored = await setUp({ settings, script: ["Anthropic", "sk-1", "Store anyway", "Claude Opus 5.5"] });
    assert.equal(await stored.keys.get({ id: "anthropic" }), "sk-1");
  });

  it("leads to the pages where keys are made, and not for a server of the user's own", async () => {
    const pages = ["console.anthropic.com", "platform.openai.com", "openrouter.ai"];
    const hosts = ({ prompts }: { prompts: ScriptedPrompts }) => prompts.pages.map((url) => new URL(url).host);
    assert.deepEqual(hosts(await setUp({ script: ["OpenAI"] })), [...pages, "platform.openai.com"]);
    assert.deepEqual(hosts(await setUp({ settings: atServer("openai"), script: ["OpenAI"] })), [
      "console.anthropic.com",
      "openrouter.ai",
    ]);
  });

  it("takes a pasted key for the provider that gives out such, and the model that is recommended there", async () => {
    server.routes = { "/v1/models": anthropicPage };
    const key = "sk-ant-api03-0123456789abcdef";
    const { model, keys, prompts } = await setUp({ settings: atServer("anthropic"), script: [` "${key}"\n`] });
    assert.equal(model, "anthropic/claude-opus-5-5");
    assert.equal(await keys.get({ id: "anthropic" }), key);
    assert.deepEqual([prompts.asked, prompts.offered.length], [[], 1]);
  });

  it("needs one pasted key and nothing else for OpenRouter, which serves the well-known models of others", async () => {
    const model = (id: string, parameters = ["tools"]) => ({
      ...{ id, name: id, context_length: 100_000, supported_parameters: parameters },
      pricing: { prompt: "0.000001", completion: "0.000002" },
    });
    const ids = ["acme/new-1", "openai/gpt-6-astra", "anthropic/claude-sonnet-5.5", "anthropic/claude-haiku-5.5:free"];
    const listed = [model("anthropic/claude-opus-5.5", []), ...ids.map((id) => model(id))];
    server.routes = { "/v1/models": { data: listed } };
    const key = "sk-or-v1-0123456789abcdef0123";
    const set = await setUp({ settings: atServer("openrouter", "/v1"), script: [key] });
    assert.equal(set.model, "openrouter/anthropic/claude-sonnet-5.5");
    assert.deepEqual([await set.keys.get({ id: "openrouter" }), set.prompts.asked], [key, []]);
    assert.equal(set.prompts.offered.length, 1);
  });

  it("asks for another key where a pasted one is rejected, and for a model where none is known", async () => {
    server.routes = { "/v1/models": (response) => response.writeHead(401).end("{}") };
    const pasted = "sk-ant-api03-0123456789abcdef";
    const rejected = await setUp({ settings: atServer("anthropic"), script: [pasted] });
    assert.match(rejected.prompts.asked[0] ?? "", /Anthropic rejected the API key/);
    server.routes = { "/v1/models": vllmList };
    const script = ["sk-or-v1-0123456789abcdef0123", "Qwen/Qwen3-32B"];
    assert.equal((await setUp({ settings: atServer("openrouter", "/v1"), script })).model, "openrouter/Qwen/Qwen3-32B");
  });

  it("asks OpenRouter of a key itself, as its list is open to all, and lists where only that is not known", async () => {
    const script = ["sk-or-v1-0123456789abcdef0123", "Qwen/Qwen3-32B"];
    const paste = () => setUp({ settings: atServer("openrouter", "/v1"), script });
    server.routes = { "/v1/models": vllmList, "/v1/key": (response) => response.writeHead(401).end("{}") };
    const rejected = await paste();
    assert.match(rejected.prompts.asked[0] ?? "", /OpenRouter rejected the API key/);
    assert.deepEqual([rejected.model, await rejected.keys.get({ id: "openrouter" })], [undefined, undefined]);
    for (const status of [404, 500]) {
      server.routes["/v1/key"] = (response) => response.writeHead(status).end("{}");
      const accepted = await paste();
      assert.equal(accepted.model, "openrouter/Qwen/Qwen3-32B");
      assert.equal(await accepted.keys.get({ id: "openrouter" }), script[0]);
    }
  });

  it("takes what is no key for words to search by", () => {
    assert.equal(providerOfKey("sk-proj-0123456789abcdef"), "openai");
    assert.equal(providerOfKey("sk-or-v1-0123456789abcdef"), "openrouter");
    assert.equal(providerOfKey("sk-0123456789T3BlbkFJ0123456789"), "openai");
    assert.equal(providerOfKey("sk-0123456789abcdef0123456789abcdef"), undefined, "of another provider");
    for (const text of ["sk-ant-short", "Servers on this machine", "sk-ant-api03-0123456789 abcdef", ""])
      assert.equal(providerOfKey(text), undefined, text);
  });

  it("offers the well-known models where nothing can be listed", async () => {
    const script = ["Anthropic", "sk-1", "Claude Opus 5.5"];
    assert.equal((await setUp({ settings: atServer("anthropic"), script })).model, "anthropic/claude-opus-5-5");
  });

  it("asks for no key that it has", async () => {
    server.routes = { "/v1/models": anthropicPage };
    const options = {
      settings: atServer("anthropic"),
      keys: { anthropic: "k" },
      script: ["Anthropic", "Claude Plain"],
    };
    const { model, prompts } = await setUp(options);
    assert.equal(model, "anthropic/claude-plain");
    assert.deepEqual(prompts.asked, []);
  });

  it("describes another server in the user's settings, and takes a model by name where it lists none", async () => {
    const baseUrl = `${server.origin}/v1`;
    const script = ["Another server", "lab", "Chat Completions", baseUrl, "", "vendor/model:1"];
    const { model, raw, keys } = await setUp({ script, keys: { lab: "of another server" } });
    assert.equal(model, "lab/vendor/model:1");
    assert.deepEqual(raw["arbor.providers"], { lab: { type: "openai-chat", baseUrl } });
    assert.equal(await keys.get({ id: "lab" }), undefined, "an old key never goes to a new address");
    assert.equal(server.requests[0]?.headers.authorization, undefined);
  });

  it("writes another server down once it has not rejected the key, or could be reached, unless the user wants it", async () => {
    server.routes = {
      "/v1/models": (response, { headers }) =>
        response.writeHead(headers.authorization === "Bearer good" ? 200 : 401).end(JSON.stringify(vllmList)),
    };
    const script = (baseUrl: string, ...answers: string[]) => [
      "Another server",
      "lab",
      "Chat Completions",
      baseUrl,
      ...answers,
    ];
    const here = `${server.origin}/v1`;
    const left = await setUp({ script: script(here, "bad") });
    assert.match(left.prompts.asked.at(-1) ?? "", /lab rejected the API key/);
    assert.deepEqual([left.raw["arbor.providers"], await left.keys.get({ id: "lab" })], [undefined, undefined]);
    const accepted = await setUp({ script: script(here, "bad", "good", "Qwen/Qwen3-32B") });
    assert.equal(accepted.model, "lab/Qwen/Qwen3-32B");
    assert.equal(await accepted.keys.get({ id: "lab" }), "good");
    const nowhere = "http://127.0.0.1:1/v1";
    const unreached = await setUp({ script: script(nowhere, "") });
    assert.match(unreached.prompts.told[0] ?? "", /^Could not reach lab/);
    assert.equal(unreached.raw["arbor.providers"], undefined);
    const anyway = await setUp({ script: script(nowhere, "", "Store anyway", "some/model") });
    assert.equal(anyway.model, "lab/some/model");
  });

  it("refuses a name that is taken and an address that is none, in words", async () => {
    const script = (name: string, address: string) => ["Another server", name, "Responses", address];
    await assert.rejects(setUp({ script: script("openai", "") }), /There is a provider "openai" already/);
    await assert.rejects(setUp({ script: script("my lab", "") }), /letters, digits/);
    await assert.rejects(
      setUp({ script: script("lab", "localhost:80") }),
      /The address has to be an http or https URL\./,
    );
    await assert.rejects(setUp({ script: script("lab", "https://me:secret@host") }), /can't carry a user name/);
  });

  it("chooses among the models that the editor has", async () => {
    const editorModels = [editorModel({ vendor: "copilot", id: "gpt-5", name: "GPT-5" })];
    const { model } = await setUp({ editorModels, script: ["Models of the editor", "GPT-5 (copilot)"] });
    assert.equal(model, "vscode/copilot/gpt-5");
  });

  it("says where models of the editor come from when there are none, and leads back", async () => {
    const { model, prompts } = await setUp({ script: ["Models of the editor", "Back", "Demo"] });
    assert.match(prompts.told[0] ?? "", /Install an extension/);
    assert.equal(model, "demo/demo");
  });
});

describe("finding local models", () => {
  let server: JsonServer;
  let silent: string;
  before(async () => {
    const gone = await startJsonServer();
    await gone.stop();
    silent = gone.origin;
    server = await startJsonServer({ "/v1/models": vllmList });
  });
  after(() => server.stop());

  /** The known servers at other ports, so that what really runs on this machine is left alone. */
  function places(found: Record<string, string>) {
    const ids = ["ollama", "lmstudio", "llamacpp", "vllm"];
    return { "arbor.providers": Object.fromEntries(ids.map((id) => [id, { baseUrl: `${found[id] ?? silent}/v1` }])) };
  }

  it("lists what the servers on this machine have, and chooses one", async () => {
    const settings = places({ vllm: server.origin });
    const { context, prompts } = setUpWorld({ settings, script: ["Qwen/Qwen3-32B"] });
    assert.equal(await findLocalModel(context), "vllm/Qwen/Qwen3-32B");
    assert.deepEqual(prompts.offered, [["Qwen/Qwen3-32B"]]);
    assert.deepEqual(context.reported({ id: "vllm", wire: "openai-chat", baseUrl: `${server.origin}/v1` }), [
      { id: "Qwen/Qwen3-32B", contextWindow: 40_960 },
    ]);
  });

  it("says where it looked when no server answers, and looks again", async () => {
    const { context, prompts } = setUpWorld({ settings: places({}), script: ["Try Again"] });
    assert.equal(await findLocalModel(context), undefined);
    assert.equal(prompts.told.length, 2);
    assert.match(prompts.told[0] ?? "", /^No model server answered.*Ollama \(127\.0\.0\.1:\d+\).*vLLM.*Start one/);
  });

  it("distinguishes a server without models from none", async () => {
    const empty = await startJsonServer({ "/api/tags": { models: [] }, "/api/ps": { models: [] } });
    const { context, prompts } = setUpWorld({ settings: places({ ollama: empty.origin }) });
    assert.equal(await findLocalModel(context), undefined);
    assert.match(prompts.told[0] ?? "", /^Ollama answered, but has no models yet/);
    await empty.stop();
  });

  it("never asks a server elsewhere", async () => {
    const asked: string[] = [];
    const world = setUpWorld({ settings: places({}) });
    world.raw["arbor.providers"] = {
      ...(world.raw["arbor.providers"] ?? {}),
      far: { type: "openai-chat", baseUrl: "https://far.test/v1" },
    };
    const refresh: typeof world.context.lists.refresh = async ({ id }) => {
      asked.push(id);
      return { ok: false, fault: { type: "aborted" } };
    };
    await findLocalModel({ ...world.context, lists: { ...world.context.lists, refresh } });
    assert.deepEqual(asked, ["ollama", "lmstudio", "llamacpp", "vllm"]);
  });
});
