/** Which failure it was. Stable: hosts have sentences of their own for each. */
export type ErrorCode =
  /** The provider rejected the key, or does not allow the model with it. */
  | "key_rejected"
  | "not_allowed"
  | "billing"
  | "not_found"
  | "rate_limit"
  | "overloaded"
  | "too_long"
  | "rejected"
  | "failed"
  | "unreachable"
  /** The stream broke, was silent for too long, or made no sense. */
  | "cut"
  | "stalled"
  | "malformed"
  | "web_page"
  | "restarted"
  /** What the model made of its answer can't be used. */
  | "bad_arguments"
  | "missing_calls"
  | "empty"
  | "refused"
  | "unknown_finish"
  /** Nothing was sent. */
  | "missing_key"
  | "unknown_provider"
  /** The stream ended without saying how, or without saying why it failed. */
  | "aborted"
  | "ended_early"
  | "unexplained";

/** What the sentences of a failure are made of, as data. What somebody else said is as they said it. */
export interface ErrorFacts {
  code: ErrorCode;
  /** Names as people know them. */
  provider: string;
  model: string;
  host?: string;
  /** What was said about it: short, on one line, without a full stop and without secrets. */
  said?: string;
  status?: number;
  requestId?: string;
  /** Seconds of silence. */
  seconds?: number;
  toolName?: string;
  /** Ids of the providers that are set up. */
  known?: string[];
  /** Where credit is bought. */
  page?: string;
}
