import type { AgentEvent } from "../../../agent/index.ts";
import type { LimitName } from "../../../agent/vocabulary/events.ts";
import { type BudgetFigure, type BudgetLimits, budgetFigures } from "../../../protocol/runs.ts";

interface Account {
  parentId: string | undefined;
  cost: number;
  tokens: number;
  turns: number;
  startedAt: number;
  /** Milliseconds that it waited for the user before it began, of the whole tree's. */
  waitedBefore: number;
}

const msPerMinute = 60_000;

/**
 * What each agent of a run has used, with all below it. Every figure is counted once, where it arises, and added to all
 * ancestors. Time that is spent waiting for an answer about a budget belongs to none of them.
 */
export class Ledger {
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();
  /** By agent id, of earlier runs as well: an agent may be asked again below one that has no part in this run. */
  readonly #parents = new Map<string, string | undefined>();
  /** By agent id: what its request under way takes at least. */
  readonly #reserved = new Map<string, Needs>();
  #waitedMs = 0;
  #waitingSince: number | undefined;
  #waiters = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A new run of the whole tree. */
  reset(): void {
    this.#accounts.clear();
    this.#reserved.clear();
    this.#waitedMs = 0;
    if (this.#waitingSince !== undefined) this.#waitingSince = this.#now();
  }

  observe(event: AgentEvent): void {
    if (event.type === "agent_start") {
      this.#parents.set(event.agent.id, event.agent.parentId);
      this.#open(event.agent.id);
    }
    if (event.type === "usage" || event.type === "agent_end") this.#reserved.delete(event.agent.id);
    if (event.type !== "usage") return;
    const { input, output, cacheRead, cacheWrite, cost } = event.delta;
    for (const account of this.#lineage(event.agent.id)) {
      account.cost += cost;
      account.tokens += input + output + cacheRead + cacheWrite;
    }
  }

  /** A request is about to be made, which takes at least so much. */
  countTurn(agentId: string, needs: Needs = nothing): void {
    this.#reserved.set(agentId, needs);
    for (const account of this.#lineage(agentId)) account.turns += 1;
  }

  /** What the requests under way of an agent and all below it take at least, but for one of them. */
  reserved(agentId: string, exceptId?: string): Needs {
    let [cost, tokens] = [0, 0];
    for (const [id, needs] of this.#reserved) {
      if (id === exceptId || !this.ancestry(id).includes(agentId)) continue;
      cost += needs.cost;
      tokens += needs.tokens;
    }
    return { cost, tokens };
  }

  /** What an agent had used before the editor was opened again. */
  restore(agentId: string, figure: BudgetFigure, used: number): void {
    const account = this.#accounts.get(agentId);
    if (account === undefined) return;
    if (figure === "minutes") account.startedAt = this.#now() - used * msPerMinute;
    else account[figure] = used;
  }

  /** From the agent up to the root. */
  ancestry(agentId: string): string[] {
    const ids: string[] = [];
    for (let id: string | undefined = agentId; id !== undefined && !ids.includes(id); ) {
      const account = this.#accounts.get(id);
      if (account === undefined) break;
      ids.push(id);
      id = account.parentId;
    }
    return ids;
  }

  used(agentId: string): Used {
    const account = this.#accounts.get(agentId);
    if (account === undefined) return { cost: 0, tokens: 0, turns: 0, minutes: 0 };
    const { cost, tokens, turns, startedAt, waitedBefore } = account;
    return { cost, tokens, turns, minutes: (this.#now() - startedAt - this.#waited() + waitedBefore) / msPerMinute };
  }

  /** The clock is still until what it returns is called. */
  pause(): () => void {
    if (this.#waiters++ === 0) this.#waitingSince = this.#now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#waiters > 0) return;
      this.#waitedMs = this.#waited();
      this.#waitingSince = undefined;
    };
  }

  #open(id: string): void {
    if (this.#accounts.has(id)) return;
    const parentId = this.#parents.get(id);
    const fresh = { cost: 0, tokens: 0, turns: 0, startedAt: this.#now(), waitedBefore: this.#waited() };
    this.#accounts.set(id, { parentId, ...fresh });
    if (parentId !== undefined && this.#parents.has(parentId)) this.#open(parentId);
  }

  #lineage(agentId: string): Account[] {
    return this.ancestry(agentId).flatMap((id) => this.#accounts.get(id) ?? []);
  }

  #waited(): number {
    return this.#waitedMs + (this.#waitingSince === undefined ? 0 : this.#now() - this.#waitingSince);
  }
}

/** What an agent and all below it have used in the run under way. */
export type Used = Readonly<Record<BudgetFigure, number>>;

/** What is used of one figure of a budget. */
export interface FigureUse {
  used: number;
  allowed: number;
}

/** What a request takes at least, as far as that is known before it is made. */
export type Needs = Readonly<Pick<Used, "cost" | "tokens">>;

const nothing: Needs = { cost: 0, tokens: 0 };

/** How the library calls the limits of a budget. */
export const limitNames: Readonly<Record<BudgetFigure, LimitName>> = {
  cost: "cost",
  tokens: "tokens",
  turns: "turns",
  minutes: "time",
};

/**
 * The first figure of which nothing is left, or less than the next request takes. `extended` says how often each was
 * raised by its own size.
 */
export function usedUp(
  limits: BudgetLimits,
  used: Used,
  { extended, needs = nothing }: { extended: ReadonlyMap<BudgetFigure, number>; needs?: Needs },
): BudgetFigure | undefined {
  return budgetFigures.find((figure) => {
    const allowed = allowedOf(limits, figure, extended);
    return allowed !== undefined && (used[figure] >= allowed || used[figure] + needOf(figure, needs) > allowed);
  });
}

export function needOf(figure: BudgetFigure, needs: Needs): number {
  return figure === "cost" || figure === "tokens" ? needs[figure] : 0;
}

/** Undefined without a limit. */
export function allowedOf(
  limits: BudgetLimits,
  figure: BudgetFigure,
  extended: ReadonlyMap<BudgetFigure, number>,
): number | undefined {
  const limit = limits[figure];
  return limit === undefined || limit <= 0 ? undefined : limit * (1 + (extended.get(figure) ?? 0));
}
