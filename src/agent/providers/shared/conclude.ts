import type { AssistantMessage } from "../../vocabulary/messages.ts";
import type { MessageDraft } from "./draft.ts";
import { failure, isFailure, type ProviderFailure } from "./failure.ts";
import { readReport, reportedFailure } from "./reported.ts";
import type { WireReader } from "./wire.ts";

/** Some providers report a handful of tokens for an answer that holds nothing. */
const tokensOfNothing = 8;

/** What a stream came to, once no more of it will come. `head` is its beginning as text if it held no frame at all. */
export function concludeStream(
  reader: WireReader,
  draft: MessageDraft,
  head: string,
): AssistantMessage | ProviderFailure {
  if (!reader.isComplete) return head === "" ? failure("incomplete", { type: "cut" }, true) : notAStream(head);
  const completion = reader.finish();
  if (isFailure(completion)) return completion;
  if (draft.saysNothing && !reader.hasSkipped) {
    // Some servers take a conversation that is too long, and answer it with nothing.
    if (draft.isEmpty && draft.hasFilledWindow) return failure("context", { type: "overflow" });
    const isHidden = draft.isEmpty && (draft.usage?.output ?? 0) > tokensOfNothing;
    if (completion === "stop" && !isHidden) return failure("incomplete", { type: "empty" }, true);
  }
  return draft.complete(completion);
}

function notAStream(head: string): ProviderFailure {
  if (head.startsWith("<")) return failure("network", { type: "webPage" });
  try {
    const body: unknown = JSON.parse(head);
    if (typeof body === "object" && body !== null && "error" in body) return reportedFailure(readReport(body));
  } catch {
    // Neither a page nor an error in JSON: a stream of something else, or the beginning of one.
  }
  return failure("incomplete", { type: "cut" }, true);
}

/** What an SDK threw while it sent a request or waited for the status. */
export function sendingFailure(error: unknown): ProviderFailure {
  if (!(error instanceof Error)) return failure("unknown", { type: "reported", message: String(error) });
  if ("status" in error && typeof error.status === "number") {
    const headers = "headers" in error && error.headers instanceof Headers ? error.headers : undefined;
    const body = "error" in error && error.error != null ? error.error : plainMessage(error.message);
    return reportedFailure(readReport(body, error.status, headers));
  }
  const cause = deepestCause(error);
  if (cause === error) return failure("unknown", { type: "reported", message: error.message });
  return failure("network", { type: "unreachable", message: causeText(cause) }, true);
}

/** The SDKs put the status ahead of a body that is not JSON, and words of their own where there is none. */
function plainMessage(message: string): string {
  const text = message.replace(/^\d{3} /, "");
  return text === "status code (no body)" ? "" : text;
}

/** What broke a stream that had begun. */
export function cutFailure(error: unknown): ProviderFailure {
  const message = error instanceof Error ? causeText(deepestCause(error)) : String(error);
  return failure("incomplete", { type: "cut", message }, true);
}

/** What lies below "fetch failed". */
function deepestCause(error: Error): Error {
  let deepest = error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  return deepest;
}

function causeText(error: Error): string {
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
