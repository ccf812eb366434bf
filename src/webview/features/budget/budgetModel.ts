import { computed, type ReadonlySignal } from "@preact/signals";
import type { HostState } from "../../../protocol/hostState.ts";
import type { BudgetDecision, BudgetLimits, BudgetTarget } from "../../../protocol/runs.ts";
import type { AnswerGuard } from "../../model/answers.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { isPriceKnown } from "../../model/usage.ts";

/** What runs may use, and the user's answers where that is used up. */
export interface BudgetModel {
  /** What the user has set in this chat, by the key of its target. */
  readonly budgets: ReadonlySignal<HostState["runs"]["budgets"]>;
  /** By agent id: what of it is used. */
  readonly uses: ReadonlySignal<HostState["runs"]["uses"]>;
  /** Of the whole tree, where this chat has no budget of its own. */
  readonly treeDefault: ReadonlySignal<BudgetLimits>;
  /** The model's price is known, so its costs can be counted. */
  readonly isPriceKnown: ReadonlySignal<boolean>;
  readonly guard: AnswerGuard;
  readonly pathOf: ChatModel["pathOf"];
  set(target: BudgetTarget, limits: BudgetLimits): void;
  answer(questionId: string, decision: BudgetDecision): void;
}

export function createBudgetModel({ host, status, latest, pathOf, post }: ChatModel, guard: AnswerGuard): BudgetModel {
  return {
    guard,
    pathOf,
    budgets: computed(() => host.value.runs.budgets),
    uses: computed(() => host.value.runs.uses),
    treeDefault: computed(() => status.value?.budget ?? {}),
    isPriceKnown: computed(() => isPriceKnown(status.value)),
    set: (target, limits) => post({ type: "setBudget", target, limits }),
    answer(questionId, decision) {
      const isAsked = latest().host.runs.questions.some(({ id }) => id === questionId);
      if (isAsked && guard.take(questionId)) post({ type: "answerBudget", questionId, decision });
    },
  };
}
