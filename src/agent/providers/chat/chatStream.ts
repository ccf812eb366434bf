import type { StreamFn } from "../../vocabulary/model.ts";
import { connectOpenai } from "../shared/openai.ts";
import type { OptionalField } from "../shared/optionalFields.ts";
import { createProvider, type ProviderConfig } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { createChatReader } from "./chatReader.ts";
import { writeChatBody } from "./chatRequest.ts";

const openaiBaseUrl = "https://api.openai.com/v1";

/** Every field of the Chat wire that can be left out, the more particular ones first. */
const chatFields: readonly OptionalField[] = [
  { name: "stream_options", refusal: /stream_options|include_usage/i },
  { name: "reasoning_details", refusal: /reasoning_details/i },
  { name: "reasoning_content", refusal: /reasoning_content/i },
  { name: "extra_content", refusal: /extra_content|thought_signature/i },
  { name: "cache_control.ttl", refusal: /\bttl\b/i },
  { name: "cache_control", refusal: /cache_control/i },
  { name: "prompt_cache_key", refusal: /prompt_cache_key/i },
  { name: "max_completion_tokens", refusal: /max_completion_tokens/i },
  { name: "max_tokens", refusal: /\bmax_tokens\b/i },
  { name: "response_format", refusal: /response_format|json_schema|structured output/i },
  { name: "temperature", refusal: /\btemperature\b/i },
  { name: "reasoning_effort", refusal: /reasoning_effort|\beffort\b|not support (?:\w+ )?(?:thinking|reasoning)/i },
  { name: "thinking", refusal: /\bthinking\b/i },
  { name: "reasoning", refusal: /\breasoning\b/i },
];

/** Chat Completions of OpenAI and of every server that speaks them, through OpenAI's SDK. */
export function openaiChatStream(config: ProviderConfig): StreamFn {
  return createProvider(chatWire, config);
}

export const chatWire: Wire = {
  defaultBaseUrl: openaiBaseUrl,
  connect: (connection) => connectOpenai(connection, "/chat/completions"),
  writeBody: writeChatBody,
  optionalFields: chatFields,
  createReader: createChatReader,
};
