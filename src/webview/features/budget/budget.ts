import { t } from "@vscode/l10n";
import {
  type BudgetFigure,
  type BudgetLimits,
  type BudgetTarget,
  budgetFigures,
  budgetKey,
} from "../../../protocol/runs.ts";
import { formatTokens } from "../../text/format.ts";
import { dollarText, numberText } from "../../text/numbers.ts";

/** Like "50 requests". */
export function amountWords(figure: BudgetFigure, amount: number): string {
  switch (figure) {
    case "cost":
      return amountText(figure, amount);
    case "tokens":
      return t("{0} tokens", amountText(figure, amount));
    case "turns":
      return amount === 1 ? t("1 request") : t("{0} requests", amountText(figure, amount));
    case "minutes":
      return t("{0} min", amountText(figure, amount));
    default:
      figure satisfies never;
      return "";
  }
}

/** Like "50", beside the same figure in words. */
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

/** What holds, in a line; undefined without a limit. */
export function limitsLine(limits: BudgetLimits): string | undefined {
  const words = budgetFigures.flatMap((figure) => {
    const amount = limits[figure] ?? 0;
    return amount > 0 ? [amountWords(figure, amount)] : [];
  });
  return words.length === 0 ? undefined : words.join(" · ");
}

/** What the user has set for a target, and what holds where they have not. */
export function limitsOf(
  target: BudgetTarget,
  budgets: Readonly<Record<string, BudgetLimits>>,
  ofTree: BudgetLimits,
): { chosen: BudgetLimits; fallback: BudgetLimits } {
  const kept = (key: string) => (Object.hasOwn(budgets, key) ? (budgets[key] ?? {}) : {});
  const fallback =
    target.scope === "tree" ? ofTree : target.scope === "agent" ? kept(budgetKey({ scope: "eachSubAgent" })) : {};
  return { chosen: kept(budgetKey(target)), fallback };
}

/** Limits as they stand in the fields. */
export function limitTexts(limits: BudgetLimits): Record<BudgetFigure, string> {
  const text = (figure: BudgetFigure) => (limits[figure] === undefined ? "" : String(limits[figure]));
  return { cost: text("cost"), tokens: text("tokens"), turns: text("turns"), minutes: text("minutes") };
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
