import { abortedError } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { Answer } from "./answerStream.ts";
import type { RunState } from "./runState.ts";

/** A failed answer runs no tool and polls no queue. The turn is asked again where that can help; else this throws. */
export function retryTurn(state: RunState, answer: Answer): void {
  const { stopReason, errorMessage = "The provider failed.", errorFacts } = answer.message;
  if (state.signal.aborted) throw abortedError(state.signal);
  if (stopReason === "aborted") throw new AgentError("aborted", errorMessage);
  const error = providerError(errorMessage, answer.cause);
  if (mayMakeRoom(state, answer)) {
    state.overflow = { error, shown: state.context.messages };
    return;
  }
  if (!isWorthAskingAgain(answer) || state.retries >= (state.config.turnRetries ?? 0)) throw error;
  state.retries += 1;
  state.node.emit({
    type: "retry",
    attempt: state.retries,
    delayMs: 0,
    error: errorMessage,
    ...(errorFacts && { errorFacts }),
  });
}

/** What no second attempt changes. */
const finalKinds: ReadonlySet<unknown> = new Set(["auth", "billing", "not_found", "context", "rejected"]);

/** Until something has arrived, the provider itself has tried again as often as makes sense. */
function isWorthAskingAgain({ message, wasCut }: Answer): boolean {
  return wasCut && !finalKinds.has(message.errorKind);
}

/** The provider found the context too long: effects may make room for it, once in a run. */
function mayMakeRoom(state: RunState, { message }: Answer): boolean {
  if (message.errorKind !== "context" || state.overflow !== undefined) return false;
  return state.effects.some((effect) => effect.before !== undefined);
}

function providerError(message: string, cause: unknown): AgentError {
  if (cause instanceof AgentError) return cause;
  return new AgentError("provider", message, cause === undefined ? {} : { cause });
}
