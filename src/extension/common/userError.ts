import { AgentError } from "../../agent/vocabulary/errors.ts";

/** An expected failure, shown verbatim: one sentence that says what to do next. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** The same for a model, in English, where it needs other words than a person: by itself the message. */
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
