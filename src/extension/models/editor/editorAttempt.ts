import type { MessageDraft, OpenText } from "../../../agent/providers/shared/draft.ts";
import { isFailure } from "../../../agent/providers/shared/failure.ts";
import { wellFormedJson } from "../../../agent/providers/shared/json.ts";
import type { Timing } from "../../../agent/providers/shared/retry.ts";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { AssistantMessage } from "../../../agent/vocabulary/messages.ts";
import type { ModelRequest, StreamEvent } from "../../../agent/vocabulary/model.ts";
import { onAbort } from "../../common/abort.ts";
import { brokenFailure, type EditorFailure, thrownFailure } from "./editorFailure.ts";
import { editorMessages } from "./editorMessages.ts";
import type { EditorAnswerPart, EditorModel } from "./editorModel.ts";

export interface EditorAttempt {
  model: EditorModel;
  /** What the user calls the model. */
  label: string;
  draft: MessageDraft;
  stop: Stoppable;
  idleMs: number;
  pace: Timing;
}

export type AttemptEnd =
  | { type: "whole"; message: AssistantMessage }
  | { type: "failed"; failure: EditorFailure }
  | { type: "stopped" };

/** Sends one request and reads its answer into the draft. `answered` is called with the first part. */
export async function* askEditorModel(
  attempt: EditorAttempt,
  request: ModelRequest,
  answered: () => void,
): AsyncGenerator<StreamEvent, AttemptEnd> {
  const { model, label, draft, stop, idleMs, pace } = attempt;
  const sent = await stop.race(model.send({ messages: editorMessages(request), tools: request.tools }, stop.signal));
  if (sent.type !== "done") return sent.type === "stopped" ? sent : thrown(sent.error, attempt);
  const parts = sent.value[Symbol.asyncIterator]();
  const idle = Promise.withResolvers<"idle">();
  const timer = pace.idle(() => idle.resolve("idle"), idleMs);
  const reader = createPartReader(draft);
  try {
    for (;;) {
      const next = await Promise.race([stop.race(parts.next()), idle.promise]);
      if (next === "idle") return failedBy(brokenFailure("stalled", label, String(idleMs / 1000)));
      if (next.type === "stopped") return next;
      if (next.type === "failed") return thrown(next.error, attempt);
      if (next.value.done === true) break;
      timer.refresh();
      answered();
      const fault = reader.read(next.value.value);
      yield* draft.takeEvents();
      if (fault !== undefined) return failedBy(brokenFailure("arguments", label, fault));
    }
    // The editor ends a stopped answer like a whole one.
    if (stop.signal.aborted) return { type: "stopped" };
    const whole = reader.finish();
    yield* draft.takeEvents();
    return whole === undefined ? failedBy(brokenFailure("empty", label)) : { type: "whole", message: whole };
  } finally {
    timer.stop();
    // Nothing waits for an answer that was left: its request is ended by the signal.
    void Promise.resolve(parts.return?.()).catch(() => undefined);
  }
}

function thrown(error: unknown, { model, label }: EditorAttempt): AttemptEnd {
  if (isCancellation(error)) return { type: "stopped" };
  return failedBy(thrownFailure(error, { id: model.id, label }));
}

function failedBy(failure: EditorFailure): AttemptEnd {
  return { type: "failed", failure };
}

/** Reads parts into a draft. Calls come whole: what is not an object is never run. */
function createPartReader(draft: MessageDraft) {
  let open: OpenText | undefined;
  let hasSkipped = false;

  function endText(): void {
    if (open !== undefined) draft.closeText(open);
    open = undefined;
  }
  return {
    /** The tool whose call was broken. */
    read(part: EditorAnswerPart): string | undefined {
      switch (part.type) {
        case "text":
          open ??= draft.openText("text");
          draft.append(open, part.text);
          return undefined;
        case "call": {
          endText();
          const call = draft.openCall(part.id, part.name);
          const json = asJson(part.input);
          if (json === undefined) return part.name;
          draft.appendCall(call, json);
          draft.closeCall(call);
          return call.isClosed ? undefined : part.name;
        }
        case "other":
          hasSkipped = true;
          return undefined;
        default:
          return assertNever(part);
      }
    },
    finish(): AssistantMessage | undefined {
      endText();
      if (draft.isEmpty && !hasSkipped) return undefined;
      const message = draft.complete(draft.hasCalls ? "toolUse" : "stop");
      // The calls are closed, so that nothing is left that could fail.
      return isFailure(message) ? undefined : message;
    },
  };
}

function asJson(input: unknown): string | undefined {
  try {
    return typeof input === "object" && input !== null ? wellFormedJson(input) : undefined;
  } catch {
    // It holds itself, or what JSON does not have.
    return undefined;
  }
}

/** A wait that the user can end at once, whatever it waits for. */
interface Stoppable {
  /** For those who can end their work themselves. */
  readonly signal: AbortSignal;
  /** What a promise came to, unless the stop was first. */
  race<T>(pending: PromiseLike<T>): Promise<Raced<T>>;
  /** Ends what is still under way. */
  end(): void;
}

type Raced<T> = { type: "done"; value: T } | { type: "failed"; error: unknown } | { type: "stopped" };

export function stoppable(outer: AbortSignal | undefined): Stoppable {
  const controller = new AbortController();
  const signal = outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]);
  const stopped = new Promise<{ type: "stopped" }>((resolve) => {
    onAbort(signal, () => resolve({ type: "stopped" }));
  });
  return {
    signal,
    race: async (pending) => {
      if (signal.aborted) {
        // Nothing waits for it any more, whatever it comes to.
        pending.then(undefined, () => undefined);
        return { type: "stopped" };
      }
      const settled = pending.then(
        (value) => ({ type: "done" as const, value }),
        (error: unknown) => ({ type: "failed" as const, error }),
      );
      return Promise.race([settled, stopped]);
    },
    end: () => controller.abort(),
  };
}

/** The editor says of a request that was stopped that it was canceled. */
function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === "Canceled" || error.name === "CancellationError");
}
