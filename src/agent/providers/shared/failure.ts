import type { ProviderErrorKind } from "../../vocabulary/messages.ts";

/** What went wrong, as far as it was seen. The sentence for the user is made from it. */
export type FailureCause =
  /** The provider said so, by status or by an error event. */
  | { type: "reported"; status?: number; message: string; requestId?: string }
  /** No connection, or one that broke before an answer began. */
  | { type: "unreachable"; message: string }
  /** The stream ended without its finish marker, or broke. */
  | { type: "cut"; message?: string }
  | { type: "stalled"; idleMs: number }
  | { type: "malformed" }
  | { type: "webPage" }
  | { type: "restarted" }
  | { type: "badArguments"; toolName: string }
  | { type: "missingCalls" }
  | { type: "empty" }
  /** Nobody said so, but the conversation left no room for an answer. */
  | { type: "overflow" }
  | { type: "refused"; explanation: string }
  | { type: "unknownFinish"; reason: string }
  | { type: "missingKey" }
  | { type: "unknownProvider"; known: string[] };

/** Why there is no whole answer. A value: providers do not throw. */
export interface ProviderFailure {
  readonly kind: ProviderErrorKind;
  readonly cause: FailureCause;
  /** Whether asking again may help, as long as nothing has arrived. */
  readonly isRetryable: boolean;
  /** What the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

export function failure(kind: ProviderErrorKind, cause: FailureCause, isRetryable = false): ProviderFailure {
  return { kind, cause, isRetryable };
}

export function isFailure(value: object | string): value is ProviderFailure {
  return typeof value === "object" && "isRetryable" in value;
}
