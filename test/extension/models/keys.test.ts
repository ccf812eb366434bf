import assert from "node:assert/strict";
import { createKeys, type SecretStore } from "../../../src/extension/models/keys.ts";
import { type KeyPrompts, removeApiKey, setApiKey } from "../../../src/extension/models/setApiKey.ts";
import { memoryKeys, settingsFrom } from "../../support/settings.ts";

function fakeSecrets(): SecretStore & { entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (key) => entries.get(key),
    store: async (key, value) => {
      entries.set(key, value);
    },
    delete: async (key) => {
      entries.delete(key);
    },
  };
}

const silent: KeyPrompts = { pickProvider: async () => undefined, askKey: async () => undefined };

describe("keys", () => {
  it("stand in the secret storage under their provider's name", async () => {
    const secrets = fakeSecrets();
    const keys = createKeys(secrets, {});
    await keys.set("openai", " sk-1 ");
    assert.deepEqual([...secrets.entries], [["arbor.key.openai", "sk-1"]]);
    assert.equal(await keys.get({ id: "openai" }), "sk-1");
    await keys.remove("openai");
    assert.equal(await keys.get({ id: "openai" }), undefined);
  });

  it("come from the environment only where the user names a variable", async () => {
    const keys = createKeys(fakeSecrets(), { OPENAI_API_KEY: "sk-env", EMPTY: "" });
    assert.equal(await keys.get({ id: "openai" }), undefined);
    assert.equal(await keys.get({ id: "openai", apiKeyEnv: "OPENAI_API_KEY" }), "sk-env");
    assert.equal(await keys.get({ id: "openai", apiKeyEnv: "EMPTY" }), undefined);
  });
});

describe("setting an API key", () => {
  it("stores what a script hands over, without asking", async () => {
    const keys = memoryKeys();
    const outcome = await setApiKey(
      { provider: "openai", key: "sk-1" },
      { settings: settingsFrom(), keys, prompts: silent },
    );
    assert.equal(outcome.type, "stored");
    assert.equal(await keys.get({ id: "openai" }), "sk-1");
  });

  it("asks for provider and key when nothing is given", async () => {
    const keys = memoryKeys();
    const prompts: KeyPrompts = {
      pickProvider: async (providers) => providers.find((provider) => provider.id === "anthropic"),
      askKey: async (provider) => `key-of-${provider.id}`,
    };
    await setApiKey(undefined, { settings: settingsFrom(), keys, prompts });
    assert.equal(await keys.get({ id: "anthropic" }), "key-of-anthropic");
  });

  it("changes nothing when the user leaves", async () => {
    const keys = memoryKeys({ openai: "old" });
    const outcome = await setApiKey({ provider: "openai" }, { settings: settingsFrom(), keys, prompts: silent });
    assert.deepEqual(outcome, { type: "canceled" });
    assert.equal(await keys.get({ id: "openai" }), "old");
  });

  const refused: [string, unknown][] = [
    ["an unknown provider", { provider: "nobody", key: "sk-1" }],
    ["an empty key", { provider: "openai", key: "  " }],
    ["a key that no header could carry", { provider: "openai", key: "sk\n1" }],
    ["other arguments", "sk-1"],
  ];
  for (const [what, input] of refused) {
    it(`refuses ${what} in a sentence that does not repeat the key`, async () => {
      const outcome = await setApiKey(input, { settings: settingsFrom(), keys: memoryKeys(), prompts: silent });
      assert.equal(outcome.type, "refused");
      assert.doesNotMatch(JSON.stringify(outcome), /sk.*1/);
    });
  }

  it("is undone by removing the key", async () => {
    const keys = memoryKeys({ openai: "sk-1" });
    const outcome = await removeApiKey({ provider: "openai" }, { settings: settingsFrom(), keys, prompts: silent });
    assert.equal(outcome.type, "removed");
    assert.equal(await keys.get({ id: "openai" }), undefined);
  });
});
