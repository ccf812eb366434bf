import type { AssistantMessage } from "../../vocabulary/messages.ts";
import {
  hasNativeOutput,
  type Model,
  type StreamEvent,
  type StreamFn,
  withNativeOutput,
} from "../../vocabulary/model.ts";
import { factsOf, failure } from "./failure.ts";
import { providerErrorText } from "./providerErrorText.ts";

/** Asks the stream that is registered for the model's provider. */
export function routeStream(byProvider: Record<string, StreamFn>): StreamFn {
  const routes = new Map(Object.entries(byProvider));
  const route: StreamFn = (model, request, options) => {
    const stream = routes.get(model.provider);
    return stream === undefined ? refuse(model, [...routes.keys()]) : stream(model, request, options);
  };
  return [...routes.values()].every(hasNativeOutput) ? withNativeOutput(route) : route;
}

async function* refuse(model: Model, known: string[]): AsyncGenerator<StreamEvent, void, undefined> {
  const refused = failure("not_found", { type: "unknownProvider", known });
  const facts = factsOf(refused, { model, host: "", mask: (text) => text });
  yield refusal(model, { errorMessage: providerErrorText(facts), errorKind: refused.kind, errorFacts: facts });
}

/** Why a request is not sent. `errorMessage` is for the user. */
type Reason = Pick<AssistantMessage, "errorMessage" | "errorKind" | "errorFacts">;

/** A request that is not sent, reported like one that failed. */
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
