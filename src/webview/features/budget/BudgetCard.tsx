import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { BudgetDecision, BudgetQuestion } from "../../../protocol/runs.ts";
import { Around, inset } from "../../ui/Around.tsx";
import { Button } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useAnswerable } from "../../ui/inView.ts";
import { amountText, amountWithUnit } from "./budget.ts";
import type { BudgetModel } from "./budgetModel.ts";

export interface BudgetCardProps {
  question: BudgetQuestion;
  model: Pick<BudgetModel, "answer" | "guard" | "pathOf">;
}

/** A budget is used up, and its agents wait for the user. */
export function BudgetCard({ question, model }: BudgetCardProps) {
  const { figure, used, allowed, step, next } = question;
  const name = model.pathOf(question);
  const card = useRef<HTMLDivElement>(null);
  const isUnavailable = !useAnswerable(card, question.id, model.guard);
  const decide = (decision: BudgetDecision) => () => model.answer(question.id, decision);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="approval question budget" role="group" tabIndex={-1} aria-label={t("Budget of {0}", name)} ref={card}>
      <p class="approval-lineage">
        <Icon name="dashboard" />
        <span>
          <Around text={t("{0} is paused: budget reached", inset)}>
            <strong>{name}</strong>
          </Around>
        </span>
      </p>
      <p class="question-text">
        {t("{0} of {1} used.", amountText(figure, used), amountWithUnit(figure, allowed))}
        {next !== undefined && ` ${t("The next request takes at least {0}.", amountWithUnit(figure, next))}`}{" "}
        {t("Extend adds {0}.", amountWithUnit(figure, step))}
      </p>
      <div class="buttons options">
        <Button appearance="primary" isUnavailable={isUnavailable} onClick={decide("extend")}>
          {t("Extend")}
        </Button>
        <Button
          title={t("One last request to summarize what is done and what is missing")}
          isUnavailable={isUnavailable}
          onClick={decide("wrapUp")}
        >
          {t("Wrap up")}
        </Button>
        <Button
          title={t("No further requests; results so far are kept")}
          isUnavailable={isUnavailable}
          onClick={decide("stop")}
        >
          {t("Stop")}
        </Button>
      </div>
    </div>
  );
}
