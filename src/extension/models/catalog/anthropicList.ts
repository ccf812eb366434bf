import * as z from "zod";
import { claudeFamily } from "../../../agent/providers/shared/modelFamily.ts";
import type { ModelFacts } from "../facts.ts";
import { dayOf, known, type ModelListing, modelId, readEach, tokens, words } from "./listReading.ts";

/** One page of Anthropic's `GET /v1/models`. */
export interface AnthropicPage {
  listing: ModelListing;
  /** Where the next page begins; absent on the last one. */
  after?: string;
}

const support = z.object({ supported: z.boolean() }).nullish().catch(undefined);
const effort = z.object({
  supported: z.boolean(),
  ...{ low: support, medium: support, high: support, xhigh: support, max: support },
});
const thinking = z.object({
  supported: z.boolean(),
  types: z.object({ adaptive: support, enabled: support }).nullish().catch(undefined),
});

const modelSchema = z.object({
  id: modelId,
  display_name: words,
  max_input_tokens: tokens,
  max_tokens: tokens,
  retires_at: z.unknown().optional(),
  capabilities: z
    .object({
      image_input: support,
      thinking: thinking.nullish().catch(undefined),
      effort: effort.nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

const pageSchema = z.object({
  data: z.unknown().optional(),
  has_more: z.boolean().optional().catch(undefined),
  last_id: z.string().nullish().catch(undefined),
});

export function readAnthropicPage(value: unknown): AnthropicPage {
  const page = pageSchema.safeParse(value);
  if (!page.success) return { listing: { ok: false, fault: { type: "malformed" } } };
  const { data, has_more, last_id } = page.data;
  const listing = readEach(data, readModel);
  return has_more === true && typeof last_id === "string" ? { listing, after: last_id } : { listing };
}

function readModel(entry: unknown): ModelFacts | undefined {
  const parsed = modelSchema.safeParse(entry);
  if (!parsed.success) return undefined;
  const { id, display_name, max_input_tokens, max_tokens, retires_at, capabilities } = parsed.data;
  return known({
    id,
    name: display_name,
    contextWindow: max_input_tokens,
    maxOutput: max_tokens,
    thinkingLevels: levelsOf(id, capabilities?.thinking, capabilities?.effort),
    images: capabilities?.image_input?.supported,
    retires: dayOf(retires_at),
  });
}

/** What can be asked of it: an effort where the model decides how much to think, else a budget of any size. */
function levelsOf(
  id: string,
  thinks: z.infer<typeof thinking> | null | undefined,
  efforts: z.infer<typeof effort> | null | undefined,
): ModelFacts["thinkingLevels"] {
  if (thinks?.supported === false) return ["off"];
  if (thinks?.types?.adaptive?.supported === true) {
    if (efforts?.supported !== true) return undefined;
    const levels = (["low", "medium", "high", "xhigh", "max"] as const).filter((level) => efforts[level]?.supported);
    // The list does not say whether thinking can be turned off.
    const least = claudeFamily(id)?.levels.find((level) => level === "off" || level === "minimal");
    return least === undefined ? levels : [least, ...levels];
  }
  return thinks?.types?.enabled?.supported === true ? ["off", "minimal", "low", "medium", "high"] : undefined;
}
