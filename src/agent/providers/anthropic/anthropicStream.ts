import type { StreamFn } from "../../vocabulary/model.ts";
import type { OptionalField } from "../shared/optionalFields.ts";
import { createProvider, type ProviderConfig } from "../shared/provider.ts";
import { loadSdk, type Wire } from "../shared/wire.ts";
import { createAnthropicReader } from "./anthropicReader.ts";
import { anthropicBaseUrl, writeAnthropicBody } from "./anthropicRequest.ts";
import { thinkingHeaders } from "./anthropicThinking.ts";

/** Every field of the Messages wire that can be left out, the more particular ones first. */
const anthropicFields: readonly OptionalField[] = [
  { name: "interleaved-thinking", refusal: /interleaved[-_ ]thinking/i },
  { name: "thinking.block_binding", refusal: /block_binding|thinking-binding-controls/i },
  { name: "thinking.display", refusal: /thinking(?:\.\w+)*\.display/i },
  { name: "thinking.between_tools", refusal: /between_tools/i },
  { name: "thinking.disabled", refusal: /\bdisabled?\b/i },
  { name: "thinking.budget", refusal: /budget_tokens|thinking\.(?:type\.)?enabled|\benabled\b/i },
  { name: "thinking.adaptive", refusal: /\badaptive\b/i },
  { name: "output_config.format", refusal: /output_config\.format|output_format|json_schema|structured output/i },
  { name: "output_config.effort", refusal: /output_config|\beffort\b/i },
  { name: "cache_control.ttl", refusal: /\bttl\b|extended-cache-ttl/i },
  { name: "cache_control", refusal: /cache_control/i },
  { name: "eager_input_streaming", refusal: /eager_input_streaming/i },
  { name: "temperature", refusal: /\btemperature\b/i },
  { name: "thinking", refusal: /^thinking\b|thinking (?:is )?not supported|not support (?:\w+ )?thinking/i },
];

/** The Messages API, through Anthropic's SDK. */
export function anthropicStream(config: ProviderConfig): StreamFn {
  return createProvider(anthropicWire, config);
}

export const anthropicWire: Wire = {
  defaultBaseUrl: anthropicBaseUrl,
  async connect(connection) {
    const { connectAnthropic } = await loadSdk("@anthropic-ai/sdk", () => import("./anthropicConnection.ts"));
    return connectAnthropic(connection);
  },
  writeBody: writeAnthropicBody,
  writeHeaders: thinkingHeaders,
  optionalFields: anthropicFields,
  createReader: createAnthropicReader,
};
