import type { Model, StreamOptions, ThinkingLevel } from "../../vocabulary/model.ts";

const defaultMaxTokens = 16_000;
const smallestBudget = 1_024;
const budgets: Record<Exclude<ThinkingLevel, "off">, number> = {
  minimal: smallestBudget,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
};
/** What a model that budgets its thinking needs for the answer itself. */
const answerTokens = 4_096;

/** Claude models from before adaptive thinking; they and everybody else's models take a budget of tokens. */
const budgetedClaude = /^claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|-latest|$))/;

function usesBudget(modelId: string): boolean {
  return !modelId.startsWith("claude-") || budgetedClaude.test(modelId);
}

/** The limit of the whole answer, thinking included. The API demands one. */
export function maxTokens(model: Model, options: StreamOptions): number {
  if (options.maxOutput !== undefined) return options.maxOutput;
  const level = options.thinkingLevel ?? "off";
  const wanted = level === "off" || !usesBudget(model.id) ? 0 : budgets[level] + answerTokens;
  return model.maxOutput ?? Math.max(defaultMaxTokens, wanted);
}

/** The fields that ask for thinking; none for "off", and none where the limit leaves no room for it. */
export function thinkingFields(model: Model, options: StreamOptions): { thinking?: string; output_config?: string } {
  const level = options.thinkingLevel ?? "off";
  if (level === "off") return {};
  if (!usesBudget(model.id)) {
    const effort = level === "minimal" ? "low" : level;
    const thinking = { type: "adaptive", display: "summarized" };
    return { thinking: JSON.stringify(thinking), output_config: JSON.stringify({ effort }) };
  }
  const budget = Math.min(budgets[level], maxTokens(model, options) - smallestBudget);
  if (budget < smallestBudget) return {};
  return { thinking: JSON.stringify({ type: "enabled", budget_tokens: budget }) };
}
