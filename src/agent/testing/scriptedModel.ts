import type { AssistantMessage, ProviderErrorKind, StopReason, ThinkingPart } from "../vocabulary/messages.ts";
import type { Model, ModelRequest, StreamEvent, StreamFn, StreamOptions } from "../vocabulary/model.ts";
import { emptyUsage, type Usage } from "../vocabulary/usage.ts";

export interface ScriptedCall {
  name: string;
  args?: unknown;
  id?: string;
}

/** One answer of the scripted model: its parts in wire order, and how it ends. */
export interface Reply {
  thinking?: string;
  text?: string;
  calls?: ScriptedCall[];
  usage?: Partial<Usage>;
  /** Default: "toolUse" with calls, else "stop". */
  stopReason?: StopReason;
  /** The terminal event is an `error` with this text, and perhaps of this kind. */
  error?: string;
  errorKind?: ProviderErrorKind;
  /** What the provider asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** Thrown by the iterator after the parts. */
  throws?: unknown;
  /** The stream closes without a terminal event. */
  unfinished?: boolean;
  /** After the parts, waits for the abort signal and ends as aborted; "deaf" ignores the signal and never ends. */
  hang?: boolean | "deaf";
  /** After the parts, waits for this before it ends. */
  until?: Promise<unknown>;
  /** Only the terminal event, no deltas. */
  bulk?: boolean;
  /** How many pieces each text is cut into; default 2. */
  pieces?: number;
  /** Yielded before the parts: warnings, retries. */
  first?: StreamEvent[];
}

export interface RecordedRequest extends ModelRequest {
  model: Model;
  options: StreamOptions;
}

export type Script = readonly Reply[] | ((request: RecordedRequest, index: number) => Reply);

export interface ScriptedModel {
  model: Model;
  streamFn: StreamFn;
  /** What was asked, oldest first. */
  requests: RecordedRequest[];
  /** How many streams are open right now. */
  readonly open: number;
}

export const testModel: Model = {
  id: "scripted",
  provider: "test",
  contextWindow: 1000,
  price: { input: 1, output: 2 },
};

/** An answer of text. */
export const text = (content: string, more: Partial<Reply> = {}): Reply => ({ text: content, ...more });
/** An answer that calls tools. */
export const calls = (...list: ScriptedCall[]): Reply => ({ calls: list });
/** An answer that calls one tool. */
export const call = (name: string, args: unknown = {}, id?: string): Reply => ({
  calls: [id === undefined ? { name, args } : { name, args, id }],
});
/** An answer that fails. */
export const fail = (error: string, more: Partial<Reply> = {}): Reply => ({ error, ...more });
/** An answer that does not end before it is aborted. */
export const hang = (more: Partial<Reply> = {}): Reply => ({ hang: true, ...more });

/** A script that picks the reply list whose key occurs in the system prompt or is the model's id. */
export function byAgent(scripts: Record<string, readonly Reply[]>): Script {
  const used = new Map<string, number>();
  return (request) => {
    const key = Object.keys(scripts).find((name) => request.model.id === name || request.systemPrompt.includes(name));
    if (key === undefined) throw new Error(`No script for the system prompt ${JSON.stringify(request.systemPrompt)}`);
    const index = used.get(key) ?? 0;
    used.set(key, index + 1);
    const reply = scripts[key]?.[index];
    if (reply === undefined) throw new Error(`The script of ${key} has no reply number ${index + 1}`);
    return reply;
  };
}

/** A model that answers by script and records what it was asked. Asking past the end of the script fails. */
export function scriptedModel(script: Script, model: Model = testModel): ScriptedModel {
  const requests: RecordedRequest[] = [];
  const open = { count: 0 };
  const streamFn: StreamFn = async function* (asked, request, options) {
    const recorded = { ...request, messages: [...request.messages], model: asked, options };
    const index = requests.push(recorded) - 1;
    const reply = typeof script === "function" ? script(recorded, index) : script[index];
    if (reply === undefined) throw new Error(`The script has no reply number ${index + 1}`);
    open.count += 1;
    try {
      yield* play(reply, asked, options.signal, index);
    } finally {
      open.count -= 1;
    }
  };
  return {
    model,
    streamFn,
    requests,
    get open() {
      return open.count;
    },
  };
}

async function* play(
  reply: Reply,
  model: Model,
  signal: AbortSignal | undefined,
  index: number,
): AsyncGenerator<StreamEvent> {
  const content: AssistantMessage["content"] = [];
  yield* reply.first ?? [];
  if (!reply.bulk && reply.error === undefined) yield { type: "start" };
  for (const event of parts(reply, content, index)) {
    if (!reply.bulk) yield event;
  }
  if (reply.until !== undefined) await reply.until;
  if (reply.hang === "deaf") await new Promise(() => {});
  if (reply.hang === true) {
    await aborted(signal);
    yield { type: "error", message: message(reply, content, model, "aborted") };
    return;
  }
  if (reply.throws !== undefined) throw reply.throws;
  if (reply.unfinished) return;
  if (reply.error !== undefined) {
    const { error: errorMessage, errorKind, retryAfterMs } = reply;
    yield {
      type: "error",
      message: {
        ...message(reply, content, model, "error"),
        errorMessage,
        ...(errorKind !== undefined && { errorKind }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      },
    };
    return;
  }
  const stopReason = reply.stopReason ?? (reply.calls === undefined ? "stop" : "toolUse");
  yield { type: "done", message: message(reply, content, model, stopReason) };
}

function* parts(reply: Reply, content: AssistantMessage["content"], request: number): Generator<StreamEvent> {
  if (reply.thinking !== undefined) {
    const index = content.length;
    yield { type: "thinking_start", index };
    for (const delta of cut(reply.thinking, reply.pieces)) yield { type: "thinking_delta", index, delta };
    const part: ThinkingPart = { type: "thinking", text: reply.thinking };
    content.push(part);
    yield { type: "thinking_end", index, content: reply.thinking };
  }
  if (reply.text !== undefined) {
    const index = content.length;
    yield { type: "text_start", index };
    for (const delta of cut(reply.text, reply.pieces)) yield { type: "text_delta", index, delta };
    content.push({ type: "text", text: reply.text });
    yield { type: "text_end", index, content: reply.text };
  }
  for (const [position, scripted] of (reply.calls ?? []).entries()) {
    const index = content.length;
    const id = scripted.id ?? `call-${request + 1}-${position + 1}`;
    const args = scripted.args ?? {};
    yield { type: "toolcall_start", index, callId: id, toolName: scripted.name };
    for (const delta of cut(JSON.stringify(args) ?? "", reply.pieces)) yield { type: "toolcall_delta", index, delta };
    const toolCall = { type: "toolCall" as const, id, name: scripted.name, arguments: args };
    content.push(toolCall);
    yield { type: "toolcall_end", index, call: toolCall };
  }
}

function cut(whole: string, pieces = 2): string[] {
  const size = Math.max(1, Math.ceil(whole.length / pieces));
  const result: string[] = [];
  for (let at = 0; at < whole.length; at += size) result.push(whole.slice(at, at + size));
  return result;
}

function message(
  reply: Reply,
  content: AssistantMessage["content"],
  model: Model,
  stopReason: StopReason,
): AssistantMessage {
  return {
    role: "assistant",
    id: "provider-id",
    content,
    model: model.id,
    provider: model.provider,
    stopReason,
    timestamp: 0,
    ...(reply.usage === undefined ? {} : { usage: { ...emptyUsage(), ...reply.usage } }),
  };
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
