import { t } from "@vscode/l10n";
import type { AgentEvent, AgentMeta } from "../../../agent/index.ts";
import type { Effect } from "../../../agent/vocabulary/hooks.ts";
import type { Model } from "../../../agent/vocabulary/model.ts";
import {
  type BudgetDecision,
  type BudgetFigure,
  type BudgetLimits,
  type BudgetQuestion,
  budgetFigures,
  budgetKey,
} from "../../../protocol/runs.ts";
import { PendingDecisions } from "../../approvals/pendingDecisions.ts";
import type { LeftCards } from "../restore/leftCards.ts";
import { allowedOf, Ledger, limitNames, limitWords, usedUp } from "./ledger.ts";

export interface BudgetUse {
  used: number;
  allowed: number;
}

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
  nearing(agentId: string, figure: BudgetFigure, use: BudgetUse): void;
}

/** A budget of which nothing is left, and what an agent has to do about it. */
export interface UsedUp {
  ownerId: string;
  figure: BudgetFigure;
  allowed: number;
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
    if (event.type === "agent_start" && event.agent.depth === 0) {
      this.ledger.reset();
      this.#budgets.clear();
      if (event.resumes !== true) this.#used.clear();
    }
    this.ledger.observe(event);
    if (event.type === "agent_start") this.#restoreUsed(event.agent.id);
    if (event.type === "usage") this.#noticeNearing(event.agent.id);
  }

  /** Counts the request that an agent is about to make, or names the budget that forbids it. */
  request(agent: AgentMeta): UsedUp | undefined {
    const spent = this.usedUp(agent.id);
    if (spent !== undefined) return spent;
    this.ledger.countTurn(agent.id);
    this.#noticeNearing(agent.id);
    return undefined;
  }

  /** The budget of which an agent has nothing left, its own or one above it. */
  usedUp(agentId: string): UsedUp | undefined {
    for (const ownerId of this.ledger.ancestry(agentId)) {
      const limits = this.limitsOf(ownerId);
      const { extended } = this.#budgetOf(ownerId);
      const figure = usedUp(limits, this.ledger.used(ownerId), extended);
      if (figure === undefined) continue;
      return { ownerId, figure, allowed: allowedOf(limits, figure, extended) ?? 0 };
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

  #follow(decision: BudgetDecision, { ownerId, figure }: UsedUp): void {
    const budget = this.#budgetOf(ownerId);
    if (decision === "extend") budget.extended.set(figure, (budget.extended.get(figure) ?? 0) + 1);
    else budget.ending = decision;
  }

  /** A run that goes on after a reload has as much left as when the user was asked: nothing. */
  #restoreUsed(ownerId: string): void {
    const question = this.#used.get(ownerId);
    if (question === undefined) return;
    const { figure, used, allowed } = question;
    this.ledger.restore(ownerId, figure, used);
    const limit = this.limitsOf(ownerId)[figure] ?? allowed;
    this.#budgetOf(ownerId).extended.set(figure, Math.max(0, Math.round(allowed / limit) - 1));
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

  #questionOf(id: string, { agent, spent: { ownerId, figure, allowed } }: Waiting): BudgetQuestion {
    return {
      id,
      agentId: ownerId,
      agentPath: this.#dependencies.agentPath(ownerId),
      waitingId: agent.id,
      figure,
      used: this.ledger.used(ownerId)[figure],
      allowed,
      step: this.limitsOf(ownerId)[figure] ?? allowed,
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

/** One question for each budget's figure. */
export function budgetQuestionKey({ ownerId, figure }: Pick<UsedUp, "ownerId" | "figure">): string {
  return `${ownerId} ${figure}`;
}

/** Shown once, when four fifths are used. */
export function nearingWords(name: string, figure: BudgetFigure, { used, allowed }: BudgetUse): string {
  switch (figure) {
    case "cost":
      return t("{0}: {1} of {2} used", name, dollars(used), dollars(allowed));
    case "tokens":
      return t("{0}: {1} of {2} tokens used", name, thousands(used), thousands(allowed));
    case "turns":
      return t("{0}: {1} of {2} requests used", name, used, allowed);
    case "minutes":
      return t("{0}: {1} of {2} minutes used", name, Math.floor(used), allowed);
    default:
      figure satisfies never;
      return "";
  }
}

export function uncountedWords({ id }: Model): string {
  return t(
    "The budget of cost can't count {0}: its price is not known. Give the price in arbor.providers, or set a budget of tokens.",
    id,
  );
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

function thousands(count: number): string {
  return count < 10_000 ? String(Math.round(count)) : `${Math.round(count / 1_000)}k`;
}

/** For the model. */
export function usedUpText({ figure, allowed }: UsedUp): string {
  return `the budget of ${limitWords(figure, allowed)} is used up`;
}

/** Holds every request of an agent against the budgets above it; the run waits while the user decides. */
export function budgetEffect(budgets: Budgets, beforeRequest: (agent: AgentMeta, model: Model) => void): Effect {
  return {
    name: "budget",
    async before(info) {
      beforeRequest(info.agent, info.model);
      for (;;) {
        const spent = budgets.request(info.agent);
        if (spent === undefined) return;
        const limit = limitNames[spent.figure];
        info.emit({ type: "limit_reached", limit });
        const decision = await budgets.decide(info.agent, spent, info.signal);
        if (decision === "extend") continue;
        return info.stop("limit", { limit, limitText: usedUpText(spent), finalRequest: decision === "wrapUp" });
      }
    },
  };
}
