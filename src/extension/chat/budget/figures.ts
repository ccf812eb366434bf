import type { LimitName } from "../../../agent/vocabulary/events.ts";
import { type BudgetFigure, type BudgetLimits, budgetFigures } from "../../../protocol/runs.ts";

/** What an agent and all below it have used in the run under way. */
export type Used = Readonly<Record<BudgetFigure, number>>;

/** How the library calls the limits of a budget. */
export const limitNames: Readonly<Record<BudgetFigure, LimitName>> = {
  cost: "cost",
  tokens: "tokens",
  turns: "turns",
  minutes: "time",
};

/** The first figure of which nothing is left. `extended` says how often each was raised by its own size. */
export function usedUp(
  limits: BudgetLimits,
  used: Used,
  extended: ReadonlyMap<BudgetFigure, number>,
): BudgetFigure | undefined {
  return budgetFigures.find((figure) => {
    const allowed = allowedOf(limits, figure, extended);
    return allowed !== undefined && used[figure] >= allowed;
  });
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

/** Like "50 requests", for the model. */
export function limitWords(figure: BudgetFigure, amount: number): string {
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
