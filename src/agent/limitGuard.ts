import type { LimitName } from "./events.ts";
import { limitError, limitText, reachedLimit } from "./limits.ts";
import { textOf } from "./messages.ts";
import { callHook, type RunState } from "./runState.ts";

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
      state.wrappingUp = name;
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
  if (verdict === "stop") endAtLimit(state, name);
  return verdict;
}

/** Forced completion: the run ends with the best text there is, and no further request. */
export function endAtLimit(state: RunState, limit: LimitName): undefined {
  const text = state.newMessages.findLast((message) => message.role === "assistant" && textOf(message) !== "");
  const result = text === undefined ? limitText(limit, state.limits) : textOf(text);
  state.ending = { reason: "limit", limit, result };
}
