import type { AssistantMessage, ProviderErrorKind } from "../messages.ts";
import type { Model, StreamEvent } from "../model.ts";

/** A request that is not sent, told like one that failed. `errorMessage` is for the user. */
export function refusal(model: Model, errorMessage: string, errorKind: ProviderErrorKind): StreamEvent {
  const message: AssistantMessage = {
    role: "assistant",
    id: crypto.randomUUID(),
    content: [],
    model: model.id,
    provider: model.provider,
    stopReason: "error",
    errorMessage,
    errorKind,
    timestamp: Date.now(),
  };
  return { type: "error", message };
}
