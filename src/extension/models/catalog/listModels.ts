import * as z from "zod";
import type { ModelFacts } from "../facts.ts";
import type { Provider } from "../providers.ts";
import { readAnthropicPage } from "./anthropicList.ts";
import { type Ask, fetchJson, type JsonAnswer } from "./fetchJson.ts";
import { fields, isKeyRejected, known, type ModelListing, modelId, readEach, tokens, words } from "./listReading.ts";
import { listLlama, listOllama, listStudio } from "./localServers.ts";
import { readOpenrouterList } from "./openrouterList.ts";

/** Whom to ask for a list, and how patiently. */
export interface ListRequest {
  provider: Pick<Provider, "id" | "wire" | "baseUrl">;
  apiKey: string | undefined;
  /** Of the provider's entry in the settings. */
  headers?: Record<string, string>;
  signal: AbortSignal;
  /** Of each request. Default 15 s. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

const defaultTimeoutMs = 15_000;
/** OpenRouter's list is about a megabyte. */
const maxBytes = 16_000_000;
const maxPages = 50;

/** The models that a provider has for this key, as it lists them itself. */
export async function listModels(request: ListRequest): Promise<ModelListing> {
  const { provider, apiKey } = request;
  if (provider.wire === "anthropic") {
    const keyHeader = apiKey === undefined ? {} : { "x-api-key": apiKey };
    return listAnthropic(asking(request, { ...keyHeader, "anthropic-version": "2023-06-01" }));
  }
  const ask = asking(request, apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` });
  if (isOpenrouter(provider)) return listOpenrouter(ask, apiKey);
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
      headers: mergeHeaders(headers, request.headers),
      signal,
      timeoutMs,
      maxBytes,
      ...(body === undefined ? {} : { body }),
      ...(request.fetch === undefined ? {} : { fetch: request.fetch }),
    });
}

/** The user's win, however they are capitalised. */
function mergeHeaders(own: Record<string, string>, configured: Record<string, string> = {}): Record<string, string> {
  const merged = new Headers(own);
  for (const [name, value] of Object.entries(configured)) merged.set(name, value);
  return Object.fromEntries(merged);
}

/** A path that begins with `..` is beside the API's version, where servers have what is their own. */
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
  for (let page = 0; page < maxPages; page++) {
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

/** Its list is open to all and answers whatever the key is, so the key is asked about first. */
async function listOpenrouter(ask: Ask, apiKey: string | undefined): Promise<ModelListing> {
  if (apiKey !== undefined) {
    const answer = await ask("/key");
    // A gateway in its place may know nothing of this path.
    if (!answer.ok && isKeyRejected(answer.fault)) return answer;
  }
  return readList(await ask("/models"), readOpenrouterList);
}

function isOpenrouter(provider: Pick<Provider, "id" | "wire" | "baseUrl">): boolean {
  return provider.id === "openrouter" || new URL(baseUrlOf(provider)).host === "openrouter.ai";
}

const modelSchema = z.object({
  id: modelId,
  name: words,
  display_name: words,
  // The names that servers of this format have for the same thing; the format itself has none.
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  max_model_len: tokens,
  max_completion_tokens: tokens,
});

/** Models that no chat can be held with. */
const otherKinds =
  /(?:^|[/_-])(?:embed(?:ding)?s?|rerank(?:er)?|whisper|tts|transcribe|moderation|dall-e|sora|realtime|image)(?:[/_:.-]|$)|^(?:babbage|davinci)-/i;

/** `GET /v1/models` of OpenAI, which has ids alone, and of servers of its format, which may have sizes, too. */
export function readOpenaiList(value: unknown): ModelListing {
  // Some servers leave the envelope out.
  const list = Array.isArray(value) ? value : fields.safeParse(value).data?.data;
  return readEach(list, readModel);
}

function readModel(entry: unknown): ModelFacts | undefined {
  const parsed = modelSchema.safeParse(entry);
  if (!parsed.success || otherKinds.test(parsed.data.id)) return undefined;
  const { id, name, display_name, max_completion_tokens, ...sizes } = parsed.data;
  return known({
    id,
    name: display_name ?? (name === id ? undefined : name),
    contextWindow: sizes.max_model_len ?? sizes.context_length ?? sizes.context_window ?? sizes.max_context_length,
    maxOutput: max_completion_tokens,
  });
}
