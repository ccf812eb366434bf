import { MessageDraft } from "../../../agent/providers/shared/draft.ts";
import {
  limitsEverybody,
  type Permit,
  type RateLimiter,
  whileHeld,
} from "../../../agent/providers/shared/rateLimiter.ts";
import { type Timing, timing } from "../../../agent/providers/shared/retry.ts";
import type { AssistantMessage } from "../../../agent/vocabulary/messages.ts";
import type { Model, ModelRequest, StreamEvent, StreamFn, StreamOptions } from "../../../agent/vocabulary/model.ts";
import { retryDelayMs } from "../../../agent/vocabulary/retries.ts";
import { goneEditorModelProblem } from "../problems.ts";
import { askEditorModel, type EditorAttempt, stoppable } from "./editorAttempt.ts";
import type { EditorFailure } from "./editorFailure.ts";
import type { EditorModel, ListEditorModels } from "./editorModel.ts";
import { findEditorModel } from "./editorModelList.ts";
import { createTokenCounter, estimatedUsage, type TokenCounter } from "./editorUsage.ts";

export interface EditorStreamOptions {
  listModels: ListEditorModels;
  limiter: RateLimiter;
  pace?: Timing;
  /** Without a part of the answer, from its beginning on. The time in which the user is asked does not count. */
  idleMs?: number;
  /** How long the count of tokens may hold up an answer that is complete. */
  countMs?: number;
}

const maxRetries = 5;
const emptyRetries = 2;

/** Asks the language models that other extensions offer through the editor. They need no key of Arbor's. */
export function editorStream(options: EditorStreamOptions): StreamFn {
  const counter = createTokenCounter();
  return (model, request, streamOptions) =>
    converse({
      ...{ model, request, options: streamOptions, counter },
      listModels: options.listModels,
      limiter: options.limiter,
      pace: options.pace ?? timing,
      idleMs: options.idleMs ?? 120_000,
      countMs: options.countMs ?? 3_000,
    });
}

interface Call extends Required<EditorStreamOptions> {
  model: Model;
  request: ModelRequest;
  options: StreamOptions;
  counter: TokenCounter;
}

async function* converse(call: Call): AsyncGenerator<StreamEvent> {
  const { options, pace, limiter } = call;
  yield { type: "start" };
  for (let number = 1; ; number += 1) {
    const draft = newDraft(call);
    const permit = limiter.acquire();
    let delayMs: number;
    let error: string;
    try {
      yield* whileHeld(permit, number - 1, options.signal);
      const outcome = yield* ask(call, draft, permit);
      if (!("kind" in outcome)) {
        yield { type: outcome.stopReason === "aborted" ? "error" : "done", message: outcome };
        return;
      }
      delayMs = retryDelayMs(number, undefined, pace.random());
      if (limitsEverybody(outcome.kind)) permit.limited(delayMs, outcome.text);
      const limit = outcome.kind === "incomplete" ? emptyRetries : maxRetries;
      if (!outcome.isRetryable || draft.hasBegun || number > limit) {
        yield { type: "error", message: failed(draft, outcome) };
        return;
      }
      error = outcome.text;
    } finally {
      permit.release();
    }
    yield { type: "retry", attempt: number, delayMs, error };
    await pace.wait(delayMs, options.signal);
  }
}

/** One attempt: the whole message, or why there is none. */
async function* ask(
  call: Call,
  draft: MessageDraft,
  permit: Permit,
): AsyncGenerator<StreamEvent, AssistantMessage | EditorFailure> {
  const { model, options, idleMs, pace } = call;
  const stop = stoppable(options.signal);
  try {
    const listed = await stop.race(call.listModels());
    if (listed.type === "stopped") return draft.message("aborted");
    const found = listed.type === "done" ? findEditorModel(model.id, listed.value) : undefined;
    if (found === undefined) {
      return { kind: "not_found", text: goneEditorModelProblem(model.id).text, isRetryable: false };
    }
    const counting = countInput(call, found, stop.signal);
    const attempt: EditorAttempt = { model: found, label: labelOf(call.model, found), draft, stop, idleMs, pace };
    const ended = yield* askEditorModel(attempt, call.request, () => permit.answered());
    if (ended.type === "stopped") return draft.message("aborted");
    if (ended.type === "failed") return ended.failure;
    return await withUsage(call, found, { message: ended.message, counting, signal: stop.signal });
  } finally {
    stop.end();
  }
}

function labelOf({ name, id }: Model, { name: found }: EditorModel): string {
  return name ?? (found || id);
}

function newDraft({ model, request }: Call): MessageDraft {
  return new MessageDraft(model, (callId) =>
    request.messages.some((message) => message.role === "toolResult" && message.callId === callId),
  );
}

function failed(draft: MessageDraft, { text, kind }: EditorFailure): AssistantMessage {
  return { ...draft.message("error"), errorMessage: text, errorKind: kind };
}

/** Goes on beside the answer. Undefined where the model's extension can't count. */
function countInput({ counter, request }: Call, model: EditorModel, signal: AbortSignal): Promise<number | undefined> {
  return counter.input(model, request, signal).catch(() => undefined);
}

/** With the tokens as the model's own counter has them, or without any: an estimate is no count. */
async function withUsage(
  { counter, countMs, pace }: Call,
  model: EditorModel,
  {
    message,
    counting,
    signal,
  }: { message: AssistantMessage; counting: Promise<number | undefined>; signal: AbortSignal },
): Promise<AssistantMessage> {
  const output = counter.output(model, message, signal).catch(() => undefined);
  const limit = Promise.withResolvers<undefined>();
  const timer = pace.idle(() => limit.resolve(undefined), countMs);
  const counted = await Promise.race([Promise.all([counting, output]), limit.promise]);
  timer.stop();
  const [input, written] = counted ?? [];
  return input === undefined || written === undefined ? message : { ...message, usage: estimatedUsage(input, written) };
}
