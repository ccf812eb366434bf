import { t } from "@vscode/l10n";
import * as z from "zod";
import { type PlanItem, planStatuses } from "../../protocol/hostEvents.ts";
import type { PanelAccess } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";

const maxItems = 50;

const schema = z.object({
  items: z
    .array(
      z.object({
        text: z.string().trim().min(1).max(500).describe("What is to be done, in a few words."),
        status: z.preprocess(readStatus, z.enum(planStatuses)),
      }),
    )
    .max(maxItems)
    .describe("The whole plan, in order. Empty: no plan any more."),
});

/** What models write instead of the words that are asked for. */
const otherWords: Readonly<Record<string, PlanItem["status"]>> = {
  done: "completed",
  complete: "completed",
  todo: "pending",
  open: "pending",
  active: "in_progress",
  running: "in_progress",
  doing: "in_progress",
};

function readStatus(given: unknown): unknown {
  if (typeof given !== "string") return given;
  const word = given
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return Object.hasOwn(otherWords, word) ? otherWords[word] : word;
}

/** Shows the agent's plan in the panel. */
export const updatePlanTool = defineEditorTool(
  { name: "update_plan", access: "none", kind: "plan" },
  ({ showPlan }: PanelAccess) => ({
    label: t("Update plan"),
    description: "Shows the user your plan. Send the whole plan each time, with one step in progress.",
    schema,
    execute({ items }, { agent }) {
      showPlan(agent.id, items);
      const done = items.filter(({ status }) => status === "completed").length;
      const content =
        items.length === 0 ? "The plan is cleared." : `The plan is shown: ${done} of ${items.length} done.`;
      return { content, details: { items } };
    },
  }),
);
