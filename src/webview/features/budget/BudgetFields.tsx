import { t } from "@vscode/l10n";
import { type BudgetFigure, type BudgetLimits, budgetFigures } from "../../../protocol/runs.ts";
import { TextField } from "../../ui/TextField.tsx";
import { amountWords } from "./budget.ts";

type BudgetTexts = Readonly<Record<BudgetFigure, string>>;

export interface BudgetFieldsProps {
  heading: string;
  texts: BudgetTexts;
  /** What holds where a field is empty. */
  fallback: BudgetLimits;
  isFocused: boolean;
  change(texts: BudgetTexts): void;
  onKeyDown(event: KeyboardEvent): void;
}

const labels: Readonly<Record<BudgetFigure, () => string>> = {
  cost: () => t("Cost in $"),
  tokens: () => t("Tokens"),
  turns: () => t("Requests"),
  minutes: () => t("Minutes"),
};

/** The four figures of a budget. */
export function BudgetFields({ heading, texts, fallback, isFocused, change, onKeyDown }: BudgetFieldsProps) {
  const otherwise = (figure: BudgetFigure) => {
    const amount = fallback[figure] ?? 0;
    return amount > 0 ? amountWords(figure, amount) : t("no limit");
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: fields in a dialog of their own, not of a form.
    <div class="budget-fields" role="group" aria-label={heading}>
      <p>{heading}</p>
      <div class="budget-grid">
        {budgetFigures.map((figure, index) => (
          <div key={figure} class="budget-field">
            <span aria-hidden="true">{labels[figure]()}</span>
            <TextField
              label={labels[figure]()}
              placeholder={otherwise(figure)}
              value={texts[figure]}
              isFocused={isFocused && index === 0}
              onInput={(value) => change({ ...texts, [figure]: value })}
              onKeyDown={onKeyDown}
            />
          </div>
        ))}
      </div>
    </div>
  );
}
