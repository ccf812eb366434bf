import type { StreamFn } from "../../vocabulary/model.ts";
import type { ProviderConfig } from "../shared/config.ts";
import { connectOpenai } from "../shared/openaiConnection.ts";
import { createProvider } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { createResponsesReader } from "./responsesReader.ts";
import { writeResponsesBody } from "./responsesRequest.ts";

/** The Responses API, through OpenAI's SDK. */
export function openaiStream(config: ProviderConfig): StreamFn {
  return createProvider(responsesWire, config);
}

export const responsesWire: Wire = {
  defaultBaseUrl: "https://api.openai.com/v1",
  connect: (connection) => connectOpenai(connection, "/responses"),
  writeBody: writeResponsesBody,
  createReader: createResponsesReader,
};
