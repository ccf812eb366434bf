import { t } from "@vscode/l10n";
import { type AgentMeta, contextTokens } from "../../../agent/index.ts";
import type { Effect, IterationInfo } from "../../../agent/vocabulary/hooks.ts";
import type { Model } from "../../../agent/vocabulary/model.ts";
import type { BudgetFigure } from "../../../protocol/runs.ts";
import { foreignProviderId } from "../../models/providers.ts";
import type { Budgets, UsedUp } from "./budgets.ts";
import { type FigureUse, limitNames, type Needs } from "./ledger.ts";

/** Shown once, when four fifths are used. */
export function nearingWords(name: string, figure: BudgetFigure, { used, allowed }: FigureUse): string {
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

const tokensPerMillion = 1_000_000;
/** An estimate may be too high; what is refused has to be too much. */
const certainShare = 0.75;

/** What an agent's next request takes at least: it begins with all that the one before showed. */
function needsOf({ lastUsage, estimatedTokens, model }: IterationInfo): Needs {
  // What another program asks of its model is not known before.
  if (model.provider === foreignProviderId) return { cost: 0, tokens: 0 };
  const tokens = lastUsage === undefined ? Math.floor(estimatedTokens * certainShare) : contextTokens(lastUsage);
  const { price } = model;
  // As if the provider had kept all of it.
  const perMillion = price === undefined ? 0 : Math.min(price.cacheRead ?? price.input, price.input);
  return { tokens, cost: (tokens * perMillion) / tokensPerMillion };
}

/** Holds every request of an agent against the budgets above it; the run waits while the user decides. */
export function budgetEffect(budgets: Budgets, beforeRequest: (agent: AgentMeta, model: Model) => void): Effect {
  return {
    name: "budget",
    async before(info) {
      beforeRequest(info.agent, info.model);
      for (;;) {
        const spent = budgets.request(info.agent, needsOf(info));
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

/** Like "50 requests", for the model. */
function limitWords(figure: BudgetFigure, amount: number): string {
  switch (figure) {
    case "cost":
      return `${amount} USD`;
    case "tokens":
      return `${amount} tokens`;
    case "turns":
      return `${amount} requests`;
    case "minutes":
      return `${amount} minutes`;
    default:
      figure satisfies never;
      return "";
  }
}
