import * as z from "zod";
import type { ModelFacts } from "../facts.ts";
import { fields, known, type ModelListing, modelId, readEach, tokens, words } from "./listReading.ts";

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

/** `GET /v1/models` of OpenAI, which tells ids alone, and of servers of its format, which may tell sizes, too. */
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
