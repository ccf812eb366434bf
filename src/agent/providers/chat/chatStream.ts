import type { StreamFn } from "../../vocabulary/model.ts";
import { connectOpenai } from "../shared/openai.ts";
import { createProvider, type ProviderConfig } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { chatFields, openaiBaseUrl } from "./chatDialect.ts";
import { createChatReader } from "./chatReader.ts";
import { writeChatBody } from "./chatRequest.ts";

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
