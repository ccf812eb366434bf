import type { AssistantMessage } from "../../vocabulary/messages.ts";
import type { Model, StreamEvent } from "../../vocabulary/model.ts";

/** Why a request is not sent. `errorMessage` is for the user. */
type Reason = Pick<AssistantMessage, "errorMessage" | "errorKind" | "errorFacts">;

/** A request that is not sent, told like one that failed. */
export function refusal(model: Model, reason: Reason): StreamEvent {
  const message: AssistantMessage = {
    role: "assistant",
    id: crypto.randomUUID(),
    content: [],
    model: model.id,
    provider: model.provider,
    stopReason: "error",
    ...reason,
    timestamp: Date.now(),
  };
  return { type: "error", message };
}
