import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import { agentName } from "../../model/agentStatus.ts";
import { isPriceKnown } from "../../model/prices.ts";
import type { Store } from "../../shell/store.ts";
import { LinkButton } from "../../ui/LinkButton.tsx";
import { BudgetEditor } from "./BudgetEditor.tsx";
import { limitsLine, limitsOf } from "./budget.ts";

export interface BudgetRowProps {
  /** Absent while nothing was asked: then it is the root agent's. */
  node: TreeNode | undefined;
  store: Store;
}

/** What a run of an agent may use, with all below it; opens to be changed. */
export function BudgetRow({ node, store }: BudgetRowProps) {
  const isOpen = useSignal(false);
  const wasOpen = useRef(false);
  const row = useRef<HTMLParagraphElement>(null);
  const status = store.status.value;
  const ofTree = status?.budget ?? {};
  const isRoot = node === undefined || node.meta.depth === 0;
  const target = isRoot ? { scope: "tree" as const } : { scope: "agent" as const, agentId: node.meta.id };

  // Who closed the fields is back where they opened them.
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen.value) row.current?.querySelector("button")?.focus();
    wasOpen.current = isOpen.value;
  }, [isOpen.value]);

  // A sub-agent that has reported uses nothing any more.
  if (!isRoot && node.status !== "running") return null;
  if (isOpen.value) {
    const own = { target, heading: t("This agent, with those below it") };
    const root = [
      { target, heading: t("All agents together") },
      { target: { scope: "eachSubAgent" as const }, heading: t("Each sub-agent, with those below it") },
    ];
    return (
      <BudgetEditor
        name={node === undefined ? "main" : agentName(node.meta)}
        targets={isRoot ? root : [own]}
        ofTree={ofTree}
        store={store}
        close={() => {
          isOpen.value = false;
        }}
      />
    );
  }
  const { chosen, fallback } = limitsOf(target, store.hostState.value.runs.budgets, ofTree);
  const limits = { ...fallback, ...chosen };
  return (
    <p class="budget-row" ref={row}>
      {t("Budget of a run: {0}", limitsLine(limits) ?? t("no limit"))}{" "}
      <LinkButton
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {t("Change budget")}
      </LinkButton>
      {(limits.cost ?? 0) > 0 && !isPriceKnown(status) && (
        <span class="hint"> {t("The cost of this model can't be counted: its price is not known.")}</span>
      )}
    </p>
  );
}
