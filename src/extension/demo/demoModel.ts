import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";
import type { AssistantMessage, ToolCall } from "../../agent/vocabulary/messages.ts";
import { estimateTokens } from "../../agent/vocabulary/messages.ts";
import type { Model, ModelRequest, StreamEvent, StreamFn } from "../../agent/vocabulary/model.ts";
import { emptyUsage, type Usage } from "../../agent/vocabulary/usage.ts";
import type { DemoCall, DemoStep } from "./conversation.ts";

/** The offline demo. Its window is small so that one sees the gauge move. */
export const demoModel: Model = {
  id: "demo",
  provider: "demo",
  // The user's language is known only when the extension has begun.
  get name() {
    return t("Demo (offline, scripted)");
  },
  contextWindow: 32_000,
};

/** Resolves before the next delta, early once the signal is aborted. */
export type Pace = (signal: AbortSignal | undefined) => Promise<void>;

/** As fast as the reader takes it, with room for others between two deltas. */
const unpaced: Pace = () => new Promise((resolve) => setImmediate(resolve));

/** A reader's pace, for a person who watches. */
export function pacedBy(milliseconds: number): Pace {
  // An abort ends the wait; the stream itself looks at the signal.
  return (signal) => setTimeout(milliseconds, undefined, signal && { signal }).catch(() => undefined);
}

/** The demo model: what `plan` decides by rules, streamed like the answer of any other model. */
export function demoStream(pace: Pace = unpaced): StreamFn {
  return (model, request, { signal }) => stream(model, request, pace, signal);
}

async function* stream(
  model: Model,
  request: ModelRequest,
  pace: Pace,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent> {
  const content: AssistantMessage["content"] = [];
  const finish = (stopReason: AssistantMessage["stopReason"], errorMessage?: string): StreamEvent => ({
    type: stopReason === "error" || stopReason === "aborted" ? "error" : "done",
    message: {
      role: "assistant",
      id: crypto.randomUUID(),
      content,
      model: model.id,
      provider: model.provider,
      usage: usageOf(request, content),
      stopReason,
      ...(errorMessage === undefined ? {} : { errorMessage }),
      timestamp: Date.now(),
    },
  });
  yield { type: "start" };
  let step: DemoStep;
  try {
    // Loaded for those who try it: most ask a real model.
    const { plan } = await import("./plan.ts");
    step = plan(request);
  } catch (error) {
    yield finish("error", `A rule of the demo model failed: ${errorText(error)}`);
    return;
  }
  const events = stepEvents(step, content);
  while (!signal?.aborted) {
    const next = events.next();
    if (next.done) break;
    yield next.value;
    await pace(signal);
  }
  if (signal?.aborted) yield finish("aborted", "Stopped.");
  else yield finish(step.type === "calls" ? "toolUse" : "stop");
}

/** Grows `content` as it goes, so that an abort keeps exactly what was streamed. */
function* stepEvents(step: DemoStep, content: AssistantMessage["content"]): Generator<StreamEvent> {
  const text = step.text.trim();
  if (text !== "") {
    const index = content.length;
    const part = { type: "text" as const, text: "" };
    content.push(part);
    yield { type: "text_start", index };
    for (const delta of text.match(/\s*\S{1,24}/g) ?? []) {
      part.text += delta;
      yield { type: "text_delta", index, delta };
    }
    yield { type: "text_end", index, content: text };
  }
  if (step.type === "calls") for (const call of step.calls) yield* callEvents(call, content);
}

function* callEvents(call: DemoCall, content: AssistantMessage["content"]): Generator<StreamEvent> {
  const index = content.length;
  const part: ToolCall = { type: "toolCall", id: `demo_${crypto.randomUUID()}`, ...call };
  yield { type: "toolcall_start", index, callId: part.id, toolName: call.name };
  yield { type: "toolcall_delta", index, delta: JSON.stringify(call.arguments) };
  content.push(part);
  yield { type: "toolcall_end", index, call: part };
}

const charactersPerToken = 4;

/** What a model would plausibly report: four characters a token, of all it was shown and all it wrote. */
function usageOf({ systemPrompt, tools, messages }: ModelRequest, content: AssistantMessage["content"]): Usage {
  const fixed = systemPrompt.length + JSON.stringify(tools).length;
  const written = estimateTokens([
    { role: "assistant", id: "", content, model: "", provider: "", stopReason: "stop", timestamp: 0 },
  ]);
  return {
    ...emptyUsage(),
    input: Math.ceil(fixed / charactersPerToken) + estimateTokens(messages),
    output: Math.max(1, written),
  };
}
