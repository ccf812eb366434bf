import { anthropicWire } from "../../../src/agent/providers/anthropic/anthropicStream.ts";
import { chatWire } from "../../../src/agent/providers/chat/chatStream.ts";
import { responsesWire } from "../../../src/agent/providers/responses/responsesStream.ts";
import type { ProviderConfig } from "../../../src/agent/providers/shared/provider.ts";
import { createProvider } from "../../../src/agent/providers/shared/provider.ts";
import { timing } from "../../../src/agent/providers/shared/retry.ts";
import type { Wire } from "../../../src/agent/providers/shared/wire.ts";
import type { AssistantMessage, LlmMessage, ToolCall, UserMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { Model, ModelRequest, StreamEvent, StreamFn, StreamOptions } from "../../../src/agent/vocabulary/model.ts";
import type { WireName } from "../../support/fakeProvider/script.ts";

export const wires: Record<WireName, Wire> = { anthropic: anthropicWire, responses: responsesWire, chat: chatWire };
export const wireNames: readonly WireName[] = ["anthropic", "responses", "chat"];
export const model: Model = { id: "test-model", provider: "test" };
export const key = "sk-canary-1234567890";

/** The base URL of a server that is at `url`, as the SDK of a wire takes it. */
export function baseUrlOf(wire: WireName, url: string): string {
  return wire === "anthropic" ? url : `${url}/v1`;
}

/** A stream that never waits between attempts; `delays` has what it would have waited. */
export function providerAt(wire: WireName, url: string, config: ProviderConfig = {}, delays: number[] = []): StreamFn {
  return createProvider(
    wires[wire],
    { apiKey: key, baseUrl: baseUrlOf(wire, url), ...config },
    {
      ...timing,
      random: () => 0,
      wait: async (delayMs) => {
        delays.push(delayMs);
      },
    },
  );
}

export function user(text: string): UserMessage {
  return { role: "user", id: "user", content: [{ type: "text", text }], timestamp: 0 };
}

export function assistant(...content: AssistantMessage["content"]): AssistantMessage {
  const { id, provider } = model;
  return { role: "assistant", id: "answer", content, model: id, provider, stopReason: "stop", timestamp: 0 };
}

export function toolResult(callId: string, text: string): LlmMessage {
  const content: [{ type: "text"; text: string }] = [{ type: "text", text }];
  return {
    role: "toolResult",
    id: `result-${callId}`,
    callId,
    toolName: "read",
    content,
    isError: false,
    timestamp: 0,
  };
}

export function asking(...messages: LlmMessage[]): ModelRequest {
  return { systemPrompt: "Be brief.", messages: messages.length === 0 ? [user("Hello")] : messages, tools: [] };
}

/** Everything that a stream yields, and its terminal message. */
export interface Heard {
  events: StreamEvent[];
  terminal: "done" | "error";
  message: AssistantMessage;
}

export async function hear(
  stream: StreamFn,
  request = asking(),
  options: StreamOptions = {},
  asked: Model = model,
): Promise<Heard> {
  const events: StreamEvent[] = [];
  for await (const event of stream(asked, request, options)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "done" && last?.type !== "error") throw new Error(`The stream ended with ${last?.type}.`);
  return { events, terminal: last.type, message: last.message };
}

export function textOf(message: AssistantMessage): string {
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function callsOf(message: AssistantMessage): ToolCall[] {
  return message.content.filter((part) => part.type === "toolCall");
}

/** Whether a loop would run tools of this answer. */
export function runsTools({ terminal, message }: Heard): boolean {
  return terminal === "done" && message.stopReason === "toolUse" && callsOf(message).length > 0;
}

/** A `fetch` that answers with a body cut into the given chunks. */
export function fetchOf(chunks: readonly Uint8Array[], headers: Record<string, string> = {}): typeof fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
  };
}
