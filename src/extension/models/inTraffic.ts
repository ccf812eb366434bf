import { limitsEverybody, type Traffic, whileHeld } from "../../agent/providers/shared/traffic.ts";
import type { StreamFn } from "../../agent/vocabulary/model.ts";

/** After this long a model that has asked for a pause, without saying for how long, is asked again. */
const pauseMs = 5_000;

/** Lets the requests of a stream that knows no traffic of its own go with it. Each goes once. */
export function inTraffic(stream: StreamFn, traffic: Traffic): StreamFn {
  return async function* passing(model, request, options) {
    const passage = traffic.enter();
    try {
      yield* whileHeld(passage, 0, options.signal);
      // Aborted while waiting: the stream itself says so, it asks nothing with a dead signal.
      for await (const event of stream(model, request, options)) {
        if (event.type === "error" && limitsEverybody(event.message.errorKind)) {
          passage.limited(pauseMs, event.message.errorMessage ?? "", event.message.errorFacts);
        } else if (event.type !== "start" && event.type !== "error") passage.answered();
        yield event;
      }
    } finally {
      passage.leave();
    }
  };
}
