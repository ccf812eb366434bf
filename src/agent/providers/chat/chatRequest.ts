import type { Chat } from "openai/resources/chat/chat";
import { assertNever } from "../../vocabulary/errors.ts";
import type {
  AssistantMessage,
  ImagePart,
  LlmMessage,
  TextPart,
  ToolCall,
  ToolDefinition,
  ToolResultMessage,
} from "../../vocabulary/messages.ts";
import type { Model, ModelRequest, StreamOptions } from "../../vocabulary/model.ts";
import { createDigest } from "../shared/digest.ts";
import { type JsonCache, joinList, joinObject, wellFormedJson } from "../shared/json.ts";
import { cacheKey, dataUrl, isStrictSchema } from "../shared/openai.ts";
import { type OptionalFields, optionalNumber } from "../shared/optionalFields.ts";
import type { BodyContext } from "../shared/wire.ts";
import { argumentsText, textOfResult, wireCallId, wireToolName } from "../shared/wireValues.ts";
import {
  type CacheMark,
  cacheMark,
  effortFields,
  outputLimit,
  serverAt,
  type ThinkingBack,
  type ThinkingName,
  thinkingBack,
} from "./chatDialect.ts";

/** The body of a Chat Completions request, with nothing that only some server would take but where it is that server. */
export function writeChatBody(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
  { cache, baseUrl, fields }: BodyContext,
): string {
  const server = serverAt(baseUrl);
  const context = { server, fields };
  const tools = request.tools.map((tool) => cache.of(tool, "tool", () => writeTool(tool)));
  const format: Format = {
    model,
    thinking: thinkingBack(model, options, fields),
    hasExtra: fields.may("extra_content"),
    mark: cacheMark(model, options, context),
  };
  return joinObject({
    model: wellFormedJson(model.id),
    // What stays the same is first: providers keep the work on a prefix that they have seen.
    tools: tools.length === 0 ? undefined : joinList(tools),
    messages: joinList(writeMessages(request, format, cache)),
    stream: "true",
    stream_options: fields.may("stream_options") ? '{"include_usage":true}' : undefined,
    ...effortFields(model, options, context),
    ...outputLimit(options, context),
    response_format: responseFormat(options, fields),
    temperature: optionalNumber("temperature", options.temperature, fields),
    prompt_cache_key: server === "openai" && fields.may("prompt_cache_key") ? cacheKey(options) : undefined,
  });
}

function responseFormat({ output }: StreamOptions, fields: OptionalFields): string | undefined {
  if (output === undefined || !fields.may("response_format")) return undefined;
  const json_schema = { ...output, strict: isStrictSchema(output.schema) };
  return wellFormedJson({ type: "json_schema", json_schema });
}

/** What the messages of a request depend on beside themselves. */
interface Format {
  model: Model;
  thinking: ThinkingBack;
  /** Whether what a server attached to its calls goes back. */
  hasExtra: boolean;
  mark: CacheMark | undefined;
}

function writeTool({ name, description, parameters }: ToolDefinition): string {
  return wellFormedJson({ type: "function", function: { name, description, parameters } });
}

type ChatMessage = Chat.ChatCompletionMessageParam;

function write(message: ChatMessage): string {
  return wellFormedJson(message);
}

function writeMessages({ systemPrompt, messages }: ModelRequest, format: Format, cache: JsonCache): string[] {
  const { mark } = format;
  const content = mark === undefined ? systemPrompt : [markedText(systemPrompt, mark)];
  const system = systemPrompt === "" ? [] : [write({ role: "system", content })];
  const { items, before, images } = written.of(messages, variantOf(format), { format, cache });
  const tail = images.length === 0 ? [] : [userMessage(shownImages(images))];
  if (mark === undefined) return [...system, ...(items.length === 0 ? [] : [joined(before, items)]), ...tail];
  const marked: string[] = [];
  let at = items.length;
  for (let unmarked = markedMessages; at > 0 && unmarked > 0; ) {
    at -= 1;
    const { json, message } = items[at] ?? noItem;
    const withMark = message === undefined ? undefined : writeMarked(message, mark);
    if (withMark !== undefined) unmarked -= 1;
    marked.unshift(withMark ?? json);
  }
  return [...system, ...(at === 0 ? [] : [before[at] ?? ""]), ...marked, ...tail];
}

