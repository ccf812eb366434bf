import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { BudgetLimits, BudgetTarget } from "../../../protocol/runs.ts";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";
import { BudgetFields } from "./BudgetFields.tsx";
import { limitsOf, limitTexts, typedLimits } from "./budget.ts";

export interface BudgetEditorProps {
  /** Of the agent. */
  name: string;
  /** Whose budgets are changed, each under its heading. */
  targets: readonly { heading: string; target: BudgetTarget }[];
  ofTree: BudgetLimits;
  store: Store;
  close(): void;
}

/** Sets what a run may use. An empty field leaves what holds otherwise. */
export function BudgetEditor({ name, targets, ofTree, store, close }: BudgetEditorProps) {
  const { budgets } = store.hostState.value.runs;
  const kept = targets.map(({ target }) => limitsOf(target, budgets, ofTree));
  const texts = useSignal(kept.map(({ chosen }) => limitTexts(chosen)));
  const isWrong = useSignal(false);

  function save(): void {
    const typed = texts.peek().map(typedLimits);
    isWrong.value = typed.includes(undefined);
    if (isWrong.peek()) return;
    for (const [index, { target }] of targets.entries()) {
      const limits = typed[index];
      const isChanged = JSON.stringify(limits) !== JSON.stringify(kept[index]?.chosen);
      if (limits !== undefined && isChanged) store.post({ type: "setBudget", target, limits });
    }
    close();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") save();
    else close();
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands in a dialog or in the details of an agent.
    <div class="budget-editor" role="group" aria-label={t("Budget of {0}", name)}>
      {targets.map(({ heading }, index) => (
        <BudgetFields
          key={heading}
          heading={heading}
          texts={texts.value[index] ?? limitTexts({})}
          fallback={kept[index]?.fallback ?? {}}
          isFocused={index === 0}
          change={(changed) => {
            texts.value = texts.peek().map((before, at) => (at === index ? changed : before));
          }}
          onKeyDown={onKeyDown}
        />
      ))}
      <div class="buttons budget-end">
        {isWrong.value && (
          <p class="hint" role="alert">
            {t("Write amounts as numbers; 0 sets no limit.")}
          </p>
        )}
        <Button appearance="primary" onClick={save}>
          {t("Save budget")}
        </Button>
        <Button onClick={close}>{t("Cancel")}</Button>
      </div>
      <p class="hint">{t("For each run. 0 sets no limit.")}</p>
    </div>
  );
}
