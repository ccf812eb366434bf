import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import { type BudgetFigure, type BudgetLimits, type BudgetTarget, budgetFigures } from "../../../protocol/runs.ts";
import { agentName } from "../../model/agents.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { TextField } from "../../ui/TextFields.tsx";
import { amountWithUnit, limitsLine, limitsOf, typedLimits, usesLine } from "./budget.ts";
import type { BudgetModel } from "./budgetModel.ts";

export interface BudgetRowProps {
  /** Absent while nothing was asked: then it is the root agent's. */
  node: TreeNode | undefined;
  model: BudgetModel;
}

/** What a run of an agent may use, with all below it; opens to be changed. */
export function BudgetRow({ node, model }: BudgetRowProps) {
  const isOpen = useSignal(false);
  const wasOpen = useRef(false);
  const row = useRef<HTMLParagraphElement>(null);
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
        model={model}
        close={() => {
          isOpen.value = false;
        }}
      />
    );
  }
  const { chosen, fallback } = limitsOf(target, model.budgets.value, model.treeDefault.value);
  const limits = { ...fallback, ...chosen };
  const isKnown = node?.status === "running" && Object.hasOwn(model.uses.value, node.meta.id);
  const use = isKnown ? model.uses.value[node.meta.id] : undefined;
  const used = use && usesLine(use);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line with a button is no field set.
    <p class="budget-row" role="group" aria-label={t("Budget")} ref={row}>
      {used === undefined
        ? t("Budget per run: {0}", limitsLine(limits) ?? t("no limit"))
        : t("Budget per run: {0} used", used)}{" "}
      <LinkButton
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {t("Change budget")}
      </LinkButton>
      {(limits.cost ?? 0) > 0 && (use?.isUncounted === true || !model.isPriceKnown.value) && (
        <span class="hint"> {t("The cost of this model can't be counted: its price is not known.")}</span>
      )}
    </p>
  );
}

interface BudgetEditorProps {
  /** Of the agent. */
  name: string;
  /** Whose budgets are changed, each under its heading. */
  targets: readonly { heading: string; target: BudgetTarget }[];
  model: BudgetModel;
  close(): void;
}

/** Sets what a run may use. An empty field leaves the default. */
function BudgetEditor({ name, targets, model, close }: BudgetEditorProps) {
  const known = targets.map(({ target }) => limitsOf(target, model.budgets.value, model.treeDefault.value));
  const texts = useSignal(known.map(({ chosen }) => limitTexts(chosen)));
  const isWrong = useSignal(false);

  function save(): void {
    const typed = texts.peek().map(typedLimits);
    isWrong.value = typed.includes(undefined);
    if (isWrong.peek()) return;
    for (const [index, { target }] of targets.entries()) {
      const limits = typed[index];
      const isChanged = JSON.stringify(limits) !== JSON.stringify(known[index]?.chosen);
      if (limits !== undefined && isChanged) model.set(target, limits);
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
    // biome-ignore lint/a11y/useSemanticElements: it is in a dialog or in the details of an agent.
    <div class="budget-editor" role="group" aria-label={t("Budget of {0}", name)}>
      {targets.map(({ heading }, index) => (
        <BudgetFields
          key={heading}
          heading={heading}
          texts={texts.value[index] ?? limitTexts({})}
          fallback={known[index]?.fallback ?? {}}
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

type BudgetTexts = Readonly<Record<BudgetFigure, string>>;

interface BudgetFieldsProps {
  heading: string;
  texts: BudgetTexts;
  /** What applies where a field is empty. */
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
function BudgetFields({ heading, texts, fallback, isFocused, change, onKeyDown }: BudgetFieldsProps) {
  const defaultText = (figure: BudgetFigure) => {
    const amount = fallback[figure] ?? 0;
    return amount > 0 ? amountWithUnit(figure, amount) : t("no limit");
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
              placeholder={defaultText(figure)}
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

/** Limits as the fields show them. */
function limitTexts(limits: BudgetLimits): Record<BudgetFigure, string> {
  const text = (figure: BudgetFigure) => (limits[figure] === undefined ? "" : String(limits[figure]));
  return { cost: text("cost"), tokens: text("tokens"), turns: text("turns"), minutes: text("minutes") };
}
