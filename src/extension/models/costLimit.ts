import { t } from "@vscode/l10n";
import type { Notice } from "../../protocol/hostEvents.ts";
import type { ModelChoice } from "../../protocol/messages.ts";
import { suggestedCostLimit } from "../../protocol/runs.ts";
import type { ListStorage } from "./catalog/modelLists.ts";

/** Of the notice that asks. */
export const costLimitNoticeId = "costLimit";
const askedKey = "arbor.models.costLimitAsked";

export interface CostLimitOptions {
  storage: ListStorage;
  /** USD per run; 0 for none. */
  maxCost(): number;
  /** Writes it to the user's settings. */
  write(maxCost: number): Promise<void>;
}

/** Asks once whether to limit the cost of a run: the first time the user chooses a model with a price. */
export interface CostLimitQuestion {
  /** Follows which model is in use, and shows the question where it is due. */
  follow(model: ModelChoice, show: (notice: Notice) => void): void;
  /** The user has answered, and is never asked again. */
  answer(isLimited: boolean): Promise<void>;
}

export function createCostLimitQuestion({ storage, maxCost, write }: CostLimitOptions): CostLimitQuestion {
  let current: string | undefined;
  /** Its price may be known a moment after the model is. */
  let isChosen = false;
  return {
    follow(model, show) {
      isChosen ||= current !== undefined && current !== model.id;
      current = model.id;
      if (!isChosen || !model.hasPrice) return;
      isChosen = false;
      if (maxCost() > 0 || storage.get(askedKey) === true) return;
      show({
        id: costLimitNoticeId,
        level: "info",
        text: t("Limit cost per run? A run that reaches the limit pauses and asks you."),
        actions: ["limitCost", "noCostLimit"],
      });
    },
    async answer(isLimited) {
      await storage.update(askedKey, true);
      if (isLimited) await write(suggestedCostLimit);
    },
  };
}