/** The last two that the user or a tool said: the older one is where the previous request ended. */
const markedMessages = 2;

interface Item {
  json: string;
  /** Absent for what shows the images of results. */
  message?: LlmMessage;
  /** What the user says, as JSON; absent for what others say. */
  said?: string;
}
const noItem: Item = { json: "" };

interface Written {
  items: Item[];
  /** What is before each of them, joined. */
  before: string[];
  /** The images of the results at the end, which nothing shows yet. */
  images: ImagePart[];
  previous: LlmMessage["role"] | undefined;
}

function joined(before: readonly string[], items: readonly Item[]): string {
  const head = before.at(-1) ?? "";
  const last = items.at(-1)?.json ?? "";
  return head === "" ? last : `${head},${last}`;
}

const written = createDigest<Written, { format: Format; cache: JsonCache }>(
  () => ({ items: [], before: [], images: [], previous: undefined }),
  (written, message, { format, cache }) => {
    const add = (item: Item) => {
      written.before.push(joined(written.before, written.items));
      written.items.push(item);
    };
    const addSaid = (said: string, message?: LlmMessage) => {
      const last = written.items.at(-1)?.said;
      // Templates of some models refuse two messages of the user in a row. Where there are marks, each keeps its own.
      if (last === undefined || format.mark !== undefined) {
        add({ json: userMessage(said), said, ...(message && { message }) });
      } else {
        const both = joinedContent(last, said);
        written.items[written.items.length - 1] = { json: userMessage(both), said: both };
      }
    };
    if (message.role !== "toolResult" && written.images.length > 0) {
      addSaid(shownImages(written.images));
      written.images = [];
    }
    const afterResult = written.previous === "toolResult";
    const variant = message.role === "assistant" ? `${variantOf(format)} ${afterResult}` : "chat";
    const json = cache.of(message, variant, () => writeMessage(message, format, afterResult));
    if (message.role === "user") addSaid(json, message);
    else if (json !== "") add({ json, message });
    if (message.role === "toolResult") written.images.push(...imagesOf(message));
    written.previous = message.role;
  },
);

function variantOf({ model, thinking, hasExtra, mark }: Format): string {
  const { names, hasDetails, isDemanded } = thinking;
  return wellFormedJson([model.provider, model.id, names, hasDetails, isDemanded, hasExtra, mark !== undefined]);
}

function userMessage(content: string): string {
  return `{"role":"user","content":${content}}`;
}

/** Two contents of the user as one, all in JSON: texts with a blank line between them, or the parts of both. */
function joinedContent(first: string, second: string): string {
  if (first === '""') return second;
  if (second === '""') return first;
  const isText = (content: string) => content.startsWith('"');
  if (isText(first) && isText(second)) return `${first.slice(0, -1)}\\n\\n${second.slice(1)}`;
  const parts = (content: string) => (isText(content) ? `{"type":"text","text":${content}}` : content.slice(1, -1));
  return `[${parts(first)},${parts(second)}]`;
}

function markedText(text: string, mark: CacheMark): Chat.ChatCompletionContentPartText {
  const part: Chat.ChatCompletionContentPartText & { cache_control: CacheMark } = {
    type: "text",
    text,
    cache_control: mark,
  };
  return part;
}

/** A message of the user or of a tool with a mark at its end; undefined for any other, and where there is no text. */
function writeMarked(message: LlmMessage, mark: CacheMark): string | undefined {
  if (message.role === "assistant") return undefined;
  const text = message.role === "user" ? textOf(message.content) : textOfResult(message);
  if (text.trim() === "") return undefined;
  if (message.role === "toolResult") {
    return write({ role: "tool", tool_call_id: wireCallId(message.callId), content: [markedText(text, mark)] });
  }
  const images = message.content.filter((part) => part.type === "image").map(userPart);
  return write({ role: "user", content: [...images, markedText(text, mark)] });
}

