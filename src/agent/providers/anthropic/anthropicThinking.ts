import type { AssistantMessage, LlmMessage } from "../../vocabulary/messages.ts";
import type { Model, ModelRequest, StreamOptions, ThinkingLevel } from "../../vocabulary/model.ts";
import { type ClaudeFamily, claudeFamily, nearestLevel } from "../shared/modelFamily.ts";
import type { OptionalFields } from "../shared/optionalFields.ts";
import { betaHeader } from "../shared/wire.ts";

const defaultMaxTokens = 16_000;
/** Of models that decide themselves how much to think, some of them unasked: thinking counts as output. */
const adaptiveMaxTokens = 64_000;
const smallestBudget = 1_024;
const budgets: Record<Exclude<ThinkingLevel, "off">, number> = {
  minimal: smallestBudget,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 49_152,
};

/** What a model that budgets its thinking needs for the answer itself. */
const answerTokens = 4_096;

/** Whether a model is a Claude that can think; also true of no other maker's. */
export function canThink({ id }: Model): boolean {
  return claudeFamily(id)?.levels.some((level) => level !== "off") === true;
}

/** The limit of the whole answer, thinking included. The API demands one. */
export function maxTokens(model: Model, options: StreamOptions): number {
  if (options.maxOutput !== undefined) return options.maxOutput;
  if (model.maxOutput !== undefined) return model.maxOutput;
  if (claudeFamily(model.id)?.thinking === "adaptive") return adaptiveMaxTokens;
  const level = options.thinkingLevel ?? "off";
  return Math.max(defaultMaxTokens, level === "off" ? 0 : budgets[level] + answerTokens);
}

interface ThinkingFields {
  thinking?: string;
  output_config?: string;
}

/** What a request asks of a model: as little as it can, a budget, or an effort. */
type Asked = { family: ClaudeFamily | undefined } & (
  | { type: "least" }
  | { type: "budget" | "adaptive"; level: Exclude<ThinkingLevel, "off"> }
);

/** Undefined where the caller has named no level. */
function askedThinking({ id }: Model, { thinkingLevel }: StreamOptions, fields: OptionalFields): Asked | undefined {
  if (thinkingLevel === undefined || !fields.may("thinking")) return undefined;
  const family = claudeFamily(id);
  const level = family === undefined ? thinkingLevel : nearestLevel(thinkingLevel, family.levels);
  if (level === "off" || (level === "minimal" && family?.least === "between_tools")) return { type: "least", family };
  const types = family?.thinking === "adaptive" ? (["adaptive", "budget"] as const) : (["budget", "adaptive"] as const);
  const type = types.find((candidate) => fields.may(`thinking.${candidate}`));
  return type === undefined ? undefined : { type, level, family };
}

/** The fields that ask for thinking. */
export function thinkingFields(
  model: Model,
  { messages }: ModelRequest,
  options: StreamOptions,
  fields: OptionalFields,
): ThinkingFields {
  const asked = askedThinking(model, options, fields);
  if (asked === undefined) return {};
  if (asked.type === "least") return leastThinking(asked.family, fields);
  const { level, family } = asked;
  if (asked.type === "budget") {
    const budget = Math.min(budgets[level], maxTokens(model, options) - smallestBudget);
    if (budget < smallestBudget) return {};
    if (!isOpenTurnThoughtless(messages, model)) {
      return { thinking: JSON.stringify({ type: "enabled", budget_tokens: budget }) };
    }
    fields.warn(`${model.name ?? model.id} answers without thinking: its turn began without, and can't begin it now.`);
    return {};
  }
  const thinking = {
    type: "adaptive",
    ...(fields.may("thinking.display") ? { display: "summarized" } : {}),
    // Thinking is invalid once what was before it has changed, as by compaction. That is no reason to refuse the rest.
    ...(family?.bindsThinking && fields.may("thinking.block_binding")
      ? { block_binding: { prefix_mismatch_behavior: "drop_block" } }
      : {}),
  };
  const effort = level === "minimal" ? "low" : level;
  return {
    thinking: JSON.stringify(thinking),
    ...(fields.may("output_config.effort") ? { output_config: JSON.stringify({ effort }) } : {}),
  };
}

/** As little thinking as a model can be asked for without an effort; for most models that is none. */
function leastThinking(family: ClaudeFamily | undefined, fields: OptionalFields): ThinkingFields {
  const least = family?.least ?? "none";
  if (least !== "disabled" && least !== "between_tools") return {};
  return fields.may(`thinking.${least}`) ? { thinking: JSON.stringify({ type: least }) } : {};
}

/**
 * Whether the conversation ends in tool calls of a turn that did not begin with thinking of this model's: with a budget,
 * the API refuses to begin thinking in the middle of a turn.
 */
function isOpenTurnThoughtless(messages: readonly LlmMessage[], model: Model): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const answer = messages[last];
  if (answer?.role !== "assistant" || !answer.content.some(({ type }) => type === "toolCall")) return false;
  const before = messages.slice(0, last).findLastIndex(({ role }) => role === "user");
  const first = messages.slice(before + 1).find((message) => message.role === "assistant");
  return first !== undefined && !beginsWithThinking(first, model);
}

function beginsWithThinking({ content, provider, model: id }: AssistantMessage, model: Model): boolean {
  const [first] = content;
  return provider === model.provider && id === model.id && first?.type === "thinking" && first.signature !== undefined;
}

/** The betas that a model's thinking needs. */
export function thinkingHeaders(model: Model, options: StreamOptions, fields: OptionalFields): Record<string, string> {
  const asked = askedThinking(model, options, fields);
  const betas: string[] = [];
  if (asked?.type === "budget" && asked.family?.needsInterleavedBeta && fields.may("interleaved-thinking")) {
    betas.push("interleaved-thinking-2025-05-14");
  }
  if (asked?.type === "adaptive" && asked.family?.bindsThinking && fields.may("thinking.block_binding")) {
    betas.push("thinking-binding-controls-2026-08-01");
  }
  return betas.length === 0 ? {} : { [betaHeader]: betas.join(",") };
}
