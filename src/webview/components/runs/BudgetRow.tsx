import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import type { BudgetTarget } from "../../../protocol/runs.ts";
import { agentName } from "../../state/agentStatus.ts";
import { limitsLine, limitsOf, targetOf } from "../../state/budget.ts";
import { isPriceKnown } from "../../state/prices.ts";
import type { Store } from "../../store.ts";
import { LinkButton } from "../../ui/LinkButton.tsx";
import { BudgetFields } from "./BudgetFields.tsx";

/** What a run of an agent may use, with all below it; opens to be changed. */
export function BudgetRow({ node, store }: { node: TreeNode; store: Store }) {
  const isOpen = useSignal(false);
  const { budgets } = store.hostState.value.runs;
  const status = store.status.value;
  const limits = (target: BudgetTarget) => limitsOf(target, budgets, status?.budget ?? {});
  const target = targetOf(node.meta.id, node.meta.depth);
  const { chosen, fallback } = limits(target);
  const effective = { ...fallback, ...chosen };
  const close = () => {
    isOpen.value = false;
  };
  if (!isOpen.value) {
    return (
      <p class="budget-row">
        {t("Budget of a run: {0}", limitsLine(effective) ?? t("no limit"))}{" "}
        <LinkButton
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {t("Change budget")}
        </LinkButton>
        {(effective.cost ?? 0) > 0 && !isPriceKnown(status) && (
          <span class="hint"> {t("The cost of this model can't be counted: its price is not known.")}</span>
        )}
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a dialog in the flow of another.
    <div class="budget-editor" role="group" aria-label={t("Budget of {0}", agentName(node.meta))}>
      <BudgetFields
        heading={node.meta.depth === 0 ? t("A run of all agents together") : t("This agent, with those below it")}
        {...limits(target)}
        save={(saved) => store.post({ type: "setBudget", target, limits: saved })}
        close={close}
      />
      {node.meta.depth === 0 && (
        <BudgetFields
          heading={t("Each sub-agent, with those below it")}
          {...limits({ scope: "eachSubAgent" })}
          save={(saved) => store.post({ type: "setBudget", target: { scope: "eachSubAgent" }, limits: saved })}
          close={close}
        />
      )}
    </div>
  );
}
