import type { Finish, ScriptedUsage } from "../script.ts";
import {
  contentText,
  isObject,
  type JsonObject,
  type Line,
  objects,
  type ReplyWriter,
  viewOf,
  type Wire,
} from "./wire.ts";

/** Gemini's API, as far as Gemini CLI uses it: the model is in the path, and a call comes whole. */
export const googlePath = /^\/v1beta\/models\/([^/:]+):(\w+)$/;

const finishReasons: Record<Finish, string> = {
  stop: "STOP",
  toolUse: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  pause: "STOP",
};

function linesOf({ role, parts }: JsonObject): Line[] {
  const all = objects(parts);
  if (role === "model") return [{ by: "model", text: contentText(all) }];
  const results = all.flatMap(({ functionResponse }) => (isObject(functionResponse) ? [functionResponse] : []));
  const lines: Line[] = results.map(({ response }) => ({ by: "tool", text: JSON.stringify(response) }));
  const text = contentText(all);
  if (text !== "" || results.length === 0) lines.push({ by: "user", text });
  return lines;
}

function reported(usage: Required<ScriptedUsage> | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const { input, output, cacheRead, reasoning } = usage;
  const promptTokenCount = input + cacheRead;
  return {
    ...{ promptTokenCount, cachedContentTokenCount: cacheRead, candidatesTokenCount: output },
    ...{ thoughtsTokenCount: reasoning, totalTokenCount: promptTokenCount + output + reasoning },
  };
}

function chunkOf(model: string, parts: JsonObject[], more: JsonObject = {}, usage?: JsonObject): JsonObject {
  const candidate = { content: { role: "model", parts }, index: 0, ...more };
  return { candidates: [candidate], modelVersion: model, ...(usage !== undefined && { usageMetadata: usage }) };
}

function writer(model: string, usage: Required<ScriptedUsage> | undefined): ReplyWriter {
  let call: { id: string; name: string; text: string } | undefined;
  const chunk = (...[parts, more, used]: [JsonObject[], JsonObject?, JsonObject?]) =>
    `data: ${JSON.stringify(chunkOf(model, parts, more, used))}\n\n`;
  const endPart = () => {
    if (call === undefined) return "";
    const { id, name, text } = call;
    call = undefined;
    return chunk([{ functionCall: { id, name, args: JSON.parse(text) } }]);
  };
  return {
    begin: () => "",
    text: (text) => endPart() + chunk([{ text }]),
    thinking: (text, signature) =>
      endPart() + chunk([{ text, thought: true, ...(signature !== "" && { thoughtSignature: signature }) }]),
    startTool: (id, name) => {
      const before = endPart();
      call = { id, name, text: "" };
      return before;
    },
    toolArguments: (partial) => {
      if (call !== undefined) call.text += partial;
      return "";
    },
    endPart,
    finish: (finish) => endPart() + chunk([{ text: "" }], { finishReason: finishReasons[finish] }, reported(usage)),
    endMarker: () => "",
    failure: ({ type, message }) => `data: ${JSON.stringify({ error: { code: 500, status: type, message } })}\n\n`,
  };
}

export const googleWire: Wire = {
  readRequest: (body) => ({
    model: String(body.model),
    system: isObject(body.systemInstruction) ? contentText(body.systemInstruction.parts) : "",
    tools: objects(body.tools).flatMap(({ functionDeclarations }) =>
      objects(functionDeclarations).map(({ name }) => String(name)),
    ),
    ...viewOf(objects(body.contents).flatMap(linesOf)),
  }),
  writer,
};

/** What is asked beside the conversation: how long it is, or something that needs no stream. */
export function googleAside(method: string, model: string): JsonObject | undefined {
  if (method === "countTokens") return { totalTokens: 10 };
  return method === "generateContent" ? chunkOf(model, [{ text: "{}" }], { finishReason: "STOP" }) : undefined;
}
