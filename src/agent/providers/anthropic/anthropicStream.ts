import type { StreamFn } from "../../vocabulary/model.ts";
import type { ProviderConfig } from "../shared/config.ts";
import { createProvider } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { createAnthropicReader } from "./anthropicReader.ts";
import { writeAnthropicBody } from "./anthropicRequest.ts";

/** The Messages API, through Anthropic's SDK. */
export function anthropicStream(config: ProviderConfig): StreamFn {
  return createProvider(anthropicWire, config);
}

export const anthropicWire: Wire = {
  defaultBaseUrl: "https://api.anthropic.com",
  async connect(connection) {
    const { connectAnthropic } = await import("./anthropicConnection.ts");
    return connectAnthropic(connection);
  },
  writeBody: writeAnthropicBody,
  createReader: createAnthropicReader,
};
