import type { ModelFacts } from "../facts.ts";
import type { Ask } from "./fetchJson.ts";
import { type ModelListing, readEach } from "./listReading.ts";
import { readLlamaProps, readOllamaLoaded, readOllamaModel, readOllamaTags, readStudioModel } from "./localLists.ts";

/** Each model is asked for on its own, and a machine may hold many. */
const mostAsked = 60;
const atOnce = 4;

/** What Ollama itself tells of its models; undefined when the server is no Ollama. */
export async function listOllama(ask: Ask): Promise<ModelListing | undefined> {
  const tags = await ask("../api/tags");
  if (!tags.ok) return tags.fault.type === "status" ? undefined : tags;
  const names = readOllamaTags(tags.value);
  if (names === undefined) return undefined;
  const running = await ask("../api/ps");
  const loaded = readOllamaLoaded(running.ok ? running.value : undefined);
  const models: ModelFacts[] = [];
  const waiting = names.slice(0, mostAsked);
  for (let start = 0; start < waiting.length; start += atOnce) {
    const some = await Promise.all(
      waiting.slice(start, start + atOnce).map(async (name) => {
        const shown = await ask("../api/show", { model: name });
        return shown.ok ? readOllamaModel(name, shown.value, loaded.get(name)) : { id: name };
      }),
    );
    models.push(...some.filter((model) => model !== undefined));
  }
  return { ok: true, models: [...models, ...names.slice(mostAsked).map((id) => ({ id }))] };
}

/** What LM Studio itself tells of its models; undefined when the server is none, or an old one. */
export async function listStudio(ask: Ask): Promise<ModelListing | undefined> {
  const answer = await ask("../api/v0/models");
  if (!answer.ok) return answer.fault.type === "status" ? undefined : answer;
  const body: unknown = answer.value;
  if (typeof body !== "object" || body === null || !("data" in body)) return undefined;
  const listing = readEach(body.data, readStudioModel);
  return listing.ok ? listing : undefined;
}

/** Adds to llama.cpp's list what it tells of itself, as long as there is one model that it can be about. */
export async function listLlama(ask: Ask, listing: ModelListing): Promise<ModelListing> {
  const [only, ...others] = listing.ok ? listing.models : [];
  if (only === undefined || others.length > 0) return listing;
  const props = await ask("../props");
  return props.ok ? { ok: true, models: [{ ...only, ...readLlamaProps(props.value) }] } : listing;
}
