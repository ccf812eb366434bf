import type { Finish, ScriptedUsage } from "../script.ts";
import { contentText, type Line, objects, type ReplyWriter, viewOf, type Wire } from "./wire.ts";

const stopReasons: Record<Finish, string> = {
  stop: "end_turn",
  toolUse: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
};

function frame(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function linesOf(message: Record<string, unknown>): Line[] {
  if (message.role === "assistant") return [{ by: "model", text: contentText(message.content) }];
  const parts = objects(message.content);
  const results = parts.filter((part) => part.type === "tool_result");
  const lines: Line[] = results.map((part) => ({ by: "tool", text: contentText(part.content) }));
  const text = typeof message.content === "string" ? message.content : contentText(parts);
  if (text !== "" || results.length === 0) lines.push({ by: "user", text });
  return lines;
}

/** No two messages of a server have the same id, and agents distinguish them by it. */
let messages = 0;

function writer(model: string, usage: Required<ScriptedUsage> | undefined): ReplyWriter {
  const id = `msg_fake_${messages++}`;
  let index = -1;
  let open: { type: string; signature?: string } | undefined;

  function delta(fields: object): string {
    return frame("content_block_delta", { index, delta: fields });
  }
  function endPart(): string {
    if (open === undefined) return "";
    const signature = open.signature ? delta({ type: "signature_delta", signature: open.signature }) : "";
    open = undefined;
    return signature + frame("content_block_stop", { index });
  }
  function startPart(type: string, block: object, signature = ""): string {
    const before = endPart();
    open = { type, signature };
    index += 1;
    return before + frame("content_block_start", { index, content_block: { type, ...block } });
  }
  function reported(output: number): object | undefined {
    if (usage === undefined) return undefined;
    return {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: output,
      ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    };
  }

  return {
    begin: () => {
      const message = { id, type: "message", role: "assistant", model, content: [], stop_reason: null };
      return frame("message_start", { message: { ...message, usage: reported(1) } }) + frame("ping", {});
    },
    text: (text) => {
      const start = open?.type === "text" ? "" : startPart("text", { text: "" });
      return start + delta({ type: "text_delta", text });
    },
    thinking: (thinking, signature) => {
      const start = open?.type === "thinking" ? "" : startPart("thinking", { thinking: "", signature: "" }, signature);
      return start + delta({ type: "thinking_delta", thinking });
    },
    startTool: (id, name) => startPart("tool_use", { id, name, input: {} }),
    toolArguments: (partial) => delta({ type: "input_json_delta", partial_json: partial }),
    endPart,
    finish: (finish) => {
      const last = {
        delta: { stop_reason: stopReasons[finish], stop_sequence: null },
        usage: reported(usage?.output ?? 0),
      };
      return endPart() + frame("message_delta", last);
    },
    endMarker: () => frame("message_stop", {}),
    failure: ({ type, message }) => frame("error", { error: { type, message } }),
  };
}

export const anthropicWire: Wire = {
  readRequest: (body) => ({
    model: String(body.model),
    system: contentText(body.system),
    tools: objects(body.tools).map((tool) => String(tool.name)),
    ...viewOf(objects(body.messages).flatMap(linesOf)),
  }),
  writer,
};
