import type Anthropic from "@anthropic-ai/sdk";
import { assertNever } from "../../vocabulary/errors.ts";
import type { AssistantMessage, ImagePart, LlmMessage, TextPart, ToolDefinition } from "../../vocabulary/messages.ts";
import type { Model, ModelRequest, StreamOptions } from "../../vocabulary/model.ts";
import { createDigest } from "../shared/digest.ts";
import { type JsonCache, joinList, joinObject, wellFormedJson } from "../shared/json.ts";
import { type OptionalFields, optionalNumber } from "../shared/optionalFields.ts";
import type { BodyContext } from "../shared/wire.ts";
import { argumentsObject, wireCallId, wireToolName } from "../shared/wireValues.ts";
import { canThink, maxTokens, thinkingFields } from "./anthropicThinking.ts";

export const anthropicBaseUrl = "https://api.anthropic.com";

/** Marks the thinking that the provider keeps to itself; such a part has no text, and its data goes back as it came. */
export const redactedPrefix = "redacted_thinking:";

/** The last two user messages: the older one is where the previous request ended, so it is found again. */
const markedMessages = 2;

/** The body of a Messages request. Every message, tool and prompt is written once and kept beside its object. */
export function writeAnthropicBody(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
  { cache, fields }: BodyContext,
): string {
  const thinking = thinkingFields(model, request, options, fields);
  const mark = cacheMarker(options, fields);
  const system = request.systemPrompt.trim() === "" ? [] : [mark(block({ type: "text", text: request.systemPrompt }))];
  // Arguments arrive as they are written, and not once they are whole.
  const isEager = canThink(model) && fields.may("eager_input_streaming");
  const tools = request.tools.map((tool) => cache.of(tool, `tool ${isEager}`, () => writeTool(tool, isEager)));
  return joinObject({
    model: wellFormedJson(model.id),
    max_tokens: String(maxTokens(model, options)),
    system: system.length === 0 ? undefined : joinList(system),
    tools: tools.length === 0 ? undefined : joinList([...tools.slice(0, -1), mark(tools.at(-1) ?? "")]),
    messages: writeMessages(request.messages, model, { cache, mark }),
    ...thinking,
    output_config: outputConfig(thinking.output_config, options, fields),
    temperature: thinking.thinking ? undefined : optionalNumber("temperature", options.temperature, fields),
    stream: "true",
  });
}

/** Adds what the answer has to follow to what thinking asks for. */
function outputConfig(
  config: string | undefined,
  { output }: StreamOptions,
  fields: OptionalFields,
): string | undefined {
  if (output === undefined || !fields.may("output_config.format")) return config;
  const format = wellFormedJson({ type: "json_schema", schema: output.schema });
  return config === undefined ? `{"format":${format}}` : `${config.slice(0, -1)},"format":${format}}`;
}

function writeTool({ name, description, parameters }: ToolDefinition, isEager: boolean): string {
  const eager = isEager ? { eager_input_streaming: true } : {};
  return wellFormedJson({ name, description, input_schema: parameters, ...eager });
}

const userStart = '{"role":"user","content":[';
const assistantStart = '{"role":"assistant","content":[';
/** An answer of one text, which needs no block: answers bear no marks. Blocks of the user's might, so they stay blocks. */
const textAnswerStart = '{"role":"assistant","content":"';
const textStart = '{"type":"text","text":';

function closed(open: string): string {
  return open + (open.startsWith(textAnswerStart) ? "}" : "]}");
}

/** Messages as JSON. Each lacks its end until the last, so that more can be added: cutting a text open would copy it. */
interface Written {
  open: string[];
  /** What is before each of them, joined. */
  before: string[];
  previous: LlmMessage | undefined;
}

const written = createDigest<Written, { model: Model; cache: JsonCache }>(
  () => ({ open: [], before: [], previous: undefined }),
  addMessage,
);

/** Neighbouring results go in one message, since all results of an answer must be together. */
function addMessage(written: Written, message: LlmMessage, { model, cache }: { model: Model; cache: JsonCache }): void {
  const { open, before, previous } = written;
  const follows = message.role === "toolResult" && previous?.role === "toolResult";
  const json = follows
    ? cache.of(message, "follows", () => `,${writeBlocks(message, model)}`)
    : cache.of(message, variantOf(message, model), () => writeOpen(message, model));
  if (json === "") return;
  const last = open.at(-1);
  if (follows) open.push(`${open.pop() ?? ""}${json}`);
  else {
    before.push(last === undefined ? "" : `${before.at(-1) ?? ""}${closed(last)},`);
    open.push(json);
  }
  written.previous = message;
}

