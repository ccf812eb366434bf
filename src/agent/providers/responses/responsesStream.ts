import type { StreamFn } from "../../vocabulary/model.ts";
import { connectOpenai } from "../shared/openai.ts";
import type { OptionalField } from "../shared/optionalFields.ts";
import { createProvider, type ProviderConfig } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { createResponsesReader } from "./responsesReader.ts";
import { writeResponsesBody } from "./responsesRequest.ts";

/** Every field of the Responses wire that can be left out, the more particular ones first. */
const responsesFields: readonly OptionalField[] = [
  { name: "reasoning.summary", refusal: /reasoning\.summary|\bsummar(?:y|ies)\b/i },
  { name: "reasoning.effort", refusal: /\beffort\b/i },
  { name: "include", refusal: /\binclude\b|encrypted[_ ]content/i },
  { name: "text.verbosity", refusal: /verbosity/i },
  { name: "text.format", refusal: /text\.format|json_schema|structured output/i },
  { name: "prompt_cache_options", refusal: /prompt_cache_options/i },
  { name: "prompt_cache_key", refusal: /prompt_cache_key/i },
  { name: "tools.custom", refusal: /tools\[\d+\]\.(?:type|format)|\bcustom\b|custom_tool|\bgrammar\b|\blark\b/i },
  { name: "phase", refusal: /\bphase\b/i },
  { name: "max_output_tokens", refusal: /max_output_tokens/i },
  { name: "temperature", refusal: /\btemperature\b/i },
  { name: "reasoning", refusal: /\breasoning\b(?!\.encrypted)/i },
];

/** The Responses API, through OpenAI's SDK. */
export function openaiStream(config: ProviderConfig): StreamFn {
  return createProvider(responsesWire, config);
}

export const responsesWire: Wire = {
  defaultBaseUrl: "https://api.openai.com/v1",
  connect: (connection) => connectOpenai(connection, "/responses"),
  writeBody: writeResponsesBody,
  optionalFields: responsesFields,
  createReader: createResponsesReader,
};
