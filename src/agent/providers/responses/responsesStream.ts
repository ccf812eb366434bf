import type { StreamFn } from "../../vocabulary/model.ts";
import { connectOpenai } from "../shared/openai.ts";
import { createProvider, type ProviderConfig } from "../shared/provider.ts";
import type { Wire } from "../shared/wire.ts";
import { createResponsesReader } from "./responsesReader.ts";
import { responsesFields, writeResponsesBody } from "./responsesRequest.ts";

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
