import { t } from "@vscode/l10n";
import * as z from "zod";
import type { AgentTool } from "../../agent/tools.ts";
import { planStatuses } from "../../protocol/hostEvents.ts";
import type { PanelDependencies } from "./panelDependencies.ts";

const mostItems = 50;

const schema = z.object({
  items: z
    .array(
      z.object({
        text: z.string().trim().min(1).max(500).describe("What is to be done, in a few words."),
        status: z.enum(planStatuses),
      }),
    )
    .max(mostItems)
    .describe("The whole plan, in order; it replaces the one before. Empty: no plan any more."),
});

/** Shows the agent's plan in the panel. */
export function updatePlanTool({ showPlan }: PanelDependencies): AgentTool<typeof schema> {
  return {
    name: "update_plan",
    label: t("Update plan"),
    description:
      "Shows the user your plan for a task of several steps. Send the whole plan each time, with one step in progress, and keep it up to date.",
    schema,
    execute({ items }, { agent }) {
      showPlan(agent.id, items);
      const done = items.filter(({ status }) => status === "completed").length;
      const content =
        items.length === 0 ? "The plan is cleared." : `The plan is shown: ${done} of ${items.length} done.`;
      return { content, details: { items } };
    },
  };
}
