import * as z from "zod";
import { modelFamily } from "../../../agent/providers/shared/modelFamily.ts";
import { thinkingLevels } from "../../../protocol/modes.ts";
import type { ModelFacts } from "../facts.ts";
import { dayOf, fields, known, type ModelListing, modelId, readEach, tokens, words } from "./listReading.ts";

const texts = z.array(z.string()).nullish().catch(undefined);
const pricing = z.object({
  prompt: z.unknown().optional(),
  completion: z.unknown().optional(),
  input_cache_read: z.unknown().optional(),
  input_cache_write: z.unknown().optional(),
  overrides: z.array(z.unknown()).nullish().catch(undefined),
});

const modelSchema = z.object({
  id: modelId,
  name: words,
  context_length: tokens,
  expiration_date: z.unknown().optional(),
  top_provider: z.object({ context_length: tokens, max_completion_tokens: tokens }).nullish().catch(undefined),
  architecture: z.object({ input_modalities: texts, output_modalities: texts }).nullish().catch(undefined),
  pricing: pricing.nullish().catch(undefined),
  supported_parameters: texts,
  reasoning: z
    .object({ supported_efforts: z.array(z.unknown()).nullish() })
    .nullish()
    .catch(undefined),
});
type Listed = z.infer<typeof modelSchema>;

/** OpenRouter's `GET /api/v1/models`, which has sizes, prices and abilities. */
export function readOpenrouterList(value: unknown): ModelListing {
  return readEach(fields.safeParse(value).data?.data, readModel);
}

function readModel(entry: unknown): ModelFacts | undefined {
  const parsed = modelSchema.safeParse(entry);
  if (!parsed.success) return undefined;
  const { id, name, context_length, top_provider, architecture, supported_parameters, expiration_date } = parsed.data;
  if (architecture?.output_modalities?.includes("text") === false) return undefined;
  return known({
    id,
    name,
    // The provider that gets most of the requests may take less than the model can.
    contextWindow: least(context_length, top_provider?.context_length),
    maxOutput: top_provider?.max_completion_tokens,
    price: priceOf(parsed.data.pricing),
    thinkingLevels: levelsOf(parsed.data),
    images: architecture?.input_modalities?.includes("image"),
    tools: supported_parameters?.includes("tools"),
    retires: dayOf(expiration_date),
  });
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function levelsOf({ id, reasoning, supported_parameters }: Listed): ModelFacts["thinkingLevels"] {
  const family = modelFamily(id)?.levels;
  const efforts = reasoning?.supported_efforts;
  if (Array.isArray(efforts)) {
    const canBeOff = family?.includes("off") ?? true;
    return thinkingLevels.filter((level) => (level === "off" ? canBeOff : efforts.includes(level)));
  }
  if (!reasoning && !supported_parameters) return undefined;
  const names = supported_parameters ?? [];
  const thinks = reasoning || names.some((name) => name === "reasoning" || name === "reasoning_effort");
  return thinks ? [...(family ?? commonLevels)] : ["off"];
}

/** What every model that can be asked to think takes, or OpenRouter translates for it. */
const commonLevels = ["off", "minimal", "low", "medium", "high"] as const;

/**
 * From USD per token, written as text, to USD per million. A price that changes with the prompt's length or the time of
 * day is not one that can be shown; what a request did cost comes with its answer anyway.
 */
function priceOf(listed: z.infer<typeof pricing> | null | undefined): ModelFacts["price"] {
  if (!listed || (listed.overrides ?? []).some(changesPrice)) return undefined;
  const input = perMillion(listed.prompt);
  const output = perMillion(listed.completion);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion(listed.input_cache_read);
  const cacheWrite = perMillion(listed.input_cache_write);
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

function changesPrice(override: unknown): boolean {
  const changed = Object.keys(fields.safeParse(override).data ?? {});
  return changed.some((name) => ["prompt", "completion", "input_cache_read", "input_cache_write"].includes(name));
}

function perMillion(perToken: unknown): number | undefined {
  if (typeof perToken !== "string" || perToken.trim() === "") return undefined;
  const usd = Number(perToken) * 1_000_000;
  // The price of a router is -1: it depends on where the request goes. Digits that come of binary fractions are cut.
  return Number.isFinite(usd) && usd >= 0 ? Number(usd.toPrecision(10)) : undefined;
}
