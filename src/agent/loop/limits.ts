import { AgentError, assertNever, checkNumbers } from "../vocabulary/errors.ts";
import type { LimitName } from "../vocabulary/events.ts";
import type { Effect, Emit, LoopHooks, Stop } from "../vocabulary/hooks.ts";
import { type AgentMessage, textOf } from "../vocabulary/messages.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";

/** What one run may spend. Absent or 0 means unlimited; money is USD. */
export interface SpendLimits {
  maxIterations?: number | undefined;
  maxTurns?: number | undefined;
  maxCost?: number | undefined;
  maxTokens?: number | undefined;
  scope?: ExecutionScope | undefined;
}

/** What an agent itself has spent in its run so far; usage it was handed does not count. */
export interface Spent {
  requests: number;
  cost: number;
  tokens: number;
}

/** How often each limit was extended in this run; every extension grants the original amount once more. */
export type Extensions = ReadonlyMap<LimitName, number>;

/** The limit that forbids another request, if any. */
export function reachedLimit(limits: SpendLimits, spent: Spent, extensions?: Extensions): LimitName | undefined {
  const granted = (name: LimitName, limit: number | undefined): number =>
    limit === undefined || limit <= 0 ? Number.POSITIVE_INFINITY : limit * (1 + (extensions?.get(name) ?? 0));
  const past = limits.scope?.check();
  if (past === "depth" && !extensions?.has("depth")) return "depth";
  if (past === "spend") {
    const mayGoOn = extensions?.has("spend") && (limits.scope?.spend ?? 0) <= granted("spend", limits.scope?.maxSpend);
    if (!mayGoOn) return "spend";
  }
  if (spent.requests >= granted("iterations", limits.maxIterations)) return "iterations";
  if (spent.requests >= granted("turns", limits.maxTurns)) return "turns";
  if (spent.cost > granted("cost", limits.maxCost)) return "cost";
  if (spent.tokens > granted("tokens", limits.maxTokens)) return "tokens";
  return undefined;
}

/** A sentence that names the limit and its size. */
export function limitText(name: LimitName, limits: SpendLimits): string {
  switch (name) {
    case "depth":
      return `max depth exceeded (max depth ${limits.scope?.maxDepth ?? "unknown"})`;
    case "spend":
      return `max spend exceeded (max spend ${limits.scope?.maxSpend ?? "unknown"} USD)`;
    case "iterations":
      return `max iterations exceeded (${limits.maxIterations ?? "unknown"})`;
    case "turns":
      return `max turns exceeded (${limits.maxTurns ?? "unknown"})`;
    case "cost":
      return `limits exceeded (max cost ${limits.maxCost ?? "unknown"} USD)`;
    case "tokens":
      return `limits exceeded (max tokens ${limits.maxTokens ?? "unknown"})`;
    case "time":
      return "limits exceeded (time)";
    default:
      return assertNever(name);
  }
}

/** The error of a run that a limit ended. */
export function limitError(name: LimitName, limits: SpendLimits): AgentError {
  return new AgentError(name === "iterations" ? "max_iterations" : "limit", limitText(name, limits));
}

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
  checkNumbers({ maxTurns: options.maxTurns, maxCost: options.maxCost });
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
      // A turn without calls may be the last one; a run that ends on its own has kept its limits.
      if (turn.toolResults.length > 0) check(turn, turn.newMessages);
    },
  };
}

function lastText(messages: readonly AgentMessage[]): string {
  const texts = messages.filter((message) => message.role === "assistant").map(textOf);
  return texts.findLast((text) => text !== "") ?? "";
}
