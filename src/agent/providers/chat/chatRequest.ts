import type { Chat } from "openai/resources/chat/chat";
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

export const openaiBaseUrl = "https://api.openai.com/v1";

/** The body of a Chat Completions request, with nothing that only OpenAI's own server would take. */
export function writeChatBody(
  model: Model,
  request: ModelRequest,
  options: StreamOptions,
  context: BodyContext,
): string {
  const { cache, baseUrl } = context;
  const level = options.thinkingLevel ?? "off";
  const tools = request.tools.map((tool) => cache.of(tool, "tool", () => writeTool(tool)));
  const limit = options.maxOutput === undefined ? undefined : String(options.maxOutput);
  const isOpenai = new URL(baseUrl).host === new URL(openaiBaseUrl).host;
  return joinObject({
    model: wellFormedJson(model.id),
    // What stays the same is first: providers keep the work on a prefix that they have seen.
    tools: tools.length === 0 ? undefined : joinList(tools),
    messages: joinList(writeMessages(request, cache)),
    stream: "true",
    stream_options: '{"include_usage":true}',
    reasoning_effort: level === "off" ? undefined : JSON.stringify(level),
    // OpenAI's reasoning models refuse the old name, and other servers do not know the new one.
    [isOpenai ? "max_completion_tokens" : "max_tokens"]: limit,
    temperature: options.temperature === undefined ? undefined : String(options.temperature),
    // Other servers may refuse a field that they do not know.
    prompt_cache_key: isOpenai ? cacheKey(options) : undefined,
  });
}

function writeTool({ name, description, parameters }: ToolDefinition): string {
  return wellFormedJson({ type: "function", function: { name, description, parameters } });
}

type ChatMessage = Chat.ChatCompletionMessageParam;

function write(message: ChatMessage): string {
  return wellFormedJson(message);
}

function writeMessages({ systemPrompt, messages }: ModelRequest, cache: JsonCache): string[] {
  const system = systemPrompt === "" ? [] : [write({ role: "system", content: systemPrompt })];
  const { text, images } = written.of(messages, "", cache);
  return [...system, ...(text === "" ? [] : [text]), ...(images.length === 0 ? [] : [write(shownImages(images))])];
}

/** All messages, joined, and the images of the results at their end, which nothing shows yet. */
const written = createDigest<{ text: string; images: ImagePart[] }, JsonCache>(
  () => ({ text: "", images: [] }),
  (written, message, cache) => {
    const add = (json: string) => {
      written.text += written.text === "" ? json : `,${json}`;
    };
    if (message.role !== "toolResult" && written.images.length > 0) {
      add(write(shownImages(written.images)));
      written.images = [];
    }
    const json = cache.of(message, "chat", () => writeMessage(message));
    if (json !== "") add(json);
    if (message.role === "toolResult") written.images.push(...imagesOf(message));
  },
);

/** A tool message takes text alone, so the images of a batch follow it as what the user shows. */
function shownImages(images: readonly ImagePart[]): ChatMessage {
  return {
    role: "user",
    content: [{ type: "text", text: "Images from the tool results above:" }, ...images.map(userPart)],
  };
}

function imagesOf({ content }: ToolResultMessage): ImagePart[] {
  return content.filter((part) => part.type === "image");
}

function writeMessage(message: LlmMessage): string {
  switch (message.role) {
    case "user": {
      const hasImages = message.content.some((part) => part.type === "image");
      // Plain text where it will do: small servers know nothing else.
      return write({ role: "user", content: hasImages ? message.content.map(userPart) : textOf(message.content) });
    }
    case "toolResult": {
      const text = textOf(message.content);
      const content = text === "" && imagesOf(message).length > 0 ? "(see the image below)" : text;
      return write({ role: "tool", tool_call_id: wireCallId(message.callId), content });
    }
    case "assistant":
      return writeAnswer(message);
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
function writeAnswer({ content }: AssistantMessage): string {
  const text = textOf(content);
  const calls = content.filter((part) => part.type === "toolCall");
  if (text === "" && calls.length === 0) return "";
  const tool_calls = calls.map((call) => ({
    id: wireCallId(call.id),
    type: "function" as const,
    function: { name: wireToolName(call.name), arguments: argumentsText(call.arguments) },
  }));
  return write({
    role: "assistant",
    content: text === "" ? null : text,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  });
}
