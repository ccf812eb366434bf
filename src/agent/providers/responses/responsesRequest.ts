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
import { cacheKey, dataUrl } from "../shared/openai.ts";
import type { BodyContext } from "../shared/wire.ts";
import { argumentsText, wireCallId, wireToolName } from "../shared/wireValues.ts";

/** The body of a Responses request. Nothing is stored with the provider: the transcript is ours. */
export function writeResponsesBody(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
  { cache }: BodyContext,
): string {
  const level = options.thinkingLevel ?? "off";
  const tools = request.tools.map((tool) => cache.of(tool, "tool", () => writeTool(tool)));
  return joinObject({
    model: wellFormedJson(model.id),
    instructions: request.systemPrompt === "" ? undefined : wellFormedJson(request.systemPrompt),
    // What stays the same is first: providers keep the work on a prefix that they have seen.
    tools: tools.length === 0 ? undefined : joinList(tools),
    input: `[${written.of(request.messages, wellFormedJson([model.provider, model.id]), { model, cache }).items}]`,
    store: "false",
    stream: "true",
    ...(level === "off"
      ? {}
      : {
          reasoning: JSON.stringify({ effort: level, summary: "auto" }),
          include: JSON.stringify(["reasoning.encrypted_content"]),
        }),
    max_output_tokens: options.maxOutput === undefined ? undefined : String(options.maxOutput),
    temperature: options.temperature === undefined ? undefined : String(options.temperature),
    prompt_cache_key: cacheKey(options),
  });
}

/** The items of all messages, joined. */
const written = createDigest<{ items: string }, { model: Model; cache: JsonCache }>(
  () => ({ items: "" }),
  (written, message, { model, cache }) => {
    const variant = message.role === "assistant" && isOwn(message, model) ? "own" : "any";
    const items = cache.of(message, variant, () => writeItems(message, model));
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
function writeItems(message: LlmMessage, model: Model): string {
  switch (message.role) {
    case "user":
      return item({ type: "message", role: "user", content: message.content.map(inputPart) });
    case "toolResult":
      return item({ type: "function_call_output", call_id: wireCallId(message.callId), output: outputOf(message) });
    case "assistant":
      return message.content.flatMap((part) => writeAnswerPart(part, isOwn(message, model))).join(",");
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
  | { type: "message"; role: "assistant"; content: { type: "output_text"; text: string; annotations: [] }[] }
  | { type: "reasoning"; summary: Responses.ResponseReasoningItem.Summary[]; encrypted_content: string };

function inputPart(part: TextPart | ImagePart): Responses.ResponseInputText | Responses.ResponseInputImage {
  if (part.type === "text") return { type: "input_text", text: part.text };
  return { type: "input_image", image_url: dataUrl(part), detail: "auto" };
}

function outputOf({ content }: ToolResultMessage): Responses.ResponseInputItem.FunctionCallOutput["output"] {
  const hasImages = content.some((part) => part.type === "image");
  return hasImages ? content.map(inputPart) : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function writeAnswerPart(part: AssistantMessage["content"][number], isOwnAnswer: boolean): string[] {
  switch (part.type) {
    case "text": {
      if (part.text === "") return [];
      const content: [{ type: "output_text"; text: string; annotations: [] }] = [
        { type: "output_text", text: part.text, annotations: [] },
      ];
      return [item({ type: "message", role: "assistant", content })];
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
