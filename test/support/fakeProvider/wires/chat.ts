import type { Finish, ScriptedUsage } from "../script.ts";
import { contentText, isObject, type Line, objects, type ReplyWriter, viewOf, type Wire } from "./wire.ts";

const finishReasons: Record<Finish, string> = {
  stop: "stop",
  toolUse: "tool_calls",
  length: "length",
  refusal: "content_filter",
  pause: "stop",
};

const speakers: Record<string, Line["by"]> = { user: "user", assistant: "model", tool: "tool" };

function linesOf(message: Record<string, unknown>): Line[] {
  const by = speakers[String(message.role)];
  return by === undefined ? [] : [{ by, text: contentText(message.content) }];
}

function writer(model: string, usage: Required<ScriptedUsage> | undefined, includeUsage: boolean): ReplyWriter {
  let toolIndex = -1;

  function chunk(fields: object): string {
    const data = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 0, model, ...fields };
    return `data: ${JSON.stringify(data)}\n\n`;
  }
  function delta(fields: object, finish: string | null = null): string {
    return chunk({ choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: finish }] });
  }
  function reported({ input, output, cacheRead, cacheWrite, reasoning }: Required<ScriptedUsage>): object {
    const prompt = input + cacheRead + cacheWrite;
    return {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
  }

  return {
    begin: () => delta({ role: "assistant", content: "" }),
    text: (content) => delta({ content }),
    thinking: (text) => delta({ reasoning_content: text }),
    startTool: (id, name, extra) => {
      toolIndex += 1;
      const call = { index: toolIndex, id, type: "function", function: { name, arguments: "" } };
      return delta({ tool_calls: [extra === undefined ? call : { ...call, extra_content: extra }] });
    },
    toolArguments: (partial) => delta({ tool_calls: [{ index: toolIndex, function: { arguments: partial } }] }),
    endPart: () => "",
    finish: (finish) =>
      delta({}, finishReasons[finish]) + (includeUsage && usage ? chunk({ choices: [], usage: reported(usage) }) : ""),
    endMarker: () => "data: [DONE]\n\n",
    failure: ({ type, message, code }) =>
      `data: ${JSON.stringify({ error: { message, type, code: code ?? null } })}\n\n`,
  };
}

export const chatWire: Wire = {
  readRequest: (body) => {
    const messages = objects(body.messages);
    const system = messages.filter((message) => message.role === "system" || message.role === "developer");
    return {
      model: String(body.model),
      system: system.map((message) => contentText(message.content)).join("\n"),
      tools: objects(body.tools).map((tool) => (isObject(tool.function) ? String(tool.function.name) : "")),
      ...viewOf(messages.flatMap(linesOf)),
    };
  },
  writer: (model, usage, includeUsage) => writer(model, usage, includeUsage),
};
