import type { Responses } from "openai/resources/responses/responses";
import { assertNever } from "../../vocabulary/errors.ts";
import type {
  AssistantMessage,
  ImagePart,
  LlmMessage,
  TextPart,
  ToolDefinition,
  ToolResultMessage,
} from "../../vocabulary/messages.ts";
import type { Model, ModelRequest, StreamOptions } from "../../vocabulary/model.ts";
import { createDigest } from "../shared/digest.ts";
import { type JsonCache, joinList, joinObject, wellFormedJson } from "../shared/json.ts";
import { nearestLevel, openaiFamily } from "../shared/modelFamily.ts";
import { cacheKey, dataUrl, isStrictSchema } from "../shared/openai.ts";
import { type OptionalField, type OptionalFields, optionalNumber } from "../shared/optionalFields.ts";
import type { BodyContext } from "../shared/wire.ts";
import { argumentsText, wireCallId, wireToolName } from "../shared/wireValues.ts";

/** The body of a Responses request. Nothing is stored with the provider: the transcript is ours. */
export function writeResponsesBody(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
  { cache, fields }: BodyContext,
): string {
  const hasPhases = fields.may("phase");
  const variant = wellFormedJson([model.provider, model.id, hasPhases]);
  const tools = request.tools.map((tool) => cache.of(tool, "tool", () => writeTool(tool)));
  return joinObject({
    model: wellFormedJson(model.id),
    instructions: request.systemPrompt === "" ? undefined : wellFormedJson(request.systemPrompt),
    // What stays the same is first: providers keep the work on a prefix that they have seen.
    tools: tools.length === 0 ? undefined : joinList(tools),
    input: `[${written.of(request.messages, variant, { model, cache, hasPhases }).items}]`,
    store: "false",
    stream: "true",
    ...reasoningFields(model, options, fields),
    text: textFields(model, options, fields),
    max_output_tokens: optionalNumber("max_output_tokens", options.maxOutput, fields),
    temperature: optionalNumber("temperature", options.temperature, fields),
    prompt_cache_key: fields.may("prompt_cache_key") ? cacheKey(options) : undefined,
    prompt_cache_options: cacheOptions(model, options, fields),
  });
}

/** Every field of the Responses wire that can be left out, the more particular ones first. */
export const responsesFields: readonly OptionalField[] = [
  { name: "reasoning.summary", refusal: /reasoning\.summary|\bsummar(?:y|ies)\b/i },
  { name: "reasoning.effort", refusal: /\beffort\b/i },
  { name: "include", refusal: /\binclude\b|encrypted[_ ]content/i },
  { name: "text.verbosity", refusal: /verbosity/i },
  { name: "text.format", refusal: /text\.format|json_schema|structured output/i },
  { name: "prompt_cache_options", refusal: /prompt_cache_options/i },
  { name: "prompt_cache_key", refusal: /prompt_cache_key/i },
  { name: "phase", refusal: /\bphase\b/i },
  { name: "max_output_tokens", refusal: /max_output_tokens/i },
  { name: "temperature", refusal: /\btemperature\b/i },
  { name: "reasoning", refusal: /\breasoning\b(?!\.encrypted)/i },
];

/** What asks for thinking at a level, and for its summary and its encrypted text; nothing where no level is named. */
function reasoningFields(
  { id }: Model,
  { thinkingLevel }: StreamOptions,
  fields: OptionalFields,
): { reasoning?: string; include?: string } {
  if (thinkingLevel === undefined) return {};
  const levels = openaiFamily(id)?.levels;
  const level = levels === undefined ? thinkingLevel : nearestLevel(thinkingLevel, levels);
  // What is unknown is left as it is; what can't think has nothing to be turned off.
  if (level === "off" && !(levels !== undefined && levels.length > 1)) return {};
  if (!fields.may("reasoning")) return {};
  const reasoning = {
    ...(fields.may("reasoning.effort") ? { effort: level === "off" ? "none" : level } : {}),
    ...(level !== "off" && fields.may("reasoning.summary") ? { summary: "auto" } : {}),
  };
  return {
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning: JSON.stringify(reasoning) }),
    ...(level !== "off" && fields.may("include") ? { include: JSON.stringify(["reasoning.encrypted_content"]) } : {}),
  };
}

