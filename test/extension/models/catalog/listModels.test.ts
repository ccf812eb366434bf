import assert from "node:assert/strict";
import { type ListRequest, listModels } from "../../../../src/extension/models/catalog/listModels.ts";
import { type JsonServer, type Route, startJsonServer } from "../../../support/jsonServer.ts";
import {
  anthropicPage,
  llama,
  ollama,
  openaiList,
  openrouterList,
  studioList,
} from "../../../support/modelFixtures.ts";

describe("listing a provider's models", () => {
  let server: JsonServer;
  beforeEach(async () => {
    server = await startJsonServer();
  });
  afterEach(() => server.stop());

  function list(id: string, wire: ListRequest["provider"]["wire"], path: string, apiKey: string | null = "sk-1") {
    const signal = new AbortController().signal;
    return listModels({ provider: { id, wire, baseUrl: server.origin + path }, apiKey: apiKey ?? undefined, signal });
  }
  async function modelsOf(...request: Parameters<typeof list>) {
    const listing = await list(...request);
    assert.ok(listing.ok, JSON.stringify(listing));
    return listing.models;
  }

  it("asks Anthropic with its own headers, page by page", async () => {
    const [first, second] = [anthropicPage.data.slice(0, 1), anthropicPage.data.slice(1)];
    server.routes = {
      "/v1/models": (response, { url }) => {
        const isSecond = url?.includes("after_id=claude-opus-5-5") === true;
        const page = {
          data: isSecond ? second : first,
          has_more: !isSecond,
          last_id: (isSecond ? second : first).at(-1)?.id,
        };
        response.end(JSON.stringify(page));
      },
    };
    const ids = (await modelsOf("anthropic", "anthropic", "")).map((model) => model.id);
    assert.deepEqual(ids, ["claude-opus-5-5", "claude-haiku-4-5-20251001", "claude-plain"]);
    assert.equal(server.requests.length, 2);
    for (const { headers } of server.requests) {
      assert.equal(headers["x-api-key"], "sk-1");
      assert.equal(headers["anthropic-version"], "2023-06-01");
      assert.equal(headers.authorization, undefined);
    }
  });

  it("gives up on pages that lead back to each other", async () => {
    server.routes = { "/v1/models": { ...anthropicPage, has_more: true } };
    assert.deepEqual(await list("anthropic", "anthropic", ""), { ok: false, fault: { type: "endless" } });
    assert.equal(server.requests.length, 2);
  });

  it("asks OpenAI with a bearer token", async () => {
    server.routes = { "/v1/models": openaiList };
    assert.equal((await modelsOf("openai", "openai", "/v1")).length, 2);
    assert.equal(server.requests[0]?.headers.authorization, "Bearer sk-1");
  });

  it("sends no key where there is none", async () => {
    server.routes = { "/v1/models": openaiList };
    await list("lab", "openai-chat", "/v1/", null);
    assert.equal(server.requests[0]?.url, "/v1/models");
    assert.equal(server.requests[0]?.headers.authorization, undefined);
  });

  it("reads prices from OpenRouter alone: elsewhere no one says what the figures are", async () => {
    server.routes = { "/api/v1/models": openrouterList };
    assert.deepEqual((await modelsOf("openrouter", "openai-chat", "/api/v1"))[0]?.price?.input, 3);
    assert.equal((await modelsOf("lab", "openai-chat", "/api/v1"))[0]?.price, undefined);
  });

  it("asks OpenRouter of the key with the key, and of none where there is none", async () => {
    server.routes = { "/api/v1/models": openrouterList, "/api/v1/key": { data: {} } };
    await modelsOf("openrouter", "openai-chat", "/api/v1");
    await modelsOf("openrouter", "openai-chat", "/api/v1", null);
    await modelsOf("lab", "openai-chat", "/api/v1");
    const asked = server.requests.map(({ url, headers }) => [url, headers.authorization]);
    assert.deepEqual(asked, [
      ["/api/v1/key", "Bearer sk-1"],
      ["/api/v1/models", "Bearer sk-1"],
      ["/api/v1/models", undefined],
      ["/api/v1/models", "Bearer sk-1"],
    ]);
  });

  const ollamaRoutes: Record<string, Route> = {
    "/api/tags": ollama.tags,
    "/api/ps": ollama.ps,
    "/api/show": (response, _request, body) => {
      const asked: { model: keyof typeof ollama.show } = JSON.parse(body);
      response.end(JSON.stringify(ollama.show[asked.model]));
    },
  };

  it("asks Ollama for each model: the window is the one it runs with, before the one it was made for", async () => {
    server.routes = ollamaRoutes;
    assert.deepEqual(await modelsOf("ollama", "openai-chat", "/v1", null), [
      {
        id: "qwen3:8b",
        contextWindow: 16_384,
        images: false,
        tools: true,
        thinkingLevels: ["off", "low", "medium", "high"],
      },
      { id: "llava:7b", contextWindow: 8_192, images: true, tools: false, thinkingLevels: ["off"] },
    ]);
    server.routes = { ...ollamaRoutes, "/api/ps": { models: [] } };
    assert.equal((await modelsOf("ollama", "openai-chat", "/v1"))[0]?.contextWindow, 40_960);
  });

  it("still lists an Ollama's models that it can't be asked about", async () => {
    server.routes = { "/api/tags": ollama.tags };
    const ids = await modelsOf("ollama", "openai-chat", "/v1");
    assert.deepEqual(ids, [{ id: "qwen3:8b" }, { id: "llava:7b" }, { id: "nomic-embed-text:latest" }]);
  });

  it("asks LM Studio for what it has, loaded or not", async () => {
    server.routes = { "/api/v0/models": studioList };
    assert.deepEqual(await modelsOf("lmstudio", "openai-chat", "/v1"), [
      { id: "qwen2-vl-7b", contextWindow: 32_768, images: true },
      { id: "llama-3.1-8b", contextWindow: 4_096, images: false, tools: true },
    ]);
  });

  it("adds what llama.cpp reports of its one model, but not of one among several", async () => {
    server.routes = { "/v1/models": llama.models, "/props": llama.props };
    const [only] = await modelsOf("llamacpp", "openai-chat", "/v1");
    assert.deepEqual(only, { id: "unsloth/Qwen3.6-35B", contextWindow: 65_536, images: true });
    server.routes = { "/v1/models": { data: [...llama.models.data, { id: "other" }] }, "/props": llama.props };
    assert.deepEqual((await modelsOf("llamacpp", "openai-chat", "/v1"))[0], { id: "unsloth/Qwen3.6-35B" });
  });

  for (const id of ["ollama", "lmstudio", "llamacpp", "vllm"]) {
    it(`takes any server of OpenAI's format where it looks for ${id}`, async () => {
      server.routes = { "/v1/models": { data: [{ id: "some", max_model_len: 4_096 }] } };
      assert.deepEqual(await modelsOf(id, "openai-chat", "/v1"), [{ id: "some", contextWindow: 4_096 }]);
    });
  }
});
