import type { Model, StreamEvent, StreamFn } from "../../vocabulary/model.ts";
import { factsOf } from "./facts.ts";
import { failure } from "./failure.ts";
import { refusal } from "./refusal.ts";
import { errorText } from "./sentences.ts";

/** Asks the stream that is registered for the model's provider. */
export function routeStream(byProvider: Record<string, StreamFn>): StreamFn {
  const routes = new Map(Object.entries(byProvider));
  return (model, request, options) => {
    const stream = routes.get(model.provider);
    return stream === undefined ? refuse(model, [...routes.keys()]) : stream(model, request, options);
  };
}

async function* refuse(model: Model, known: string[]): AsyncGenerator<StreamEvent, void, undefined> {
  const refused = failure("not_found", { type: "unknownProvider", known });
  const facts = factsOf(refused, { model, host: "", mask: (text) => text });
  yield refusal(model, { errorMessage: errorText(facts), errorKind: refused.kind, errorFacts: facts });
}
