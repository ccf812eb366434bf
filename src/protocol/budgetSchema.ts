import * as z from "zod";

const figure = z.number().nonnegative().max(1_000_000_000);

/** `BudgetLimits` as the panel sends them. */
export const budgetLimitsSchema = z.object({
  cost: figure.exactOptional(),
  tokens: figure.exactOptional(),
  turns: figure.exactOptional(),
  minutes: figure.exactOptional(),
});

/** `BudgetTarget` as the panel sends it. */
export const budgetTargetSchema = z.discriminatedUnion("scope", [
  z.object({ scope: z.literal("tree") }),
  z.object({ scope: z.literal("eachSubAgent") }),
  z.object({ scope: z.literal("agent"), agentId: z.string().min(1).max(200) }),
]);
