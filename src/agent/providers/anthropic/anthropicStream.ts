import type { StreamFn } from "../../vocabulary/model.ts";
import { createProvider, type ProviderConfig } from "../shared/provider.ts";
import { loadSdk, type Wire } from "../shared/wire.ts";
import { createAnthropicReader } from "./anthropicReader.ts";
import { anthropicBaseUrl, writeAnthropicBody } from "./anthropicRequest.ts";
import { anthropicFields, thinkingHeaders } from "./anthropicThinking.ts";

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
