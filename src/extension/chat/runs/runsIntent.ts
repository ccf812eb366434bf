import type { Intent } from "../../../protocol/messages.ts";

/** What the panel may ask about runs. */
export type RunsIntent = Extract<Intent, { type: "compact" | "setBudget" | "answerBudget" | "showTrace" }>;
