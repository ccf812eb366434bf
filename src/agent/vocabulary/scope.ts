import { checkNumbers } from "./errors.ts";
import type { LimitName } from "./events.ts";

/** Where an execution is in its tree. Children share one ledger, so `spend` is that of the whole tree. */
export interface ExecutionScope {
  readonly traceId: string;
  readonly depth: number;
  /** Names of the agents that are running, from the root to here. */
  readonly path: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The greatest depth an agent may have; 0 allows no children. */
  readonly maxDepth?: number;
  /** USD */
  readonly maxSpend?: number;
  /** USD */
  readonly spend: number;
  child(agentName: string): ExecutionScope;
  /** Adds to the spend of the whole tree, in USD. */
  charge(usd: number): void;
  /** Which limit this execution is past; equal to a limit is still within it. */
  check(): LimitName | undefined;
}

/** What the tree has spent, in USD. */
type Ledger = Pick<ExecutionScope, "spend" | "charge">;

interface ScopePosition {
  traceId: string;
  depth: number;
  path: readonly string[];
  startedAt: number;
  maxDepth?: number;
  maxSpend?: number;
}

/** A root scope. Its path is empty: no agent runs in it yet. */
export function createScope(o: { traceId?: string; maxDepth?: number; maxSpend?: number } = {}): ExecutionScope {
  checkNumbers({ maxDepth: o.maxDepth, maxSpend: o.maxSpend });
  let spend = 0;
  const ledger: Ledger = {
    get spend() {
      return spend;
    },
    charge(usd) {
      spend += usd;
    },
  };
  const limits = {
    ...(o.maxDepth === undefined ? {} : { maxDepth: o.maxDepth }),
    ...(o.maxSpend === undefined ? {} : { maxSpend: o.maxSpend }),
  };
  const position = { traceId: o.traceId ?? crypto.randomUUID(), depth: 0, path: [], startedAt: Date.now() };
  return scopeAt({ ...position, ...limits }, ledger);
}

function scopeAt(position: ScopePosition, ledger: Ledger): ExecutionScope {
  return {
    ...position,
    get spend() {
      return ledger.spend;
    },
    child: (agentName) =>
      scopeAt({ ...position, depth: position.depth + 1, path: [...position.path, agentName] }, ledger),
    charge: (usd) => ledger.charge(usd),
    check() {
      if (position.maxDepth !== undefined && position.depth > position.maxDepth) return "depth";
      if (position.maxSpend !== undefined && ledger.spend > position.maxSpend) return "spend";
      return undefined;
    },
  };
}

/** The scope as the agent `name` sees it while it runs there: the same depth and ledger, its name at the path's end. */
export function enterScope(scope: ExecutionScope, name: string): ExecutionScope {
  if (scope.path.at(-1) === name) return scope;
  return withPosition(scope, { path: [...scope.path, name] });
}

/** The scope under limits of its own; the stricter one counts. */
export function limitScope(scope: ExecutionScope, o: { maxDepth?: number; maxSpend?: number }): ExecutionScope {
  const maxDepth = stricter(scope.maxDepth, o.maxDepth);
  const maxSpend = stricter(scope.maxSpend, o.maxSpend);
  if (maxDepth === scope.maxDepth && maxSpend === scope.maxSpend) return scope;
  return withPosition(scope, {
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(maxSpend === undefined ? {} : { maxSpend }),
  });
}

function withPosition(scope: ExecutionScope, change: Partial<ScopePosition>): ExecutionScope {
  const { traceId, depth, path, startedAt, maxDepth, maxSpend } = scope;
  const limits = {
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(maxSpend === undefined ? {} : { maxSpend }),
  };
  return scopeAt({ traceId, depth, path, startedAt, ...limits, ...change }, scope);
}

function stricter(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