function textFields({ id }: Model, { output }: StreamOptions, fields: OptionalFields): string | undefined {
  const hasFormat = output !== undefined && fields.may("text.format");
  const text = {
    ...(openaiFamily(id)?.hasVerbosity && fields.may("text.verbosity") ? { verbosity: "low" } : {}),
    ...(hasFormat ? { format: { type: "json_schema", ...output, strict: isStrictSchema(output.schema) } } : {}),
  };
  return Object.keys(text).length === 0 ? undefined : wellFormedJson(text);
}

/** The default of half an hour is for whoever answers at once. */
function cacheOptions({ id }: Model, { cacheLifetime }: StreamOptions, fields: OptionalFields): string | undefined {
  const isLong = cacheLifetime === "long" && openaiFamily(id)?.hasCacheLifetime === true;
  return isLong && fields.may("prompt_cache_options") ? '{"ttl":"12h"}' : undefined;
}

/** The items of all messages, joined. */
const written = createDigest<{ items: string }, { model: Model; cache: JsonCache; hasPhases: boolean }>(
  () => ({ items: "" }),
  (written, message, { model, cache, hasPhases }) => {
    const variant = message.role === "assistant" && isOwn(message, model) ? `own ${hasPhases}` : "any";
    const items = cache.of(message, variant, () => writeItems(message, model, hasPhases));
    if (items !== "") written.items += written.items === "" ? items : `,${items}`;
  },
);

function writeTool({ name, description, parameters }: ToolDefinition): string {
  // Strict schemas forbid optional fields, and ours have them.
  return wellFormedJson({ type: "function", name, description, parameters, strict: false });
}

function isOwn(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.model === model.id;
}

/** The items of a message as JSON, joined; "" if it has none. */
function writeItems(message: LlmMessage, model: Model, hasPhases: boolean): string {
  switch (message.role) {
    case "user":
      return item({ type: "message", role: "user", content: message.content.map(inputPart) });
    case "toolResult":
      return item({ type: "function_call_output", call_id: wireCallId(message.callId), output: outputOf(message) });
    case "assistant":
      return message.content.flatMap((part) => writeAnswerPart(part, isOwn(message, model), hasPhases)).join(",");
    default:
      return assertNever(message);
  }
}

function item(value: Responses.ResponseInputItem | AnonymousItem): string {
  return wellFormedJson(value);
}

/**
 * Items of answers without the ids that the SDK's types demand: ids name what the provider has stored, and it has
 * stored nothing.
 */
type AnonymousItem =
  | {
      type: "message";
      role: "assistant";
      content: { type: "output_text"; text: string; annotations: [] }[];
      phase?: string;
    }
  | { type: "reasoning"; summary: Responses.ResponseReasoningItem.Summary[]; encrypted_content: string };

function inputPart(part: TextPart | ImagePart): Responses.ResponseInputText | Responses.ResponseInputImage {
  if (part.type === "text") return { type: "input_text", text: part.text };
  return { type: "input_image", image_url: dataUrl(part), detail: "auto" };
}

function outputOf({ content }: ToolResultMessage): Responses.ResponseInputItem.FunctionCallOutput["output"] {
  const hasImages = content.some((part) => part.type === "image");
  return hasImages ? content.map(inputPart) : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function writeAnswerPart(
  part: AssistantMessage["content"][number],
  isOwnAnswer: boolean,
  hasPhases: boolean,
): string[] {
  switch (part.type) {
    case "text": {
      if (part.text === "") return [];
      const content: [{ type: "output_text"; text: string; annotations: [] }] = [
        { type: "output_text", text: part.text, annotations: [] },
      ];
      const phase = isOwnAnswer && hasPhases && part.phase !== undefined ? { phase: part.phase } : {};
      return [item({ type: "message", role: "assistant", content, ...phase })];
    }
    case "thinking": {
      if (!isOwnAnswer || part.signature === undefined) return [];
      const summary = part.text === "" ? [] : [{ type: "summary_text" as const, text: part.text }];
      return [item({ type: "reasoning", summary, encrypted_content: part.signature })];
    }
    case "toolCall": {
      const { id, name } = part;
      const text = argumentsText(part.arguments);
      return [item({ type: "function_call", call_id: wireCallId(id), name: wireToolName(name), arguments: text })];
    }
    default:
      return assertNever(part);
  }
}
