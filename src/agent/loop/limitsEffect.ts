import type { Effect, Emit, LoopHooks, Stop } from "../vocabulary/hooks.ts";
import { type AgentMessage, textOf } from "../vocabulary/messages.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";
import { limitError, reachedLimit, type SpendLimits, type Spent } from "./limits.ts";

/**
 * Ends a run before a request that would pass a limit: requests and cost of this run, depth and spend of the scope. In a
 * bare loop it is given both as effect, which counts, and as hooks, which end a turn that would be followed by another.
 * The result is the last text of the run.
 */
export function limitsEffect(options: {
  scope?: ExecutionScope;
  maxTurns?: number;
  maxCost?: number;
}): Effect & LoopHooks {
  const limits: SpendLimits = options;
  let spent: Spent = { requests: 0, cost: 0, tokens: 0 };
  const check = (run: { emit: Emit; stop: Stop }, messages: readonly AgentMessage[]) => {
    const limit = reachedLimit(limits, spent);
    if (limit === undefined) return;
    run.emit({ type: "limit_reached", limit });
    run.stop("limit", { error: limitError(limit, limits), result: lastText(messages) });
  };
  return {
    name: "limits",
    reset() {
      spent = { requests: 0, cost: 0, tokens: 0 };
    },
    before(info) {
      check(info, info.iteration === 0 ? [] : info.transcript.list());
    },
    after(info) {
      spent = { ...spent, requests: spent.requests + 1, cost: spent.cost + (info.lastUsage?.cost ?? 0) };
    },
    prepareNextTurn(turn) {
      // A turn without calls may be the last one; a run that ends by itself has kept its limits.
      if (turn.toolResults.length > 0) check(turn, turn.newMessages);
    },
  };
}

function lastText(messages: readonly AgentMessage[]): string {
  const texts = messages.filter((message) => message.role === "assistant").map(textOf);
  return texts.findLast((text) => text !== "") ?? "";
}