function writeMessages(
  messages: readonly LlmMessage[],
  model: Model,
  { cache, mark }: { cache: JsonCache; mark: Marker },
): string {
  const { open, before } = written.of(messages, wellFormedJson([model.provider, model.id]), { model, cache });
  let text = "";
  let at = open.length;
  for (let unmarked = markedMessages; at > 0 && unmarked > 0; ) {
    at -= 1;
    const json = open[at] ?? "";
    const isUser = json.startsWith(userStart);
    if (isUser) unmarked -= 1;
    text = `${closed(isUser ? mark(json) : json)}${text === "" ? "" : `,${text}`}`;
  }
  return `[${before[at] ?? ""}${text}]`;
}

/** Only answers depend on who is asked: signatures are worth something to their own model alone. */
function variantOf(message: LlmMessage, model: Model): string {
  return message.role === "assistant" && isOwn(message, model) ? "own" : "any";
}

function isOwn(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.model === model.id;
}

/** A message without its end; "" for an answer that leaves nothing to send. */
function writeOpen(message: LlmMessage, model: Model): string {
  const blocks = writeBlocks(message, model);
  if (blocks === "") return "";
  if (message.role !== "assistant") return userStart + blocks;
  const [part] = message.content;
  const isText = message.content.length === 1 && part?.type === "text";
  return isText ? textAnswerStart + blocks.slice(textStart.length + 1, -1) : assistantStart + blocks;
}

function writeBlocks(message: LlmMessage, model: Model): string {
  switch (message.role) {
    case "user": {
      const parts = message.content.flatMap(writePart);
      return (parts.length === 0 ? [block({ type: "text", text: "(empty)" })] : parts).join(",");
    }
    case "toolResult":
      return block({
        type: "tool_result",
        tool_use_id: wireCallId(message.callId),
        content: resultContent(message.content.flatMap(contentBlock)),
        // Of an error the API takes text alone.
        ...(message.isError && message.content.every(({ type }) => type === "text") ? { is_error: true } : {}),
      });
    case "assistant":
      return message.content.flatMap((part) => writeAnswerPart(part, isOwn(message, model))).join(",");
    default:
      return assertNever(message);
  }
}

type Block = Anthropic.ContentBlockParam;

function block(value: Block): string {
  return wellFormedJson(value);
}

function contentBlock(part: TextPart | ImagePart): (Anthropic.TextBlockParam | Anthropic.ImageBlockParam)[] {
  if (part.type === "image") {
    // The API takes four types and names the one it does not know; nothing is gained by judging it here.
    const media_type = part.mimeType as Anthropic.Base64ImageSource["media_type"];
    return [{ type: "image", source: { type: "base64", media_type, data: part.data } }];
  }
  // Blank text is refused.
  return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
}

type Contents = ReturnType<typeof contentBlock>;

/** A mark is on the result and not in it, so that one text never needs a block. */
function resultContent(blocks: Contents): Contents | string {
  const [first] = blocks;
  return blocks.length === 1 && first?.type === "text" ? first.text : blocks;
}

function writePart(part: TextPart | ImagePart): string[] {
  return contentBlock(part).map(block);
}

function writeAnswerPart(part: AssistantMessage["content"][number], isOwnAnswer: boolean): string[] {
  switch (part.type) {
    case "text":
      return writePart(part);
    case "thinking": {
      const { text, signature } = part;
      if (!isOwnAnswer || signature === undefined) return [];
      if (!signature.startsWith(redactedPrefix)) return [block({ type: "thinking", thinking: text, signature })];
      return [block({ type: "redacted_thinking", data: signature.slice(redactedPrefix.length) })];
    }
    case "toolCall": {
      const input = argumentsObject(part.arguments);
      return [block({ type: "tool_use", id: wireCallId(part.id), name: wireToolName(part.name), input })];
    }
    default:
      return assertNever(part);
  }
}

/** Adds the cache mark to an object (or to the last of several) that is JSON already. */
type Marker = (json: string) => string;

function cacheMarker({ cacheLifetime }: StreamOptions, fields: OptionalFields): Marker {
  if (!fields.may("cache_control")) return (json) => json;
  const isLong = cacheLifetime === "long" && fields.may("cache_control.ttl");
  const value = { type: "ephemeral", ...(isLong ? { ttl: "1h" } : {}) };
  const field = `"cache_control":${JSON.stringify(value)}`;
  return (json) => `${json.slice(0, -1)},${field}}`;
}
