import type { StreamFn } from "../../vocabulary/model.ts";
import type { ProviderConfig } from "../shared/config.ts";
import { connectOpenai } from "../shared/openaiConnection.ts";
import { createProvider } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { createChatReader } from "./chatReader.ts";
import { openaiBaseUrl, writeChatBody } from "./chatRequest.ts";

/** Chat Completions of OpenAI and of every server that speaks them, through OpenAI's SDK. */
export function openaiChatStream(config: ProviderConfig): StreamFn {
  return createProvider(chatWire, config);
}

export const chatWire: Wire = {
  defaultBaseUrl: openaiBaseUrl,
  connect: (connection) => connectOpenai(connection, "/chat/completions"),
  writeBody: writeChatBody,
  createReader: createChatReader,
};
