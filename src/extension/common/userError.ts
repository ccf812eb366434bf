import { AgentError } from "../../agent/vocabulary/errors.ts";

/** An expected failure of a tool call: says to the model, in English, what to do next. People do not see it. */
export class ToolError extends Error {
  override readonly name: string = "ToolError";
}

/** An expected failure, shown verbatim in the user's language: one sentence that says what to do next. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** The same for a model, in English: where it can't reach one, the message. */
  readonly forModel: string;

  constructor(message: string, forModel = message) {
    super(message);
    this.forModel = forModel;
  }
}

/** Why a run ends that the user stopped. */
export class UserStop extends AgentError {
  constructor() {
    super("aborted", "The user stopped the run.");
  }
}
