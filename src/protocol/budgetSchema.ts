import * as z from "zod";

const figure = z.number().nonnegative().max(1_000_000_000);

export const budgetLimitsSchema = z.object({
  cost: figure.exactOptional(),
  tokens: figure.exactOptional(),
  turns: figure.exactOptional(),
  minutes: figure.exactOptional(),
});

export const budgetTargetSchema = z.discriminatedUnion("scope", [
  z.object({ scope: z.literal("tree") }),
  z.object({ scope: z.literal("eachSubAgent") }),
  z.object({ scope: z.literal("agent"), agentId: z.string().min(1).max(200) }),
]);
