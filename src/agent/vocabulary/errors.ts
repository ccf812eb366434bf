export type AgentErrorCode =
  | "busy"
  | "aborted"
  | "provider"
  | "max_tokens"
  | "max_iterations"
  | "limit"
  | "validation"
  | "hook"
  | "scope_closed"
  | "empty_transcript"
  | "cannot_continue"
  | "fatal_tool"
  | "bad_input"
  | "timeout"
  /** A sub-agent waits for approval. */
  | "paused";

/** Why a run failed. `cause` is what was thrown, where something was. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
  }
}

/** Thrown by a tool to end the run instead of answering the model with an error result. */
export class FatalToolError extends Error {
  override readonly name = "FatalToolError";
}

/** Throws "bad_input" for a limit or a time that is NaN or negative: it would silently count as none. */
export function checkNumbers(numbers: Record<string, number | undefined>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || value >= 0) continue;
    throw new AgentError("bad_input", `${name} must be 0 or more, but is ${value}.`);
  }
}

/** Makes a forgotten case of a union a compile error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** The text of whatever was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    // Objects without a prototype, or with a toString that throws, have no text.
    return "unknown error";
  }
}

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
