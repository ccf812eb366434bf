import type { LimitName } from "../vocabulary/events.ts";
import { limitError, limitText, reachedLimit } from "./limits.ts";
import { callHook, limitEnding, type RunState } from "./runState.ts";

/** Whether a limit forbids another request, asked quietly. */
export function isLimitReached(state: RunState): boolean {
  return reachedLimit(state.limits, state.spent, state.extensions) !== undefined;
}

/** Asked before every request. When a limit forbids it, the run has its ending and the answer is false. */
export async function allowRequest(state: RunState): Promise<boolean> {
  for (;;) {
    const name = reachedLimit(state.limits, state.spent, state.extensions);
    if (name === undefined) return true;
    state.node.emit({ type: "limit_reached", limit: name });
    const verdict = await askAboutLimit(state, name);
    if (verdict === "stop") return false;
    if (verdict === "wrapUp") {
      state.wrappingUp = { limit: name, text: limitText(name, state.limits) };
      return true;
    }
    state.extensions.set(name, (state.extensions.get(name) ?? 0) + 1);
  }
}

async function askAboutLimit(state: RunState, name: LimitName): Promise<"extend" | "wrapUp" | "stop"> {
  const { onLimit } = state;
  if (onLimit === "error") {
    state.ending = { reason: "error", error: limitError(name, state.limits), limit: name };
    return "stop";
  }
  const verdict = onLimit === "forceComplete" ? "stop" : await callHook(state, "onLimit", () => onLimit(name));
  // Forced completion: no further request.
  if (verdict === "stop") state.ending = limitEnding(state, { limit: name, text: limitText(name, state.limits) });
  return verdict;
}
