import type { Provider } from "../providers.ts";
import { readAnthropicPage } from "./anthropicList.ts";
import { type Ask, fetchJson, type JsonAnswer } from "./fetchJson.ts";
import type { ModelListing } from "./listReading.ts";
import { listLlama, listOllama, listStudio } from "./localServers.ts";
import { readOpenaiList } from "./openaiList.ts";
import { readOpenrouterList } from "./openrouterList.ts";

/** Whom to ask for a list, and how patiently. */
export interface ListRequest {
  provider: Pick<Provider, "id" | "wire" | "baseUrl">;
  apiKey: string | undefined;
  signal: AbortSignal;
  /** Of each request. Default 15 s. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

const defaultTimeoutMs = 15_000;
/** OpenRouter's list is about a megabyte. */
const maxBytes = 16_000_000;
const mostPages = 50;

/** The models that a provider has for this key, as it lists them itself. */
export async function listModels(request: ListRequest): Promise<ModelListing> {
  const { provider, apiKey } = request;
  if (provider.wire === "anthropic") {
    const keyHeader = apiKey === undefined ? {} : { "x-api-key": apiKey };
    return listAnthropic(asking(request, { ...keyHeader, "anthropic-version": "2023-06-01" }));
  }
  const ask = asking(request, apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` });
  if (isOpenrouter(provider)) return readList(await ask("/models"), readOpenrouterList);
  const generic = async () => readList(await ask("/models"), readOpenaiList);
  switch (provider.id) {
    case "ollama":
      return (await listOllama(ask)) ?? generic();
    case "lmstudio":
      return (await listStudio(ask)) ?? generic();
    case "llamacpp":
      return listLlama(ask, await generic());
    default:
      return generic();
  }
}

/** Where a provider's own API begins. */
export function baseUrlOf({ wire, baseUrl }: Pick<Provider, "wire" | "baseUrl">): string {
  const own = wire === "anthropic" ? "https://api.anthropic.com" : "https://api.openai.com/v1";
  return (baseUrl ?? own).replace(/\/+$/, "");
}

function asking(request: ListRequest, headers: Record<string, string>): Ask {
  const { provider, signal, timeoutMs = defaultTimeoutMs } = request;
  return (path, body) =>
    fetchJson({
      url: addressOf(baseUrlOf(provider), path),
      headers,
      signal,
      timeoutMs,
      maxBytes,
      ...(body === undefined ? {} : { body }),
      ...(request.fetch === undefined ? {} : { fetch: request.fetch }),
    });
}

/** A path that begins with `..` stands beside the API's version, where servers have what is their own. */
function addressOf(base: string, path: string): string {
  return path.startsWith("../") ? base.replace(/\/v1$/, "") + path.slice(2) : base + path;
}

function readList(answer: JsonAnswer, read: (value: unknown) => ModelListing): ModelListing {
  return answer.ok ? read(answer.value) : answer;
}

async function listAnthropic(ask: Ask): Promise<ModelListing> {
  const models = [];
  const seen = new Set<string>();
  let after: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const position = after === undefined ? "" : `&after_id=${encodeURIComponent(after)}`;
    const answer = await ask(`/v1/models?limit=1000${position}`);
    if (!answer.ok) return answer;
    const { listing, after: next } = readAnthropicPage(answer.value);
    if (!listing.ok) return listing;
    models.push(...listing.models);
    if (next === undefined) return { ok: true, models };
    if (seen.has(next)) break;
    seen.add(next);
    after = next;
  }
  return { ok: false, fault: { type: "endless" } };
}

function isOpenrouter(provider: Pick<Provider, "id" | "wire" | "baseUrl">): boolean {
  return provider.id === "openrouter" || new URL(baseUrlOf(provider)).host === "openrouter.ai";
}
