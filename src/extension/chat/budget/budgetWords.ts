import { t } from "@vscode/l10n";
import type { Model } from "../../../agent/vocabulary/model.ts";
import type { BudgetFigure } from "../../../protocol/runs.ts";
import type { BudgetUse } from "./budgets.ts";

/** Told once when four fifths are used. */
export function nearingWords(name: string, figure: BudgetFigure, { used, allowed }: BudgetUse): string {
  switch (figure) {
    case "cost":
      return t("{0} has used {1} of its budget of {2}.", name, dollars(used), dollars(allowed));
    case "tokens":
      return t("{0} has used {1} of its budget of {2} tokens.", name, thousands(used), thousands(allowed));
    case "turns":
      return t("{0} has made {1} of the {2} requests of its budget.", name, used, allowed);
    case "minutes":
      return t("{0} has used {1} of the {2} minutes of its budget.", name, Math.floor(used), allowed);
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
