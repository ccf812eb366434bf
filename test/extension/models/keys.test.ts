import assert from "node:assert/strict";
import { createKeys, type SecretStore } from "../../../src/extension/models/keys.ts";
import { cleanKey, findKeyFault, removeApiKey, setApiKey } from "../../../src/extension/models/setup/setApiKey.ts";
import { scriptedPrompts } from "../../support/scriptedPrompts.ts";
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
    keys: async () => [...entries.keys()],
  };
}

describe("keys", () => {
  it("are in the secret storage under their provider's name", async () => {
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
      { settings: settingsFrom(), keys, prompts: scriptedPrompts() },
    );
    assert.equal(outcome.type, "stored");
    assert.equal(await keys.get({ id: "openai" }), "sk-1");
  });

  it("asks for provider and key when nothing is given", async () => {
    const keys = memoryKeys();
    const prompts = scriptedPrompts("Anthropic", "key-of-anthropic");
    await setApiKey(undefined, { settings: settingsFrom(), keys, prompts });
    assert.equal(await keys.get({ id: "anthropic" }), "key-of-anthropic");
  });

  it("takes a key that is pasted into the list of providers for the one that gives out such keys", async () => {
    const keys = memoryKeys();
    const prompts = scriptedPrompts(" sk-ant-api03-0123456789abcdef \n");
    const outcome = await setApiKey(undefined, { settings: settingsFrom(), keys, prompts });
    assert.ok(outcome.type === "stored" && outcome.wasAsked && outcome.provider?.id === "anthropic");
    assert.equal(await keys.get({ id: "anthropic" }), "sk-ant-api03-0123456789abcdef");
    assert.deepEqual(prompts.asked, []);
  });

  it("changes nothing when the user leaves", async () => {
    const keys = memoryKeys({ openai: "old" });
    const outcome = await setApiKey(
      { provider: "openai" },
      { settings: settingsFrom(), keys, prompts: scriptedPrompts() },
    );
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
      const outcome = await setApiKey(input, {
        settings: settingsFrom(),
        keys: memoryKeys(),
        prompts: scriptedPrompts(),
      });
      assert.equal(outcome.type, "refused");
      assert.doesNotMatch(JSON.stringify(outcome), /sk.*1/);
    });
  }

  const pasted: [string, string][] = [
    ["  sk-1\n", "blanks and line ends"],
    ['"sk-1"', "quotes"],
    ["'sk-1' ", "other quotes"],
    ["`sk-1`", "ticks"],
    ["Bearer sk-1", "the word that a header begins with"],
  ];
  for (const [text, what] of pasted) {
    it(`takes a key out of the ${what} around it`, async () => {
      assert.equal(cleanKey(text), "sk-1");
      assert.equal(findKeyFault(text), undefined);
      const keys = memoryKeys();
      await setApiKey(
        { provider: "openai", key: text },
        { settings: settingsFrom(), keys, prompts: scriptedPrompts() },
      );
      assert.equal(await keys.get({ id: "openai" }), "sk-1");
    });
  }

  it("says what is wrong with a key that was cut by a line break", () => {
    assert.match(findKeyFault("sk-1\nsk-2") ?? "", /line breaks: copy it again/);
    assert.match(findKeyFault('""') ?? "", /empty/);
    assert.match(findKeyFault("schlüssel") ?? "", /special characters/);
  });

  it("offers no key for models of the editor, which need none", async () => {
    const dependencies = { settings: settingsFrom(), keys: memoryKeys(), prompts: scriptedPrompts() };
    assert.equal((await setApiKey({ provider: "vscode", key: "k" }, dependencies)).type, "refused");
  });
});

describe("removing an API key", () => {
  it("removes the one that is named", async () => {
    const keys = memoryKeys({ openai: "sk-1" });
    const outcome = await removeApiKey(
      { provider: "openai" },
      { settings: settingsFrom(), keys, prompts: scriptedPrompts() },
    );
    assert.deepEqual(outcome, { type: "removed", providerId: "openai" });
    assert.equal(await keys.get({ id: "openai" }), undefined);
  });

  it("lists what is stored, also for a provider that the settings no longer know", async () => {
    const secrets = fakeSecrets();
    const keys = createKeys(secrets, {});
    await keys.set("gone", "sk-1");
    await keys.set("openai", "sk-2");
    await secrets.store("other.secret", "x");
    const prompts = scriptedPrompts("gone");
    const outcome = await removeApiKey(undefined, { settings: settingsFrom(), keys, prompts });
    assert.deepEqual(prompts.offered, [["OpenAI", "gone"]]);
    assert.deepEqual(outcome, { type: "removed", providerId: "gone" });
    assert.deepEqual([...secrets.entries.keys()], ["arbor.key.openai", "other.secret"]);
  });

  it("says so when there is none", async () => {
    const dependencies = { settings: settingsFrom(), keys: memoryKeys({ openai: "k" }), prompts: scriptedPrompts() };
    const named = await removeApiKey({ provider: "anthropic" }, dependencies);
    assert.ok(named.type === "refused");
    assert.match(named.text, /No key is stored for "anthropic".*openai/);
    const none = await removeApiKey(undefined, { ...dependencies, keys: memoryKeys() });
    assert.ok(none.type === "refused");
    assert.match(none.text, /No API key is stored/);
  });
});
