import type { HttpReply, RuleName, ServedWire } from "./script.ts";
import { isObject, type JsonObject, objects } from "./wires/wire.ts";

/** A request as rules look at it. */
export interface JudgedRequest {
  wire: ServedWire;
  headers: Record<string, string>;
  body: JsonObject;
}

/** What a documented rule answers to a request that breaks it; undefined for one that keeps it. */
type Rule = (request: JudgedRequest) => HttpReply | undefined;

const openaiError = (message: string, param: string | null = null): HttpReply => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param, code: "invalid_request_error" } },
});
const anthropicError = (message: string): HttpReply => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message } },
});

/** Rules of providers as their pages and their own errors state them. */
export const documentedRules: Readonly<Record<RuleName, Rule>> = {
  // api-docs.deepseek.com/guides/thinking_mode: turns with tool calls have to come back with their reasoning.
  deepseekThinking: ({ wire, body }) => {
    if (wire !== "chat" || (isObject(body.thinking) && body.thinking.type === "disabled")) return undefined;
    const lacks = callers(body).some((message) => typeof message.reasoning_content !== "string");
    return lacks
      ? openaiError("The `reasoning_content` in the thinking mode must be passed back to the API.")
      : undefined;
  },
  // ai.google.dev/gemini-api/docs/thought-signatures: the first call of each step has one, else 400.
  geminiSignatures: ({ wire, body }) => {
    if (wire !== "chat") return undefined;
    const lacks = callers(body).some((message) => {
      const extra = objects(message.tool_calls)[0]?.extra_content;
      return !(isObject(extra) && isObject(extra.google) && typeof extra.google.thought_signature === "string");
    });
    const message = "Function call is missing a thought_signature in functionCall parts.";
    return lacks ? { status: 400, body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }] } : undefined;
  },
  // platform.claude.com, extended thinking: with a budget, the turn that tool results go on with began with thinking.
  thinkingFirst: ({ wire, body }) => {
    if (wire !== "anthropic" || thinkingType(body) !== "enabled") return undefined;
    const messages = objects(body.messages);
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    if (!objects(messages[last]?.content).some(({ type }) => type === "tool_use")) return undefined;
    const asked = messages.slice(0, last).findLastIndex(isPrompt);
    const first = objects(messages.slice(asked + 1).find(({ role }) => role === "assistant")?.content)[0];
    if (first?.type === "thinking" || first?.type === "redacted_thinking") return undefined;
    return anthropicError(
      `messages.${asked + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  },
  // platform.claude.com, adaptive thinking: from Opus 4.7 on a budget is refused.
  adaptiveOnly: ({ wire, body }) =>
    wire === "anthropic" && thinkingType(body) === "enabled"
      ? anthropicError(
          '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
        )
      : undefined,
  // The same page, of the models before 4.6.
  budgetOnly: ({ wire, body }) =>
    wire === "anthropic" && thinkingType(body) === "adaptive"
      ? anthropicError("adaptive thinking is not supported on this model")
      : undefined,
  // And of those that always think.
  alwaysThinks: ({ wire, body }) =>
    wire === "anthropic" && thinkingType(body) === "disabled"
      ? anthropicError('"thinking.type.disabled" is not supported for this model.')
      : undefined,
  // platform.claude.com, preserved thinking: the switch for it is behind a beta.
  bindingBeta: ({ wire, body, headers }) =>
    wire === "anthropic" &&
    isObject(body.thinking) &&
    body.thinking.block_binding !== undefined &&
    headers["anthropic-beta"]?.includes("thinking-binding-controls-2026-08-01") !== true
      ? anthropicError("thinking.adaptive.block_binding: Extra inputs are not permitted")
      : undefined,
  // platform.openai.com, reasoning: each model has its efforts.
  noMinimalEffort: ({ body }) => {
    const effort = isObject(body.reasoning) ? body.reasoning.effort : body.reasoning_effort;
    if (effort !== "minimal") return undefined;
    const param = isObject(body.reasoning) ? "reasoning.effort" : "reasoning_effort";
    return openaiError("Unsupported value: 'minimal' is not supported with this model.", param);
  },
  // platform.claude.com, API overview: the key is in x-api-key.
  apiKeyHeader: ({ headers }) =>
    headers["x-api-key"] === undefined
      ? {
          status: 401,
          body: { type: "error", error: { type: "authentication_error", message: "x-api-key header is required" } },
        }
      : undefined,
};

/** A server that knows a path of fields not, as strict ones say it. */
export function refusesField(path: string, { wire, body }: JudgedRequest): HttpReply | undefined {
  if (!holds(body, path.split("."))) return undefined;
  if (wire === "anthropic") return anthropicError(`${path}: Extra inputs are not permitted`);
  return openaiError(`Unknown parameter: '${path}'.`, path);
}

/** Whether there is a value at a path; `*` is every entry of a list. */
function holds(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined;
  if (name === "*") return Array.isArray(value) && value.some((entry) => holds(entry, rest));
  return isObject(value) && holds(value[name], rest);
}

function callers(body: JsonObject): JsonObject[] {
  return objects(body.messages).filter((message) => objects(message.tool_calls).length > 0);
}

function thinkingType(body: JsonObject): unknown {
  return isObject(body.thinking) ? body.thinking.type : undefined;
}

/** What the user said, and not results alone. */
function isPrompt({ role, content }: JsonObject): boolean {
  return role === "user" && !(Array.isArray(content) && objects(content).every(({ type }) => type === "tool_result"));
}
