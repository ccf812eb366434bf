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
import { type OptionalFields, optionalNumber } from "../shared/optionalFields.ts";
import type { BodyContext } from "../shared/wire.ts";
import { argumentsText, textOfResult, wireCallId, wireToolName } from "../shared/wireValues.ts";
import { type FreeTextTools, freeTextCall, freeTextTool, freeTextTools } from "./freeText.ts";

/** The body of a Responses request. Nothing is stored with the provider: the transcript is ours. */
export function writeResponsesBody(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
  { cache, fields }: BodyContext,
): string {
  const hasPhases = fields.may("phase");
  const freeText = freeTextTools(model, request.tools, fields);
  const format: Format = { model, cache, hasPhases, freeText };
  const tools = request.tools.map((tool) => {
    const isFreeText = freeText.has(tool.name);
    return cache.of(tool, `tool ${isFreeText}`, () => writeTool(tool, isFreeText));
  });
  return joinObject({
    model: wellFormedJson(model.id),
    instructions: request.systemPrompt === "" ? undefined : wellFormedJson(request.systemPrompt),
    // What stays the same is first: providers keep the work on a prefix that they have seen.
    tools: tools.length === 0 ? undefined : joinList(tools),
    input: `[${written.of(request.messages, variantOf(format), format).items}]`,
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

/** The default of half an hour is for users who answer at once. */
function cacheOptions({ id }: Model, { cacheLifetime }: StreamOptions, fields: OptionalFields): string | undefined {
  const isLong = cacheLifetime === "long" && openaiFamily(id)?.hasCacheLifetime === true;
  return isLong && fields.may("prompt_cache_options") ? '{"ttl":"12h"}' : undefined;
}

/** What the items of messages depend on beside themselves. */
interface Format {
  model: Model;
  cache: JsonCache;
  hasPhases: boolean;
  freeText: FreeTextTools;
}

function variantOf({ model, hasPhases, freeText }: Format): string {
  return wellFormedJson([model.provider, model.id, hasPhases, [...freeText]]);
}

interface Written {
  /** Of all messages, joined. */
  items: string;
  /** Ids of calls that were written as free text: their results have a form of their own. */
  freeTextCalls: Set<string>;
}

const written = createDigest<Written, Format>(
  () => ({ items: "", freeTextCalls: new Set() }),
  (written, message, format) => {
    const isFreeText = message.role === "toolResult" && written.freeTextCalls.has(message.callId);
    const variant =
      message.role === "assistant"
        ? `${isOwn(message, format.model)} ${format.hasPhases} ${[...format.freeText.keys()]}`
        : `${isFreeText}`;
    const items = format.cache.of(message, variant, () => writeItems(message, format, isFreeText));
    if (items !== "") written.items += written.items === "" ? items : `,${items}`;
    if (message.role !== "assistant" || format.freeText.size === 0) return;
    for (const part of message.content) {
      if (part.type === "toolCall" && format.freeText.has(part.name)) written.freeTextCalls.add(part.id);
    }
  },
);

function writeTool(tool: ToolDefinition, isFreeText: boolean): string {
  if (isFreeText) return wellFormedJson(freeTextTool(tool));
  const { name, description, parameters } = tool;
  // Strict schemas forbid optional fields, and ours have them.
  return wellFormedJson({ type: "function", name, description, parameters, strict: false });
}

function isOwn(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.model === model.id;
}

/** The items of a message as JSON, joined; "" if it has none. */
function writeItems(message: LlmMessage, format: Format, isFreeText: boolean): string {
  switch (message.role) {
    case "user":
      return item({ type: "message", role: "user", content: message.content.map(inputPart) });
    case "toolResult":
      return item({
        type: isFreeText ? "custom_tool_call_output" : "function_call_output",
        call_id: wireCallId(message.callId),
        output: outputOf(message),
      });
    case "assistant":
      return message.content.flatMap((part) => writeAnswerPart(part, isOwn(message, format.model), format)).join(",");
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

function outputOf(message: ToolResultMessage): string | ReturnType<typeof inputPart>[] {
  const hasImages = message.content.some((part) => part.type === "image");
  return hasImages ? message.content.map(inputPart) : textOfResult(message);
}

function writeAnswerPart(
  part: AssistantMessage["content"][number],
  isOwnAnswer: boolean,
  { hasPhases, freeText }: Format,
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
      const argument = freeText.get(name);
      if (argument !== undefined) return [item(freeTextCall(part, argument))];
      const text = argumentsText(part.arguments);
      return [item({ type: "function_call", call_id: wireCallId(id), name: wireToolName(name), arguments: text })];
    }
    default:
      return assertNever(part);
  }
}
