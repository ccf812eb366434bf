import assert from "node:assert/strict";
import { ModelLists } from "../../../../src/extension/models/catalog/modelLists.ts";
import { findProvider, type Provider } from "../../../../src/extension/models/providers.ts";
import { type JsonServer, startJsonServer } from "../../../support/jsonServer.ts";
import { memoryStorage } from "../../../support/modelSetUp.ts";
import { memoryKeys, settingsFrom } from "../../../support/settings.ts";

const hour = 3_600_000;

describe("what providers said of their models", () => {
  let server: JsonServer;
  let storage: ReturnType<typeof memoryStorage>;
  let changes: number;
  let now: number;
  beforeEach(async () => {
    server = await startJsonServer({ "/v1/models": { data: [{ id: "one", context_length: 100 }] } });
    storage = memoryStorage();
    changes = 0;
    now = 1_000_000;
  });
  afterEach(() => server.stop());

  const settings = () =>
    settingsFrom({
      "arbor.providers": {
        lab: { type: "openai-chat", baseUrl: `${server.origin}/v1` },
        far: { type: "openai-chat", baseUrl: "https://far.test/v1" },
      },
    });
  function provider(id = "lab"): Provider {
    const found = findProvider(id, settings());
    assert.ok(found);
    return found;
  }
  const lists = (keys = memoryKeys()) => {
    const onChange = () => {
      changes += 1;
    };
    return new ModelLists({ storage, keys, now: () => now, onChange });
  };
  const never = new AbortController().signal;

  it("is nothing, and no one is asked, until somebody wants to know", () => {
    assert.equal(lists().reported(provider()), undefined);
    assert.equal(lists().isStale(provider()), true);
    assert.deepEqual(server.requests, []);
  });

  it("is kept with its date for the next start, without a network", async () => {
    await lists().refresh(provider(), never);
    await server.stop();
    const later = lists();
    assert.deepEqual(later.reported(provider()), [{ id: "one", contextWindow: 100 }]);
    assert.equal(later.listedAt(provider()), 1_000_000);
    assert.equal(changes, 1);
  });

  it("remains when the provider can't be reached any more, or answers with garbage", async () => {
    const known = lists();
    await known.refresh(provider(), never);
    for (const answer of ["<html>", "null", '{"data":[4]}']) {
      server.routes = { "/v1/models": (response) => response.end(answer) };
      assert.equal((await known.refresh(provider(), never)).ok, false);
    }
    assert.deepEqual(known.reported(provider()), [{ id: "one", contextWindow: 100 }]);
    assert.equal(changes, 1);
  });

  it("belongs to one address: another server of that name has said nothing yet", async () => {
    const known = lists();
    await known.refresh(provider(), never);
    assert.equal(known.reported({ ...provider(), baseUrl: "http://127.0.0.1:9/v1" }), undefined);
  });

  it("is asked for again when it is old, and of this machine sooner", async () => {
    const known = lists();
    await known.refresh(provider(), never);
    now += 30_000;
    await known.refreshStale([provider()]);
    assert.equal(server.requests.length, 1);
    now += hour;
    await known.refreshStale([provider()]);
    assert.equal(server.requests.length, 2);
    storage.entries.set('arbor.models.["far","openai-chat","https://far.test/v1"]', {
      at: now - 23 * hour,
      models: [],
    });
    assert.equal(lists().isStale(provider("far")), false);
    now += 2 * hour;
    assert.equal(lists().isStale(provider("far")), true);
  });

  it("is asked for once by all who want it at the same time", async () => {
    const known = lists();
    await Promise.all([known.refreshStale([provider()]), known.refreshStale([provider()])]);
    assert.equal(server.requests.length, 1);
  });

  it("is not asked for without the key that it takes", async () => {
    const openai = findProvider("openai", settings());
    assert.ok(openai);
    assert.deepEqual(await lists().refresh(openai, never), { ok: false, fault: { type: "noKey" } });
  });

  it("never keeps the key", async () => {
    await lists(memoryKeys({ lab: "sk-canary" })).refresh(provider(), never);
    assert.equal(server.requests[0]?.headers.authorization, "Bearer sk-canary");
    assert.doesNotMatch(JSON.stringify([...storage.entries]), /canary/);
  });

  it("is nothing when what was kept makes no sense", async () => {
    await lists().refresh(provider(), never);
    for (const broken of [null, 4, { at: "x" }, { at: 1, models: [{ id: "m", contextWindow: -1 }] }]) {
      for (const key of storage.entries.keys()) storage.entries.set(key, broken);
      assert.equal(lists().reported(provider()), undefined);
    }
  });

  it("is forgotten together with what was stored", async () => {
    const known = lists();
    await known.refresh(provider(), never);
    storage.entries.clear();
    known.forget();
    assert.equal(known.reported(provider()), undefined);
    assert.equal(changes, 2);
  });

  it("ends its requests with its owner", async () => {
    const known = lists();
    server.routes = { "/v1/models": () => known.dispose() };
    assert.deepEqual(await known.refresh(provider(), never), { ok: false, fault: { type: "aborted" } });
  });
});
