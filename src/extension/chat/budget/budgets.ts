// Longer than other files: what budgets allow, ask and restore is one state that each of these methods reads.
import type { AgentEvent, AgentMeta } from "../../../agent/index.ts";
import {
  type BudgetDecision,
  type BudgetFigure,
  type BudgetLimits,
  type BudgetQuestion,
  type BudgetTarget,
  type BudgetUse,
  budgetFigures,
  budgetKey,
} from "../../../protocol/runs.ts";
import { PendingDecisions } from "../../approvals/pendingDecisions.ts";
import type { LeftCards } from "../restore/leftCards.ts";
import { allowedOf, type FigureUse, Ledger, type Needs, needOf, usedUp } from "./ledger.ts";

export interface BudgetDependencies {
  /** What holds where the user has set nothing for this chat. */
  defaults(): BudgetLimits;
  /** What the user has set for this chat, by `budgetKey`. */
  chosen(): Readonly<Record<string, BudgetLimits>>;
  agentPath(agentId: string): string[];
  now(): number;
  newId(): string;
  asked(question: BudgetQuestion): void;
  /** Without a decision: the question is withdrawn. */
  answered(questionId: string, decision?: BudgetDecision): void;
  /** What the user was asked when the editor ended. Default: nothing. */
  left?: Pick<LeftCards, "budgets" | "budgetQuestions"> | undefined;
  /** Four fifths are used. */
  nearing(agentId: string, figure: BudgetFigure, use: FigureUse): void;
  /** What of a budget is used has changed. */
  used(use: BudgetUse): void;
  /** What is known of budgets, by the ids of their owners. */
  uses(): Readonly<Record<string, BudgetUse>>;
}

/** A budget of which nothing is left, and what an agent has to do about it. */
export interface UsedUp {
  ownerId: string;
  figure: BudgetFigure;
  allowed: number;
  /** What the next request takes at least, with those under way; 0 where it is not known. */
  next: number;
}

/** One owner's budget in the run under way. */
interface Budget {
  extended: Map<BudgetFigure, number>;
  noticed: Set<string>;
  /** The user has ended it. */
  ending: "wrapUp" | "stop" | undefined;
}

interface Waiting {
  agent: AgentMeta;
  spent: UsedUp;
}

const nearingShare = 0.8;

/** The budgets of one chat's runs: of the whole tree, and of its sub-agents with what they spawn. */
export class Budgets {
  readonly ledger: Ledger;
  readonly #dependencies: BudgetDependencies;
  readonly #budgets = new Map<string, Budget>();
  readonly #pending: PendingDecisions<Waiting, BudgetDecision>;
  /** By the id of the question: the clock is still as long as it is open. */
  readonly #paused = new Map<string, () => void>();
  /** By owner: what an interrupted run had used when the user was asked. */
  readonly #used: Map<string, BudgetQuestion>;
  /** The same as of the latest request. */
  #earlier = new Map<string, BudgetUse>();
  #since = 0;
  #rootId: string | undefined;
  /** Owners of which a model's price is not known. */
  readonly #uncounted = new Set<string>();

