import assert from "node:assert/strict";
import { createModelCommands } from "../../../src/extension/models/modelCommands.ts";
import { type JsonServer, startJsonServer } from "../../support/jsonServer.ts";
import { anthropicPage } from "../../support/modelFixtures.ts";
import { type SetUpOptions, setUpWorld } from "../../support/modelSetUp.ts";

describe("commands of keys and models", () => {
  let server: JsonServer;
  before(async () => {
    server = await startJsonServer();
  });
  beforeEach(() => {
    server.routes = { "/v1/models": anthropicPage };
    server.requests.length = 0;
  });
  after(() => server.stop());

  function commands(options: SetUpOptions = {}) {
    const settings = { "arbor.providers": { anthropic: { baseUrl: server.origin } }, ...options.settings };
    const world = setUpWorld({ ...options, settings });
    const mentioned: string[] = [];
    const subAgents = {
      ...world.role,
      mayInherit: true,
      current: () => "",
      save: async (model: string) => {
        world.raw["arbor.subAgentModel"] = model;
      },
    };
    const created = createModelCommands({
      ...{ context: world.context, roles: { main: world.role, subAgents } },
      onChange: () => {},
      mention: (text) => mentioned.push(text),
    });
    return { ...world, ...created, mentioned };
  }

  it("store a key that a script hands over without asking anybody", async () => {
    const { setApiKey, keys, prompts, mentioned } = commands();
    await setApiKey({ provider: "anthropic", key: "sk-1" });
    assert.equal(await keys.get({ id: "anthropic" }), "sk-1");
    assert.deepEqual([prompts.told, server.requests], [[], []]);
    assert.equal(mentioned.length, 1);
  });

  it("check a key only when the user wants it", async () => {
    const unchecked = commands({ script: ["Anthropic", "sk-1"] });
    await unchecked.setApiKey();
    await unchecked.settle();
    assert.deepEqual(server.requests, []);
    const checked = commands({ script: ["Anthropic", "sk-1", "Check Key"] });
    await checked.setApiKey();
    await checked.settle();
    assert.equal(server.requests.length, 1);
    assert.equal(checked.prompts.told.at(-1), "Anthropic accepts the key and lists 3 models.");
  });

  it("say what is wrong with a key that was checked, without showing it", async () => {
    server.routes = { "/v1/models": (response) => response.writeHead(401).end('{"error":"bad key sk-canary"}') };
    const { setApiKey, settle, prompts } = commands({ script: ["Anthropic", "sk-canary", "Check Key"] });
    await setApiKey();
    await settle();
    assert.match(prompts.told.at(-1) ?? "", /Anthropic rejected the API key/);
    assert.doesNotMatch(JSON.stringify(prompts), /canary/);
  });

  it("offer the model of before again when the demo has answered, unless there was none or another one was chosen", async () => {
    const settings = { "arbor.model": "anthropic/claude-plain" };
    const back = commands({ settings, script: ["Back to claude-plain (Anthropic)"] });
    const offer = await back.useDemo();
    assert.equal(back.raw["arbor.model"], "demo/demo");
    assert.deepEqual(back.prompts.told, []);
    await offer();
    assert.deepEqual(back.prompts.told, ["The demo answers your messages now."]);
    assert.equal(back.raw["arbor.model"], "anthropic/claude-plain");
    const dismissed = commands({ settings });
    await (await dismissed.useDemo())();
    assert.equal(dismissed.raw["arbor.model"], "demo/demo");
    const fresh = commands();
    await (await fresh.useDemo())();
    const other = commands({ settings });
    const offerOther = await other.useDemo();
    other.raw["arbor.model"] = "anthropic/claude-haiku-4-5";
    await offerOther();
    assert.deepEqual([fresh.prompts.told, other.prompts.told], [[], []]);
  });

  it("come back to the list of models after a key", async () => {
    const script = ["Set API key for Anthropic…", "sk-1", "Claude Plain"];
    const { selectModel, raw, prompts } = commands({ script });
    await selectModel();
    assert.equal(raw["arbor.model"], "anthropic/claude-plain");
    assert.equal(prompts.pickers.length, 2);
  });

  it("lead from nothing to a model", async () => {
    const { setUp, raw } = commands({ script: ["Anthropic", "sk-1", "Claude Opus 5.5"] });
    await setUp();
    assert.equal(raw["arbor.model"], "anthropic/claude-opus-5-5");
  });

  it("choose the model of sub-agents on its own, or none", async () => {
    const { selectSubAgentModel, raw } = commands({ settings: { "arbor.model": "demo/demo" } });
    await selectSubAgentModel("demo/demo");
    assert.equal(raw["arbor.subAgentModel"], "demo/demo");
    await selectSubAgentModel("");
    assert.equal(raw["arbor.subAgentModel"], "");
    assert.equal(raw["arbor.model"], "demo/demo");
  });

  it("say that the provider does not list a chosen model, and lead to others", async () => {
    const script = ["Select Model", "Claude Plain"];
    const { selectModel, settle, raw, prompts } = commands({ keys: { anthropic: "k" }, script });
    await selectModel("anthropic/claude-renamed");
    assert.equal(raw["arbor.model"], "anthropic/claude-renamed", "it is taken as it is, not mapped to another");
    await settle();
    assert.match(prompts.told[0] ?? "", /^Anthropic does not list a model claude-renamed\./);
    assert.equal(raw["arbor.model"], "anthropic/claude-plain");
  });

  it("say nothing of a model that is listed, by another name or by the user", async () => {
    const models = [{ id: "claude-mine" }];
    const settings = { "arbor.providers": { anthropic: { baseUrl: server.origin, models } } };
    const { selectModel, settle, prompts } = commands({ keys: { anthropic: "k" }, settings });
    for (const id of ["claude-haiku-4-5", "claude-plain", "claude-mine"]) await selectModel(`anthropic/${id}`);
    await settle();
    assert.deepEqual(prompts.told, []);
    server.routes = {};
    const offline = commands({ keys: { anthropic: "k" } });
    await offline.selectModel("anthropic/claude-any");
    await offline.settle();
    assert.deepEqual(offline.prompts.told, [], "nobody knows what there is");
  });

  it("refuse a model that can't be named, in words", async () => {
    await assert.rejects(commands().selectModel("nobody/x"), { name: "UserError", message: /no provider "nobody"/ });
    await assert.rejects(commands().removeApiKey({ provider: "openai" }), { name: "UserError" });
  });

  it("remove a key and say so", async () => {
    const { removeApiKey, keys, mentioned } = commands({ keys: { anthropic: "k" } });
    await removeApiKey({ provider: "anthropic" });
    assert.equal(await keys.get({ id: "anthropic" }), undefined);
    assert.match(mentioned[0] ?? "", /removed/);
  });
});
