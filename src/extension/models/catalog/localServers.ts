import * as z from "zod";
import type { ModelFacts } from "../facts.ts";
import type { Ask } from "./fetchJson.ts";
import { fields, known, type ModelListing, modelId, readEach, tokens } from "./listReading.ts";

/** Each model is asked for on its own, and a machine may hold many. */
const maxAsked = 60;
const atOnce = 4;

/** What Ollama itself says of its models; undefined when the server is no Ollama. */
export async function listOllama(ask: Ask): Promise<ModelListing | undefined> {
  const tags = await ask("../api/tags");
  if (!tags.ok) return tags.fault.type === "status" ? undefined : tags;
  const names = readOllamaTags(tags.value);
  if (names === undefined) return undefined;
  const running = await ask("../api/ps");
  const loaded = readOllamaLoaded(running.ok ? running.value : undefined);
  const models: ModelFacts[] = [];
  const waiting = names.slice(0, maxAsked);
  for (let start = 0; start < waiting.length; start += atOnce) {
    const some = await Promise.all(
      waiting.slice(start, start + atOnce).map(async (name) => {
        const shown = await ask("../api/show", { model: name });
        return shown.ok ? readOllamaModel(name, shown.value, loaded.get(name)) : { id: name };
      }),
    );
    models.push(...some.filter((model) => model !== undefined));
  }
  return { ok: true, models: [...models, ...names.slice(maxAsked).map((id) => ({ id }))] };
}

/** What LM Studio itself says of its models; undefined when the server is none, or an old one. */
export async function listStudio(ask: Ask): Promise<ModelListing | undefined> {
  const answer = await ask("../api/v0/models");
  if (!answer.ok) return answer.fault.type === "status" ? undefined : answer;
  const body: unknown = answer.value;
  if (typeof body !== "object" || body === null || !("data" in body)) return undefined;
  const listing = readEach(body.data, readStudioModel);
  return listing.ok ? listing : undefined;
}

/** Adds to llama.cpp's list what it says of itself, as long as there is one model that it can be about. */
export async function listLlama(ask: Ask, listing: ModelListing): Promise<ModelListing> {
  const [only, ...others] = listing.ok ? listing.models : [];
  if (only === undefined || others.length > 0) return listing;
  const props = await ask("../props");
  return props.ok ? { ok: true, models: [{ ...only, ...readLlamaProps(props.value) }] } : listing;
}

const texts = z.array(z.string()).optional().catch(undefined);

/** Names in Ollama's `GET /api/tags`; undefined when it is something else. */
function readOllamaTags(value: unknown): string[] | undefined {
  const parsed = z.object({ models: z.array(z.unknown()) }).safeParse(value);
  if (!parsed.success) return undefined;
  const entry = z.object({ name: modelId });
  return parsed.data.models.flatMap((model) => entry.safeParse(model).data?.name ?? []);
}

/** Windows of the models that are loaded, by name: Ollama's `GET /api/ps`. */
function readOllamaLoaded(value: unknown): Map<string, number> {
  const parsed = z.object({ models: z.array(z.unknown()) }).safeParse(value);
  const entry = z.object({ name: z.string(), context_length: tokens });
  const loaded = new Map<string, number>();
  for (const model of parsed.data?.models ?? []) {
    const { name, context_length } = entry.safeParse(model).data ?? {};
    if (name !== undefined && context_length !== undefined) loaded.set(name, context_length);
  }
  return loaded;
}

const shown = z.object({
  parameters: z.string().optional().catch(undefined),
  model_info: fields.optional().catch(undefined),
  capabilities: texts,
});

/**
 * Ollama's `POST /api/show`. The window is what the model runs with (`num_ctx`, or as it is loaded); only where neither
 * is reported, what the model was made for. Undefined for a model that holds no chats.
 */
function readOllamaModel(id: string, value: unknown, loaded: number | undefined): ModelFacts | undefined {
  const parsed = shown.safeParse(value);
  if (!parsed.success) return { id };
  const { parameters, model_info = {}, capabilities } = parsed.data;
  if (capabilities?.includes("completion") === false) return undefined;
  const configured = Number(/^num_ctx\s+(\d+)\s*$/m.exec(parameters ?? "")?.[1]);
  const made = model_info[`${String(model_info["general.architecture"])}.context_length`];
  return known({
    id,
    contextWindow: tokens.parse(configured) ?? loaded ?? tokens.parse(made),
    images: capabilities?.includes("vision"),
    tools: capabilities?.includes("tools"),
    thinkingLevels:
      capabilities === undefined
        ? undefined
        : capabilities.includes("thinking")
          ? ["off", "low", "medium", "high"]
          : ["off"],
  });
}

const studioModel = z.object({
  id: modelId,
  type: z.string().optional().catch(undefined),
  max_context_length: tokens,
  loaded_context_length: tokens,
  capabilities: texts,
});

/** One model in LM Studio's `GET /api/v0/models`. */
function readStudioModel(entry: unknown): ModelFacts | undefined {
  const parsed = studioModel.safeParse(entry);
  if (!parsed.success || parsed.data.type === "embeddings") return undefined;
  const { id, type, capabilities, loaded_context_length, max_context_length } = parsed.data;
  return known({
    id,
    contextWindow: loaded_context_length ?? max_context_length,
    images: type === "vlm" ? true : type === "llm" ? false : undefined,
    tools: capabilities?.includes("tool_use"),
  });
}

const props = z.object({
  default_generation_settings: z.object({ n_ctx: tokens }).optional().catch(undefined),
  modalities: z.object({ vision: z.boolean() }).optional().catch(undefined),
});

/** What llama.cpp's `GET /props` says of the one model that it serves. */
function readLlamaProps(value: unknown): Omit<ModelFacts, "id"> {
  const { default_generation_settings, modalities } = props.safeParse(value).data ?? {};
  const { id: _, ...facts } = known({
    id: "",
    contextWindow: default_generation_settings?.n_ctx,
    images: modalities?.vision,
  });
  return facts;
}