  constructor(dependencies: BudgetDependencies) {
    this.#dependencies = dependencies;
    this.#used = new Map(dependencies.left?.budgetQuestions.map((question) => [question.agentId, question]));
    this.ledger = new Ledger(dependencies.now);
    this.#pending = new PendingDecisions({
      newId: dependencies.newId,
      show: ({ id, requests: [first] }, isNew) => {
        if (!isNew || first === undefined) return;
        this.#paused.set(id, this.ledger.pause());
        dependencies.asked(this.#questionOf(id, first));
      },
      close: ({ id }, decision) => {
        this.#paused.get(id)?.();
        this.#paused.delete(id);
        dependencies.answered(id, decision);
      },
    });
  }

  observe(event: AgentEvent): void {
    const { uses } = this.#dependencies;
    if (event.type === "agent_start" && event.agent.depth === 0) this.#begin(event);
    this.ledger.observe(event);
    if (event.type === "agent_start") this.#restoreUsed(event.agent.id);
    // The uses of an earlier run are over.
    const isNews = event.type === "agent_start" && event.agent.depth === 0 && Object.keys(uses()).length > 0;
    if (isNews) this.#saveUse(event.agent.id, true);
    if (event.type === "usage") this.#noticeNearing(event.agent.id);
    if (event.type === "usage") for (const ownerId of this.ledger.ancestry(event.agent.id)) this.#saveUse(ownerId);
  }

  /** A run that goes on has used what it had used. */
  #begin(event: Extract<AgentEvent, { type: "agent_start" }>): void {
    const resumes = event.resumes === true;
    this.#rootId = event.agent.id;
    const uses = Object.values(this.#dependencies.uses());
    const since = Math.max(...uses.map((use) => use.since));
    this.ledger.reset();
    this.#budgets.clear();
    this.#uncounted.clear();
    this.#since = resumes && uses.length > 0 ? since : this.#dependencies.now();
    const ofRun = resumes ? uses.filter((use) => use.since === since) : [];
    this.#earlier = new Map(ofRun.map((use) => [use.agentId, use]));
    if (!resumes) this.#used.clear();
  }

  /** The cost of what an agent asks is not known. */
  leaveUncounted(agentId: string): void {
    for (const ownerId of this.ledger.ancestry(agentId)) this.#uncounted.add(ownerId);
  }

  /** The budget of an agent was changed while it works. */
  changed(target: BudgetTarget): void {
    const ownerId = target.scope === "agent" ? target.agentId : this.#rootId;
    if (ownerId !== undefined) this.#saveUse(ownerId);
  }

  #saveUse(ownerId: string, isNews = false): void {
    const limits = this.limitsOf(ownerId);
    const { extended } = this.#budgetOf(ownerId);
    const allowed: BudgetLimits = {};
    for (const figure of budgetFigures) {
      const amount = allowedOf(limits, figure, extended);
      if (amount !== undefined) allowed[figure] = amount;
    }
    const isKnown = isNews || Object.hasOwn(this.#dependencies.uses(), ownerId);
    if (this.ledger.ancestry(ownerId).length === 0 || (Object.keys(allowed).length === 0 && !isKnown)) return;
    const isUncounted = this.#uncounted.has(ownerId) && allowed.cost !== undefined;
    const use = { agentId: ownerId, since: this.#since, used: this.ledger.used(ownerId), allowed };
    this.#dependencies.used({ ...use, ...(isUncounted && { isUncounted }) });
  }

  /** What an agent may still use: the least of what is left of its own budget and of those above it. */
  restOf(agentId: string): BudgetLimits {
    const rest: BudgetLimits = {};
    for (const ownerId of this.ledger.ancestry(agentId)) {
      const limits = this.limitsOf(ownerId);
      const { extended } = this.#budgetOf(ownerId);
      const [used, reserved] = [this.ledger.used(ownerId), this.ledger.reserved(ownerId)];
      for (const figure of budgetFigures) {
        const allowed = allowedOf(limits, figure, extended);
        if (allowed === undefined) continue;
        const left = Math.max(0, allowed - used[figure] - needOf(figure, reserved));
        rest[figure] = Math.min(rest[figure] ?? left, left);
      }
    }
    return rest;
  }

  /** What a sub-agent gets of what the agent that asks it gives: never more than that has left itself. */
  grantOf(parentId: string, given: BudgetLimits): BudgetLimits {
    const rest = this.restOf(parentId);
    const each = this.#dependencies.chosen()[budgetKey({ scope: "eachSubAgent" })] ?? {};
    const granted: BudgetLimits = {};
    for (const figure of budgetFigures) {
      const amount = given[figure];
      if (amount === undefined || amount <= 0) continue;
      const wanted = (each[figure] ?? 0) > 0 ? Math.min(amount, each[figure] ?? amount) : amount;
      // 0 would set no limit.
      granted[figure] = Math.max(Math.min(wanted, rest[figure] ?? wanted), leastAmounts[figure]);
    }
    return granted;
  }

  /** Counts the request that an agent is about to make, or names the budget that forbids it. */
  request(agent: AgentMeta, needs: Needs): UsedUp | undefined {
    const spent = this.usedUp(agent.id, needs);
    if (spent !== undefined) return spent;
    this.ledger.countTurn(agent.id, needs);
    // Not every provider says what a request used. What the settings allow is as of the latest that did.
    const isChosen = (ownerId: string) =>
      this.ledger.ancestry(ownerId).length > 1 ||
      Object.hasOwn(this.#dependencies.chosen(), budgetKey({ scope: "tree" }));
    for (const ownerId of this.ledger.ancestry(agent.id)) if (isChosen(ownerId)) this.#saveUse(ownerId);
    this.#noticeNearing(agent.id);
    return undefined;
  }

  /** The budget of which an agent has too little left for a request, its own or one above it. */
  usedUp(agentId: string, needs?: Needs): UsedUp | undefined {
    for (const ownerId of this.ledger.ancestry(agentId)) {
      const limits = this.limitsOf(ownerId);
      const { extended } = this.#budgetOf(ownerId);
      const { cost = 0, tokens = 0 } = needs ?? {};
      // What the agent asked before has ended, also where that failed and no use was reported.
      const reserved = needs && this.ledger.reserved(ownerId, agentId);
      const all = { cost: cost + (reserved?.cost ?? 0), tokens: tokens + (reserved?.tokens ?? 0) };
      const figure = usedUp(limits, this.ledger.used(ownerId), { extended, needs: all });
      if (figure === undefined) continue;
      return { ownerId, figure, allowed: allowedOf(limits, figure, extended) ?? 0, next: needOf(figure, all) };
    }
    return undefined;
  }

  /** What the user says, asked once however many agents wait. An abort leaves the question to the others. */
  async decide(agent: AgentMeta, spent: UsedUp, signal: AbortSignal): Promise<BudgetDecision> {
    const { ending } = this.#budgetOf(spent.ownerId);
    if (ending !== undefined) return ending;
    const key = budgetQuestionKey(spent);
    const { id, answer } = this.#dependencies.left?.budgets.claim(key) ?? {};
    if (answer === undefined) {
      return this.#pending.wait({ agent, spent }, signal, { key, ...(id !== undefined && { id }) });
    }
    this.#follow(answer, spent);
    return answer;
  }

  /** False when the question is not open any more. */
  answer(questionId: string, decision: BudgetDecision): boolean {
    const [first] = this.#pending.find(questionId)?.requests ?? [];
    if (first === undefined) return false;
    this.#follow(decision, first.spent);
    return this.#pending.answer(questionId, decision);
  }

  #follow(decision: BudgetDecision, spent: UsedUp): void {
    const { ownerId, figure } = spent;
    const budget = this.#budgetOf(ownerId);
    if (decision !== "extend") budget.ending = decision;
    else budget.extended.set(figure, (budget.extended.get(figure) ?? 0) + this.#extensionsFor(spent));
    this.#saveUse(ownerId);
  }

  /** How often a budget is raised by its own size, so that the request that waits can be made. */
  #extensionsFor({ ownerId, figure, next, allowed }: UsedUp): number {
    const limit = this.limitsOf(ownerId)[figure] ?? allowed;
    const missing = this.ledger.used(ownerId)[figure] + next - allowed;
    return limit > 0 ? Math.max(1, Math.ceil(missing / limit)) : 1;
  }

  /** A run that goes on after a reload has as much left as it had. */
  #restoreUsed(ownerId: string): void {
    const earlier = this.#earlier.get(ownerId);
    this.#earlier.delete(ownerId);
    if (earlier !== undefined) {
      const limits = this.limitsOf(ownerId);
      for (const figure of budgetFigures) {
        this.ledger.restore(ownerId, figure, earlier.used[figure]);
        const [limit = 0, allowed = 0] = [limits[figure], earlier.allowed[figure]];
        const times = limit > 0 ? Math.round(allowed / limit) - 1 : 0;
        if (times > 0) this.#budgetOf(ownerId).extended.set(figure, times);
      }
    }
    const question = this.#used.get(ownerId);
    if (question === undefined) return;
    const { figure, used, allowed } = question;
    this.ledger.restore(ownerId, figure, used);
    const limit = this.limitsOf(ownerId)[figure] ?? allowed;
    const times = limit > 0 ? Math.round(allowed / limit) - 1 : 0;
    this.#budgetOf(ownerId).extended.set(figure, Math.max(0, times));
    this.#used.delete(ownerId);
  }

  /** What holds for an agent with all below it. */
  limitsOf(agentId: string): BudgetLimits {
    const chosen = this.#dependencies.chosen();
    const isRoot = this.ledger.ancestry(agentId).length === 1;
    if (isRoot) return { ...this.#dependencies.defaults(), ...chosen[budgetKey({ scope: "tree" })] };
    const own = chosen[budgetKey({ scope: "agent", agentId })];
    return { ...chosen[budgetKey({ scope: "eachSubAgent" })], ...own };
  }

  #questionOf(id: string, { agent, spent }: Waiting): BudgetQuestion {
    const { ownerId, figure, allowed, next } = spent;
    const used = this.ledger.used(ownerId)[figure];
    const isShort = used < allowed;
    return {
      id,
      agentId: ownerId,
      agentPath: this.#dependencies.agentPath(ownerId),
      waitingId: agent.id,
      figure,
      used,
      allowed,
      step: (this.limitsOf(ownerId)[figure] ?? allowed) * this.#extensionsFor(spent),
      ...(isShort && { next }),
    };
  }

  #budgetOf(ownerId: string): Budget {
    const known = this.#budgets.get(ownerId);
    if (known !== undefined) return known;
    const budget: Budget = { extended: new Map(), noticed: new Set(), ending: undefined };
    this.#budgets.set(ownerId, budget);
    return budget;
  }

  #noticeNearing(agentId: string): void {
    for (const ownerId of this.ledger.ancestry(agentId)) {
      const { extended, noticed } = this.#budgetOf(ownerId);
      const limits = this.limitsOf(ownerId);
      const used = this.ledger.used(ownerId);
      for (const figure of budgetFigures) {
        const allowed = allowedOf(limits, figure, extended);
        const mark = `${figure} ${allowed}`;
        if (allowed === undefined || noticed.has(mark) || used[figure] < allowed * nearingShare) continue;
        noticed.add(mark);
        this.#dependencies.nearing(ownerId, figure, { used: used[figure], allowed });
      }
    }
  }
}

/** A budget of less would be none. */
const leastAmounts: Readonly<Record<BudgetFigure, number>> = { cost: 0.000_001, tokens: 1, turns: 1, minutes: 0.01 };

/** One question for each budget's figure. */
export function budgetQuestionKey({ ownerId, figure }: Pick<UsedUp, "ownerId" | "figure">): string {
  return `${ownerId} ${figure}`;
}
