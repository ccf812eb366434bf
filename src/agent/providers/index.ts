/** Streams of real providers. The SDKs behind them load at first use. */
import type { AssistantMessage, ProviderErrorKind } from "../vocabulary/messages.ts";

export type { ProviderErrorKind } from "../vocabulary/messages.ts";
export { anthropicStream } from "./anthropic/anthropicStream.ts";
export { openaiChatStream } from "./chat/chatStream.ts";
export { openaiStream } from "./responses/responsesStream.ts";
export type { ProviderConfig } from "./shared/config.ts";
export { routeStream } from "./shared/routeStream.ts";

/** What a host can offer for a message that ended in an error; undefined for one that did not. */
export function providerErrorKind(message: AssistantMessage): ProviderErrorKind | undefined {
  return message.stopReason === "error" ? (message.errorKind ?? "unknown") : undefined;
}