/** A tool message takes text alone, so the images of a batch follow it as what the user shows. */
function shownImages(images: readonly ImagePart[]): string {
  return wellFormedJson([{ type: "text", text: "Images from the tool results above:" }, ...images.map(userPart)]);
}

function imagesOf({ content }: ToolResultMessage): ImagePart[] {
  return content.filter((part) => part.type === "image");
}

/** Of the user the content alone: others may be joined to it. */
function writeMessage(message: LlmMessage, format: Format, afterResult: boolean): string {
  switch (message.role) {
    case "user": {
      const hasImages = message.content.some((part) => part.type === "image");
      // Plain text where it will do: small servers know nothing else.
      return wellFormedJson(hasImages ? message.content.map(userPart) : textOf(message.content));
    }
    case "toolResult": {
      const text = textOfResult(message);
      const content = text === "" && imagesOf(message).length > 0 ? "(see the image below)" : text;
      return write({ role: "tool", tool_call_id: wireCallId(message.callId), content });
    }
    case "assistant":
      return writeAnswer(message, format, afterResult);
    default:
      return assertNever(message);
  }
}

function userPart(
  part: TextPart | ImagePart,
): Chat.ChatCompletionContentPartText | Chat.ChatCompletionContentPartImage {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: dataUrl(part) } };
}

function textOf(content: AssistantMessage["content"] | (TextPart | ImagePart)[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** "" for an answer that held thinking alone: this format has no place for it. */
function writeAnswer(message: AssistantMessage, format: Format, afterResult: boolean): string {
  const { content } = message;
  const text = textOf(content);
  const calls = content.filter((part) => part.type === "toolCall");
  if (text === "" && calls.length === 0) return "";
  const isOwn = message.provider === format.model.provider && message.model === format.model.id;
  const tool_calls = calls.map((call) => ({
    id: wireCallId(call.id),
    type: "function" as const,
    function: { name: wireToolName(call.name), arguments: argumentsText(call.arguments) },
    ...(isOwn && format.hasExtra ? extraOf(call) : {}),
  }));
  return write({
    role: "assistant",
    content: text === "" ? null : text,
    // Only within a turn of tool calls, where the model goes on with it.
    ...(calls.length > 0 || afterResult ? thinkingOf(isOwn ? content : [], calls.length > 0, format.thinking) : {}),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  });
}

/** The thinking of an answer under the name that it came by. */
function thinkingOf(
  content: AssistantMessage["content"],
  hasCalls: boolean,
  { names, hasDetails, isDemanded }: ThinkingBack,
): Partial<Record<ThinkingName, string> & { reasoning_details: unknown }> {
  const detailed = content.find((part) => part.type === "thinking" && part.signature?.startsWith("["));
  if (hasDetails && detailed?.type === "thinking") {
    const details = parsed(detailed.signature);
    if (details !== undefined) return { reasoning_details: details };
  }
  for (const name of names) {
    const parts = content.flatMap((part) => (part.type === "thinking" && part.signature === name ? [part.text] : []));
    if (parts.length > 0) return { [name]: parts.join("\n") };
  }
  return isDemanded && hasCalls ? { reasoning_content: "" } : {};
}

/** What the server had attached to a call. Any other wire's signature is none of this one's. */
function extraOf({ signature }: ToolCall): { extra_content?: unknown } {
  const extra = signature?.startsWith("{") ? parsed(signature) : undefined;
  return extra === undefined ? {} : { extra_content: extra };
}

/** The value of JSON that was kept as a signature; undefined for one of another kind. */
function parsed(signature: string | undefined): unknown {
  try {
    return JSON.parse(signature ?? "");
  } catch {
    return undefined;
  }
}
