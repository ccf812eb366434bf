import type { LimitName } from "./events.ts";

/** Where an execution stands in its tree. Children share one ledger, so `spend` is that of the whole tree. */
export interface ExecutionScope {
  readonly traceId: string;
  readonly depth: number;
  readonly path: readonly string[];
  readonly startedAt: number;
  readonly maxDepth?: number;
  /** USD */
  readonly maxSpend?: number;
  /** USD */
  readonly spend: number;
  child(agentName: string): ExecutionScope;
  charge(usd: number): void;
  check(): LimitName | undefined;
}
