import { argumentsObject } from "../../../agent/providers/shared/calls.ts";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { ImagePart, LlmMessage, TextPart } from "../../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../../agent/vocabulary/model.ts";
import type { EditorMessage, EditorPart, EditorShownPart } from "./editorModel.ts";

/** A request as the editor's models take it. Results of one batch of calls go together, as their calls came. */
export function editorMessages({ systemPrompt, messages }: ModelRequest): EditorMessage[] {
  const written: EditorMessage[] = systemPrompt === "" ? [] : [systemMessage(systemPrompt)];
  let previous: LlmMessage["role"] | undefined;
  for (const message of messages) {
    const next = editorMessage(message);
    if (next.content.length === 0) continue;
    const last = written.at(-1);
    if (message.role === "toolResult" && previous === "toolResult") last?.content.push(...next.content);
    else written.push(next);
    previous = message.role;
  }
  return written;
}

export function systemMessage(systemPrompt: string): EditorMessage {
  return { role: "user", content: [{ type: "text", text: systemPrompt }] };
}

/** One message; without content where it held nothing that these models take, such as thinking alone. */
export function editorMessage(message: LlmMessage): EditorMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.flatMap(shown) };
    case "toolResult":
      return {
        role: "user",
        content: [{ type: "result", callId: message.callId, content: message.content.flatMap(shown) }],
      };
    case "assistant":
      return { role: "assistant", content: message.content.flatMap(said) };
    default:
      return assertNever(message);
  }
}

function shown(part: TextPart | ImagePart): EditorShownPart[] {
  if (part.type === "image") {
    return [{ type: "image", mimeType: part.mimeType, data: Buffer.from(part.data, "base64") }];
  }
  return part.text === "" ? [] : [{ type: "text", text: part.text }];
}

function said(part: Extract<LlmMessage, { role: "assistant" }>["content"][number]): EditorPart[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "toolCall":
      return [{ type: "call", id: part.id, name: part.name, input: argumentsObject(part.arguments) }];
    case "thinking":
      return [];
    default:
      return assertNever(part);
  }
}
