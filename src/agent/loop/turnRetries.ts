import { abortedError, untilAborted } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import { retryClock, retryDelayMs } from "../vocabulary/retries.ts";
import type { Answer } from "./answerStream.ts";
import type { RunState } from "./runState.ts";

/**
 * A failed answer runs no tool and polls no queue. Resolves when the turn is to be asked again, after a wait that grows
 * with the attempts; rejects where that can't help.
 */
export async function retryTurn(state: RunState, answer: Answer): Promise<void> {
  const { stopReason, errorMessage = "The provider failed.", errorFacts, retryAfterMs } = answer.message;
  if (state.signal.aborted) throw abortedError(state.signal);
  if (stopReason === "aborted") throw new AgentError("aborted", errorMessage);
  const error = providerError(errorMessage, answer.cause);
  if (mayMakeRoom(state, answer)) {
    state.overflow = { error, shown: state.context.messages };
    return;
  }
  if (!isWorthAskingAgain(answer) || state.retries >= (state.config.turnRetries ?? 0)) throw error;
  state.retries += 1;
  const { clock = retryClock } = state.config;
  const attempt = state.retries;
  const random: unknown = clock.random();
  // Waited for only where its type was not kept to.
  const share = random instanceof Promise ? await untilAborted(random, state.signal) : random;
  const delayMs = retryDelayMs(attempt, retryAfterMs, Number(share));
  state.node.emit({ type: "retry", attempt, delayMs, error: errorMessage, ...(errorFacts && { errorFacts }) });
  await untilAborted(clock.wait(delayMs, state.signal), state.signal);
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
