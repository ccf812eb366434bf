import type { AgentMeta } from "../../../agent/vocabulary/events.ts";
import type { Effect } from "../../../agent/vocabulary/hooks.ts";
import type { Model } from "../../../agent/vocabulary/model.ts";
import type { Budgets } from "./budgets.ts";
import { limitNames, limitWords } from "./figures.ts";

/** Holds every request of an agent against the budgets above it; the run waits while the user decides. */
export function budgetEffect(budgets: Budgets, beforeRequest: (agent: AgentMeta, model: Model) => void): Effect {
  return {
    name: "budget",
    async before(info) {
      beforeRequest(info.agent, info.model);
      for (;;) {
        const spent = budgets.request(info.agent);
        if (spent === undefined) return;
        const limit = limitNames[spent.figure];
        info.emit({ type: "limit_reached", limit });
        const decision = await budgets.decide(info.agent, spent, info.signal);
        if (decision === "extend") continue;
        const limitText = `the budget of ${limitWords(spent.figure, spent.allowed)} is used up`;
        return info.stop("limit", { limit, limitText, finalRequest: decision === "wrapUp" });
      }
    },
  };
}
