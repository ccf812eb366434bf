import assert from "node:assert/strict";
import { demoStream } from "../../../src/extension/demo/demoModel.ts";
import { listModels } from "../../../src/extension/models/catalog/listModels.ts";
import { findModelProblem, resolveModel } from "../../../src/extension/models/catalog.ts";
import { referenceTo, resolveHeaders } from "../../../src/extension/models/headers.ts";
import { createStreamFn } from "../../../src/extension/models/modelStream.ts";
import { failedRequestProblem } from "../../../src/extension/models/problems.ts";
import { parseProviders } from "../../../src/extension/models/providerSettings.ts";
import { removeApiKey, setApiKey } from "../../../src/extension/models/setup/setApiKey.ts";
import { effectiveValue } from "../../../src/extension/settings/settings.ts";
import { hear } from "../../agent/providers/support.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { scriptedPrompts } from "../../support/scriptedPrompts.ts";
import { memoryKeys, settingsFrom } from "../../support/settings.ts";

const token = referenceTo("secret", "GATEWAY_TOKEN");
const team = referenceTo("env", "TEAM");

describe("headers of a provider", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  const settingsWith = (headers: Record<string, string>, entry: object = {}) =>
    settingsFrom({
      "arbor.providers": {
        gate: { type: "anthropic", baseUrl: server.url, headers, ...entry },
        other: { type: "openai-chat", baseUrl: `${server.url}/v1` },
      },
    });
  async function ask(name: string, settings: ReturnType<typeof settingsFrom>, keys = memoryKeys()) {
    const resolved = resolveModel(name, settings);
    assert.ok(resolved.ok);
    const stream = createStreamFn({ settings: () => settings, keys, demo: demoStream() });
    return hear(stream, undefined, {}, resolved.model);
  }

  it("go with each request to it, with the values that they refer to, and to no other", async () => {
    await server.script({ when: {}, reply: { steps: [{ text: "Yes." }] } });
    const settings = settingsWith({ "X-Team": "blue", Authorization: `Bearer ${token}` });
    const keys = memoryKeys({ "secret:GATEWAY_TOKEN": "t-0$&k" });
    assert.equal((await ask("gate/m", settings, keys)).terminal, "done");
    assert.equal((await ask("other/m", settings, keys)).terminal, "done");
    const [gate, other] = await server.requests();
    assert.equal(gate?.headers["x-team"], "blue");
    assert.equal(gate?.headers.authorization, "Bearer t-0$&k");
    assert.equal(gate?.headers["x-api-key"], undefined);
    assert.doesNotMatch(JSON.stringify(other?.headers), /blue|t-0/);
  });

  it("are read again for each request", async () => {
    await server.script({ when: {}, reply: { steps: [{ text: "Yes." }] } });
    const keys = memoryKeys({ "secret:GATEWAY_TOKEN": "first" });
    const settings = settingsWith({ "x-token": token });
    const stream = createStreamFn({ settings: () => settings, keys, demo: demoStream() });
    const asked = { id: "m", provider: "gate" };
    await hear(stream, undefined, {}, asked);
    await keys.set("secret:GATEWAY_TOKEN", "second");
    await hear(stream, undefined, {}, asked);
    assert.deepEqual(
      (await server.requests()).map(({ headers }) => headers["x-token"]),
      ["first", "second"],
    );
  });

  it("that refer to nothing keep the request from being sent, and say what to set", async () => {
    const { message } = await ask("gate/m", settingsWith({ "x-token": token }));
    assert.deepEqual(failedRequestProblem(message), {
      text: `gate needs the header x-token, and ${token} is not set.`,
      actions: ["setApiKey", "selectModel"],
    });
    assert.equal((await server.requests()).length, 0);
  });

  it("take variables of the environment that are not empty", async () => {
    const sources = { environment: { TEAM: " red ", EMPTY: "" }, secret: async () => undefined };
    assert.deepEqual(await resolveHeaders({ a: `${team}/${team}` }, sources), { ok: true, headers: { a: "red/red" } });
    const empty = referenceTo("env", "EMPTY");
    assert.deepEqual(await resolveHeaders({ a: empty }, sources), { ok: false, header: "a", reference: empty });
  });

  it("that say who asks do instead of a key", async () => {
    const entry = { anthropic: { headers: { authorization: "Bearer x" } } };
    const settings = settingsFrom({ "arbor.providers": entry });
    assert.equal(await findModelProblem("anthropic/claude-opus-5-5", settings, memoryKeys()), undefined);
    const without = settingsFrom({ "arbor.providers": { anthropic: { headers: { "x-team": "blue" } } } });
    assert.notEqual(await findModelProblem("anthropic/claude-opus-5-5", without, memoryKeys()), undefined);
  });

  it("go with the question for its models, and win however they are written", async () => {
    const seen: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      seen.push(new Headers(init?.headers));
      return Response.json({ data: [] });
    };
    const provider = { id: "gate", wire: "anthropic", baseUrl: "http://gate.test" } as const;
    const { signal } = new AbortController();
    await listModels({ provider, apiKey: "k", headers: { "X-Api-Key": "mine", "x-team": "blue" }, signal, fetch });
    assert.equal(seen[0]?.get("x-api-key"), "mine");
    assert.equal(seen[0]?.get("x-team"), "blue");
  });

  it("are not shown when a server repeats them", async () => {
    const secret = "0123456789abcdefghij-long-enough";
    const error = { type: "authentication_error", message: `Who is ${secret}?` };
    await server.script({ status: 401, body: { type: "error", error } });
    const keys = memoryKeys({ "secret:GATEWAY_TOKEN": secret });
    const { message } = await ask("gate/m", settingsWith({ "x-team": token }), keys);
    assert.doesNotMatch(message.errorMessage ?? "", /0123456789/);
  });

  it("have names and values that a request can carry", () => {
    const faults: [Record<string, unknown>, RegExp][] = [
      [{ "bad name": "x" }, /\.headers\.bad name is not the name of a header$/],
      [{ Host: "x" }, /\.headers\.Host is set by Arbor itself$/],
      [{ "x-a": "one\ntwo" }, /\.headers\.x-a has line breaks or special characters$/],
      [{ "x-a": referenceTo("env", "A").replace("env", "file") }, /\.headers\.x-a refers to something else than/],
      [{ "x-a": 7 }, /\.headers\.x-a has to be a text$/],
    ];
    for (const [headers, says] of faults) {
      const { problems } = parseProviders({ gate: { type: "anthropic", headers } });
      assert.deepEqual(
        problems.map(({ key, message }) => says.test(`${key} ${message}`)),
        [true],
        JSON.stringify(problems),
      );
    }
  });

  it("count in the user's settings alone", () => {
    const entry = (team: string) => ({ openai: { headers: { "x-team": team } } });
    const values = { user: entry("mine"), workspace: entry("theirs") };
    const settings = settingsFrom({ "arbor.providers": effectiveValue("arbor.providers", values) });
    assert.deepEqual(settings.providers.openai?.headers, { "x-team": "mine" });
  });

  it("have their secrets stored and removed by the commands for keys", async () => {
    const keys = memoryKeys();
    const settings = settingsWith({ "x-token": token });
    const stored = await setApiKey(undefined, { settings, keys, prompts: scriptedPrompts(token, "t-1") });
    assert.deepEqual(stored, { type: "stored", label: token, wasAsked: true });
    assert.deepEqual(await keys.headers({ headers: { a: token } }), { ok: true, headers: { a: "t-1" } });
    const provider = "secret:GATEWAY_TOKEN";
    const removed = await removeApiKey({ provider }, { settings, keys, prompts: scriptedPrompts() });
    assert.equal(removed.type, "removed");
    assert.equal((await keys.headers({ headers: { a: token } })).ok, false);
    const refused = await setApiKey(
      { provider: "secret:OTHER", key: "x" },
      { settings, keys, prompts: scriptedPrompts() },
    );
    assert.equal(refused.type, "refused");
  });
});
