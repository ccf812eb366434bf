import assert from "node:assert/strict";
import type { RateLimiter } from "../../../src/agent/providers/shared/rateLimiter.ts";
import { textOf, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { Model, StreamFn } from "../../../src/agent/vocabulary/model.ts";
import { demoModel, demoStream } from "../../../src/extension/demo/demoModel.ts";
import { resolveModel } from "../../../src/extension/models/catalog.ts";
import { editorStream } from "../../../src/extension/models/editor/editorStream.ts";
import type { Credentials } from "../../../src/extension/models/keys.ts";
import { createStreamFn } from "../../../src/extension/models/modelStream.ts";
import { failedRequestProblem } from "../../../src/extension/models/problems.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { editorModel } from "../../support/scriptedEditorModel.ts";
import { memoryKeys, settingsFrom } from "../../support/settings.ts";

async function answer(stream: StreamFn, model: Model, onWarning?: (message: string) => void) {
  const request = { systemPrompt: "", messages: [userMessage("hi")], tools: [] };
  for await (const event of stream(model, request, {})) {
    if (event.type === "warning") onWarning?.(event.message);
    if (event.type === "done" || event.type === "error") return event.message;
  }
  throw new Error("The stream ended without an answer.");
}

describe("the stream of all models", () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
  });
  afterEach(() => provider.reset());
  after(() => provider.stop());

  function settingsWithFake(entry: object = {}) {
    return settingsFrom({
      "arbor.providers": {
        anthropic: { baseUrl: provider.url, ...entry },
        openai: { baseUrl: `${provider.url}/v1` },
        openrouter: { baseUrl: `${provider.url}/v1` },
        lab: { type: "openai-chat", baseUrl: `${provider.url}/v1` },
      },
    });
  }

  function ask(name: string, keys: Credentials, settings = settingsWithFake()) {
    const resolved = resolveModel(name, settings);
    assert.ok(resolved.ok);
    return answer(createStreamFn({ settings: () => settings, keys, demo: demoStream() }), resolved.model);
  }

  const wires: [string, string][] = [
    ["anthropic/claude-opus-5-5", "anthropic"],
    ["openai/gpt-6-luna", "responses"],
    ["openrouter/some/model", "chat"],
  ];
  for (const [name, wire] of wires) {
    it(`asks ${name} over its own wire with its own key`, async () => {
      await provider.script({ steps: [{ text: "Good day." }] });
      const keys = memoryKeys({ anthropic: "key-anthropic", openai: "key-openai", openrouter: "key-openrouter" });
      assert.equal(textOf(await ask(name, keys)), "Good day.");
      const [request] = await provider.requests();
      assert.equal(request?.wire, wire);
      // Which header has it is the SDK's choice.
      const sent = JSON.stringify(request?.headers).match(/key-\w+/g);
      assert.deepEqual([...new Set(sent)], [`key-${name.split("/")[0]}`]);
    });
  }

  it("asks a server of the user's own without a key", async () => {
    await provider.script({ steps: [{ text: "Local." }] });
    assert.equal(textOf(await ask("lab/any", memoryKeys())), "Local.");
  });

  it("takes a key that was set after the first request", async () => {
    const settings = settingsWithFake();
    const keys = memoryKeys();
    const stream = createStreamFn({ settings: () => settings, keys, demo: demoStream() });
    const model: Model = { id: "claude-opus-5-5", provider: "anthropic" };
    const refused = await answer(stream, model);
    assert.deepEqual(failedRequestProblem(refused), {
      text: "Anthropic needs an API key: set one, or try the demo model.",
      actions: ["setApiKey", "selectModel"],
    });
    assert.deepEqual(await provider.requests(), []);
    await keys.set("anthropic", "key-late");
    await provider.script({ steps: [{ text: "Now." }] });
    assert.equal(textOf(await answer(stream, model)), "Now.");
  });

  it("warns of what a provider refuses and a request goes without", async () => {
    await provider.script({ refuse: "stream_options" }, { steps: [{ text: "Yes." }] });
    const warnings: string[] = [];
    const settings = settingsWithFake();
    const stream = createStreamFn({ settings: () => settings, keys: memoryKeys(), demo: demoStream() });
    const message = await answer(stream, { id: "any", provider: "lab" }, (warning) => warnings.push(warning));
    assert.equal(textOf(message), "Yes.");
    assert.deepEqual(warnings, [
      "lab does not take stream_options for any, so it is left out (Unknown parameter: 'stream_options').",
    ]);
  });

  it("has what is cached last while the user may keep an agent waiting", async () => {
    await provider.script({ when: {}, reply: { steps: [{ text: "Yes." }] } });
    const settings = settingsWithFake();
    let waits = true;
    const keys = memoryKeys({ anthropic: "k" });
    const stream = createStreamFn({ settings: () => settings, keys, demo: demoStream(), mayWait: () => waits });
    const model: Model = { id: "claude-opus-5-5", provider: "anthropic" };
    await answer(stream, model);
    waits = false;
    await answer(stream, model);
    const lasting = (await provider.requests()).map(({ body }) => /"ttl":"1h"/.test(JSON.stringify(body)));
    assert.deepEqual(lasting, [true, false]);
  });

  it("goes to a new address as soon as the settings name one", async () => {
    let settings = settingsFrom({
      "arbor.providers": { lab: { type: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" } },
    });
    const stream = createStreamFn({ settings: () => settings, keys: memoryKeys(), demo: demoStream() });
    settings = settingsWithFake();
    await provider.script({ steps: [{ text: "Moved." }] });
    assert.equal(textOf(await answer(stream, { id: "any", provider: "lab" })), "Moved.");
  });

  it("offers another key when the provider rejects the one it got, without showing it", async () => {
    const body = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key key-wrong" } };
    await provider.script({ status: 401, body });
    const problem = failedRequestProblem(
      await ask("anthropic/claude-opus-5-5", memoryKeys({ anthropic: "key-wrong" })),
    );
    assert.equal(problem?.actions[0], "setApiKey");
    assert.doesNotMatch(problem?.text ?? "", /key-wrong/);
  });

  it("offers other models when the provider has none of that name", async () => {
    await provider.script({
      status: 404,
      body: { type: "error", error: { type: "not_found_error", message: "model: x" } },
    });
    const problem = failedRequestProblem(await ask("anthropic/x", memoryKeys({ anthropic: "k" })));
    assert.equal(problem?.actions[0], "selectModel");
  });

  it("names a provider that the settings do not know", async () => {
    const stream = createStreamFn({ settings: () => settingsFrom(), keys: memoryKeys(), demo: demoStream() });
    const problem = failedRequestProblem(await answer(stream, { id: "m", provider: "gone" }));
    assert.match(problem?.text ?? "", /no provider "gone"/);
    assert.equal(problem?.actions[0], "selectModel");
  });

  it("asks the editor for its models, whatever an entry of that name says", async () => {
    const settings = settingsFrom({ "arbor.providers": { vscode: { type: "openai", baseUrl: `${provider.url}/v1` } } });
    const keys = memoryKeys({ vscode: "key-canary" });
    const model = editorModel({ id: "m1" }, [{ parts: [{ type: "text", text: "From the editor." }] }]);
    const ofEditor = (limiter: RateLimiter) => editorStream({ listModels: async () => [model], limiter });
    const stream = createStreamFn({ settings: () => settings, keys, demo: demoStream(), editor: ofEditor });
    const message = await answer(stream, { id: "acme/m1", provider: "vscode" });
    assert.equal(textOf(message), "From the editor.");
    assert.deepEqual(await provider.requests(), []);
    assert.doesNotMatch(JSON.stringify(model.requests), /canary/);
  });

  it("says that a model of the editor is gone where there is no editor", async () => {
    const stream = createStreamFn({ settings: () => settingsFrom(), keys: memoryKeys(), demo: demoStream() });
    const problem = failedRequestProblem(await answer(stream, { id: "acme/m1", provider: "vscode" }));
    assert.match(problem?.text ?? "", /The editor offers no model acme\/m1/);
    assert.equal(problem?.actions[0], "selectModel");
  });

  it("has the demo without any key or request", async () => {
    const message = await ask("demo/demo", memoryKeys());
    assert.equal(message.stopReason, "stop");
    assert.equal(message.provider, demoModel.provider);
    assert.deepEqual(await provider.requests(), []);
  });
});
