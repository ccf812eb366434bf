import { t } from "@vscode/l10n";
import type { BudgetDecision, BudgetQuestion } from "../../../protocol/runs.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Around, place } from "../../ui/Around.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { amountText, amountWords } from "./budget.ts";

/** A budget is used up, and its agents wait for the user. */
export function BudgetCard({ question, store }: { question: BudgetQuestion; store: Store }) {
  const { figure, used, allowed, step } = question;
  const name = visible(question.agentPath.join(" › "));
  const answer = (decision: BudgetDecision) => () =>
    store.post({ type: "answerBudget", questionId: question.id, decision });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="approval question budget" role="group" tabIndex={-1} aria-label={t("Budget of {0}", name)}>
      <p class="approval-lineage">
        <Icon name="dashboard" />
        <span>
          <Around words={t("{0} has used up its budget and waits.", place)}>
            <strong>{name}</strong>
          </Around>
        </span>
      </p>
      <p class="question-text">{t("{0} of {1} used.", amountText(figure, used), amountWords(figure, allowed))}</p>
      <div class="buttons options">
        <Button appearance="primary" onClick={answer("extend")}>
          {t("Extend by {0}", amountWords(figure, step))}
        </Button>
        <Button title={t("One last request, to say what is done and what is missing")} onClick={answer("wrapUp")}>
          {t("Wrap up")}
        </Button>
        <Button title={t("No further request; what was found so far is kept")} onClick={answer("stop")}>
          {t("Stop here")}
        </Button>
      </div>
    </div>
  );
}
