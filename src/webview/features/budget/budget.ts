import { t } from "@vscode/l10n";
import {
  type BudgetFigure,
  type BudgetLimits,
  type BudgetTarget,
  type BudgetUse,
  budgetFigures,
  budgetKey,
} from "../../../protocol/runs.ts";
import { dollarText, formatTokens, numberText, plural } from "../../text/format.ts";

/** Like "50 requests". */
export function amountWithUnit(figure: BudgetFigure, amount: number): string {
  switch (figure) {
    case "cost":
      return amountText(figure, amount);
    case "tokens":
      return t("{0} tokens", amountText(figure, amount));
    case "turns":
      return plural(amount, t("{0} request", amount), t("{0} requests", amount));
    case "minutes":
      return t("{0} min", amountText(figure, amount));
    default:
      figure satisfies never;
      return "";
  }
}

/** Like "50", without its unit. */
export function amountText(figure: BudgetFigure, amount: number): string {
  switch (figure) {
    case "cost":
      return dollarText(amount, 2);
    case "tokens":
      return formatTokens(amount);
    case "turns":
      return String(amount);
    case "minutes":
      return numberText(amount, 1);
    default:
      figure satisfies never;
      return "";
  }
}

/** The limits in effect, in a line; undefined without any. */
export function limitsLine(limits: BudgetLimits): string | undefined {
  const amounts = budgetFigures.flatMap((figure) => {
    const amount = limits[figure] ?? 0;
    return amount > 0 ? [amountWithUnit(figure, amount)] : [];
  });
  return amounts.length === 0 ? undefined : amounts.join(" · ");
}

/** What of a budget is used, like "$0.20 of $1.00 · 3 of 5 requests"; undefined where nothing has a limit. */
export function usesLine({ used, allowed }: BudgetUse): string | undefined {
  const parts = budgetFigures.flatMap((figure) => {
    const amount = allowed[figure];
    return amount === undefined
      ? []
      : [t("{0} of {1}", amountText(figure, used[figure]), amountWithUnit(figure, amount))];
  });
  return parts.length === 0 ? undefined : parts.join(" · ");
}

/** What the user has set for a target, and what applies where they have not. */
export function limitsOf(
  target: BudgetTarget,
  budgets: Readonly<Record<string, BudgetLimits>>,
  ofTree: BudgetLimits,
): { chosen: BudgetLimits; fallback: BudgetLimits } {
  const limitsAt = (key: string) => (Object.hasOwn(budgets, key) ? (budgets[key] ?? {}) : {});
  const fallback =
    target.scope === "tree" ? ofTree : target.scope === "agent" ? limitsAt(budgetKey({ scope: "eachSubAgent" })) : {};
  return { chosen: limitsAt(budgetKey(target)), fallback };
}

/** What was typed into the fields; undefined when one of them is no amount. An empty field sets nothing. */
export function typedLimits(fields: Readonly<Record<BudgetFigure, string>>): BudgetLimits | undefined {
  const limits: BudgetLimits = {};
  for (const figure of budgetFigures) {
    const typed = fields[figure].trim().replace(",", ".");
    if (typed === "") continue;
    const amount = Number(typed);
    if (!Number.isFinite(amount) || amount < 0 || amount > 1_000_000_000) return undefined;
    limits[figure] = amount;
  }
  return limits;
}
