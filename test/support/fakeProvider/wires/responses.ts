import type { ScriptedUsage } from "../script.ts";
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

function linesOf(item: JsonObject): Line[] {
  switch (item.type ?? "message") {
    case "message":
      if (item.role === "assistant") return [{ by: "model", text: contentText(item.content) }];
      return item.role === "user" ? [{ by: "user", text: contentText(item.content) }] : [];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ by: "tool", text: contentText(item.output) }];
    default:
      return [{ by: "model", text: "" }];
  }
}

/** An output item that is being written. */
interface OpenItem {
  kind: "message" | "reasoning" | "function_call" | "custom_tool_call";
  item: JsonObject;
  written: string;
  signature: string;
}

/** No two items of a server have the same id, and agents distinguish them by it. */
let responses = 0;

function writer(model: string, usage: Required<ScriptedUsage> | undefined): ReplyWriter {
  const output: JsonObject[] = [];
  const number = responses++;
  let sequence = 0;
  let open: OpenItem | undefined;

  function frame(type: string, fields: object): string {
    const data = { type, sequence_number: sequence, ...fields };
    sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
  function place(): object {
    return { item_id: open?.item.id, output_index: output.length };
  }
  function startItem(kind: OpenItem["kind"], fields: object, signature = ""): string {
    const before = endPart();
    const item = { id: `${kind}_${number}_${output.length}`, type: kind, status: "in_progress", ...fields };
    open = { kind, item, written: "", signature };
    return before + frame("response.output_item.added", { output_index: output.length, item });
  }
  function written(delta: string): string {
    if (open !== undefined) open.written += delta;
    return delta;
  }
  function endPart(): string {
    if (open === undefined) return "";
    const { kind, item, written: text, signature } = open;
    let frames = "";
    if (kind === "message") {
      const part = { type: "output_text", text, annotations: [] };
      frames += frame("response.output_text.done", { ...place(), content_index: 0, text });
      frames += frame("response.content_part.done", { ...place(), content_index: 0, part });
      item.content = [part];
    } else if (kind === "reasoning") {
      const part = { type: "summary_text", text };
      frames += frame("response.reasoning_summary_text.done", { ...place(), summary_index: 0, text });
      frames += frame("response.reasoning_summary_part.done", { ...place(), summary_index: 0, part });
      item.summary = [part];
      if (signature !== "") item.encrypted_content = signature;
    } else if (kind === "custom_tool_call") {
      frames += frame("response.custom_tool_call_input.done", { ...place(), input: text });
      item.input = text;
    } else {
      frames += frame("response.function_call_arguments.done", { ...place(), arguments: text });
      item.arguments = text;
    }
    item.status = "completed";
    frames += frame("response.output_item.done", { output_index: output.length, item });
    output.push(item);
    open = undefined;
    return frames;
  }
  function response(status: string, fields: object): JsonObject {
    return {
      id: `resp_fake_${number}`,
      object: "response",
      created_at: 0,
      model,
      status,
      error: null,
      output,
      ...fields,
    };
  }
  function reported(): object | null {
    if (usage === undefined) return null;
    return {
      input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
      input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
    };
  }

  return {
    begin: () =>
      frame("response.created", { response: response("in_progress", {}) }) +
      frame("response.in_progress", { response: response("in_progress", {}) }),
    text: (delta, phase) => {
      let start = "";
      if (open?.kind !== "message" || open.item.phase !== phase) {
        start = startItem("message", { role: "assistant", content: [], ...(phase === undefined ? {} : { phase }) });
        const part = { type: "output_text", text: "", annotations: [] };
        start += frame("response.content_part.added", { ...place(), content_index: 0, part });
      }
      return start + frame("response.output_text.delta", { ...place(), content_index: 0, delta: written(delta) });
    },
    thinking: (delta, signature) => {
      let start = "";
      if (open?.kind !== "reasoning") {
        start = startItem("reasoning", { summary: [] }, signature);
        const part = { type: "summary_text", text: "" };
        start += frame("response.reasoning_summary_part.added", { ...place(), summary_index: 0, part });
      }
      const fields = { ...place(), summary_index: 0, delta: written(delta) };
      return start + frame("response.reasoning_summary_text.delta", fields);
    },
    startTool: (id, name, extra) =>
      startItem("function_call", { call_id: id, name, ...(isObject(extra) ? extra : {}), arguments: "" }),
    startFreeText: (id, name) => startItem("custom_tool_call", { call_id: id, name, input: "" }),
    toolArguments: (delta) => {
      const type = open?.kind === "custom_tool_call" ? "custom_tool_call_input" : "function_call_arguments";
      return frame(`response.${type}.delta`, { ...place(), delta: written(delta) });
    },
    endPart,
    finish: (finish) => (finish === "refusal" ? refuse() : endPart()),
    endMarker: (finish) => {
      if (finish !== "length")
        return frame("response.completed", { response: response("completed", { usage: reported() }) });
      const fields = { usage: reported(), incomplete_details: { reason: "max_output_tokens" } };
      return frame("response.incomplete", { response: response("incomplete", fields) });
    },
    failure: ({ type, message, code }) => frame("error", { code: code ?? type, message, param: null }),
  };

  function refuse(): string {
    const before = startItem("message", { role: "assistant", content: [] });
    const refusal = "I cannot help with that.";
    const part = { type: "refusal", refusal };
    let frames = frame("response.content_part.added", { ...place(), content_index: 0, part: { ...part, refusal: "" } });
    frames += frame("response.refusal.delta", { ...place(), content_index: 0, delta: refusal });
    frames += frame("response.refusal.done", { ...place(), content_index: 0, refusal });
    const item = { ...open?.item, status: "completed", content: [part] };
    frames += frame("response.output_item.done", { output_index: output.length, item });
    output.push(item);
    open = undefined;
    return before + frames;
  }
}

export const responsesWire: Wire = {
  readRequest: (body) => {
    const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : objects(body.input);
    const system = input.filter((item) => item.role === "system" || item.role === "developer");
    return {
      model: String(body.model),
      system: [contentText(body.instructions), ...system.map((item) => contentText(item.content))].join("\n"),
      tools: objects(body.tools).map((tool) => String(tool.name)),
      ...viewOf(input.flatMap(linesOf)),
    };
  },
  writer,
};
