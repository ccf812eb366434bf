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
  | "timeout";

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

/** Makes a forgotten case of a union a compile error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** The text of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
