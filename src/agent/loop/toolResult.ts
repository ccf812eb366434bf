import type { ImagePart, TextPart, ToolCall, ToolResult, ToolResultMessage } from "../vocabulary/messages.ts";
import { copyPlain, plainJson } from "../vocabulary/plainJson.ts";
import { truncateOutput } from "../vocabulary/truncate.ts";

/** A call that has its one result. */
export interface AnsweredCall {
  call: ToolCall;
  result: ToolResult;
  isError: boolean;
  /** The run ends once the batch is answered. */
  fatal?: Error;
  /** The result as it was stored when the call ended. */
  message?: ToolResultMessage;
}

export function errorResult(text: string): ToolResult {
  return { content: text, isError: true };
}

/** What a tool gave, as plain JSON with absent fields absent; too long text is cut, errors never. */
export function normalizeResult(given: unknown): ToolResult {
  if (typeof given === "string") return { content: capText(given) };
  if (!isResult(given)) {
    return { content: given === undefined ? "" : capText(JSON.stringify(plainJson(given)) ?? "") };
  }
  const isError = given.isError === true;
  const details = copyPlain(plainJson(given.details));
  return {
    content: isError ? plainContent(given.content) : capContent(plainContent(given.content)),
    ...(details === undefined ? {} : { details }),
    ...(given.isError === undefined ? {} : { isError }),
    ...(given.terminate === undefined ? {} : { terminate: given.terminate }),
    ...(given.control === undefined
      ? {}
      : { control: { type: given.control.type, value: copyPlain(plainJson(given.control.value)) ?? null } }),
  };
}

/** Tools of applications and servers may answer anything, whatever their types say. */
function isResult(given: unknown): given is ToolResult {
  if (typeof given !== "object" || given === null || !("content" in given)) return false;
  return typeof given.content === "string" || (Array.isArray(given.content) && given.content.every(isPart));
}

function isPart(part: unknown): part is TextPart | ImagePart {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  if (part.type === "text") return "text" in part && typeof part.text === "string";
  return part.type === "image" && "data" in part && "mimeType" in part;
}

/** Cleaned to plain JSON, parts are still parts. */
function plainContent(content: ToolResult["content"]): ToolResult["content"] {
  return typeof content === "string" ? content : copyPlain(plainJson(content) as (TextPart | ImagePart)[]);
}

function capContent(content: ToolResult["content"]): ToolResult["content"] {
  if (typeof content === "string") return capText(content);
  return content.map((part) => (part.type === "text" ? { type: "text", text: capText(part.text) } : part));
}

/** A NUL does not occur in text: such output would only burn tokens. */
function capText(text: string): string {
  if (text.includes("\0")) return `[Output is not text: ${text.length} characters were left out.]`;
  return truncateOutput(text);
}

export function resultMessage({ call, result, isError }: AnsweredCall): ToolResultMessage {
  const { content, details } = result;
  return {
    role: "toolResult",
    id: crypto.randomUUID(),
    callId: call.id,
    toolName: call.name,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    isError,
    ...(details === undefined ? {} : { details }),
    timestamp: Date.now(),
  };
}
