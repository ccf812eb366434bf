import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { type BudgetFigure, type BudgetLimits, budgetFigures } from "../../../protocol/runs.ts";
import { limitsLine, typedLimits } from "../../state/budget.ts";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/TextField.tsx";

export interface BudgetFieldsProps {
  heading: string;
  chosen: BudgetLimits;
  /** What holds where a field is empty. */
  fallback: BudgetLimits;
  save(limits: BudgetLimits): void;
  close(): void;
}

const labels: Readonly<Record<BudgetFigure, () => string>> = {
  cost: () => t("Cost in $"),
  tokens: () => t("Tokens"),
  turns: () => t("Requests"),
  minutes: () => t("Minutes"),
};

/** The four figures of a budget. */
export function BudgetFields({ heading, chosen, fallback, save, close }: BudgetFieldsProps) {
  const fields = useSignal(textsOf(chosen));
  const isWrong = useSignal(false);

  function submit(): void {
    const limits = typedLimits(fields.peek());
    isWrong.value = limits === undefined;
    if (limits === undefined) return;
    save(limits);
    close();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") submit();
    else close();
  }

  const otherwise = limitsLine(fallback);
  return (
    // biome-ignore lint/a11y/useSemanticElements: fields in a dialog of their own, not of a form.
    <div class="budget-fields" role="group" aria-label={heading}>
      <p>{heading}</p>
      <div class="budget-grid">
        {budgetFigures.map((figure) => (
          <div key={figure} class="budget-field">
            <span aria-hidden="true">{labels[figure]()}</span>
            <TextField
              label={labels[figure]()}
              value={fields.value[figure]}
              onInput={(value) => {
                fields.value = { ...fields.peek(), [figure]: value };
              }}
              onKeyDown={onKeyDown}
            />
          </div>
        ))}
      </div>
      <p class="hint" role={isWrong.value ? "alert" : undefined}>
        {isWrong.value
          ? t("Write amounts as numbers; 0 sets no limit.")
          : otherwise === undefined
            ? t("Empty or 0: no limit.")
            : t("Empty: {0}. 0: no limit.", otherwise)}
      </p>
      <div class="buttons">
        <Button appearance="primary" onClick={submit}>
          {t("Save budget")}
        </Button>
        <Button onClick={close}>{t("Cancel")}</Button>
      </div>
    </div>
  );
}

function textsOf(limits: BudgetLimits): Record<BudgetFigure, string> {
  const text = (figure: BudgetFigure) => (limits[figure] === undefined ? "" : String(limits[figure]));
  return { cost: text("cost"), tokens: text("tokens"), turns: text("turns"), minutes: text("minutes") };
}
