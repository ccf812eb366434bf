import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { applyDelta } from "../../agent/vocabulary/applyDelta.ts";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { type AssistantMessage, estimateTokens, userMessage } from "../../agent/vocabulary/messages.ts";
import type { MessageDelta, Model, ModelRequest, StreamFn } from "../../agent/vocabulary/model.ts";
import { emptyUsage, type Usage } from "../../agent/vocabulary/usage.ts";
import type { DemoStep } from "./conversation.ts";

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
  return async function* (model, request, { signal }) {
    yield { type: "start" };
    const step = await decide(request);
    let message: AssistantMessage = {
      ...{ role: "assistant", id: crypto.randomUUID(), content: [], stopReason: "stop", timestamp: Date.now() },
      ...{ model: model.id, provider: model.provider },
    };
    const deltas = step.type === "failure" ? [] : deltasOf(step);
    for (const delta of signal?.aborted ? [] : deltas) {
      message = applyDelta(message, delta);
      yield delta;
      await pace(signal);
      if (signal?.aborted) break;
    }
    const stopReason = signal?.aborted ? "aborted" : stopReasons[step.type];
    const errorMessage = signal?.aborted ? "Stopped." : step.type === "failure" ? step.text : undefined;
    const ended: AssistantMessage = { ...message, usage: usageOf(request, message), stopReason };
    if (errorMessage === undefined) yield { type: "done", message: ended };
    else yield { type: "error", message: { ...ended, errorMessage } };
  };
}

type Failure = { type: "failure"; text: string };
const stopReasons = { calls: "toolUse", answer: "stop", failure: "error" } as const;

async function decide(request: ModelRequest): Promise<DemoStep | Failure> {
  try {
    // Loaded for those who try it: most ask a real model.
    const { plan } = await import("./plan.ts");
    return plan(request);
  } catch (error) {
    return { type: "failure", text: `A rule of the demo model failed: ${errorText(error)}` };
  }
}

function* deltasOf(step: DemoStep): Generator<MessageDelta> {
  const content = step.text.trim();
  let index = 0;
  if (content !== "") {
    yield { type: "text_start", index };
    for (const delta of content.match(/\s*\S{1,24}/g) ?? []) yield { type: "text_delta", index, delta };
    yield { type: "text_end", index, content };
    index += 1;
  }
  for (const { name, arguments: input } of step.type === "calls" ? step.calls : []) {
    const call = { type: "toolCall" as const, id: `demo_${crypto.randomUUID()}`, name, arguments: input };
    yield { type: "toolcall_start", index, callId: call.id, toolName: name };
    yield { type: "toolcall_delta", index, delta: JSON.stringify(input) };
    yield { type: "toolcall_end", index, call };
    index += 1;
  }
}

/** What a model would plausibly report of all that it was shown and wrote. */
function usageOf({ systemPrompt, tools, messages }: ModelRequest, answer: AssistantMessage): Usage {
  const input = estimateTokens([userMessage(systemPrompt + JSON.stringify(tools)), ...messages]);
  return { ...emptyUsage(), input, output: Math.max(1, estimateTokens([answer])) };
}
