import { t } from "@vscode/l10n";
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

/** How many of several failures are named, each in its own sentence. */
const maxNamed = 5;

/** Several failures of one answer as the one that is shown: each is named, and one that was not expected goes first. */
export function together(errors: readonly unknown[]): unknown {
  const expected = errors.flatMap((error) => (error instanceof UserError ? error : []));
  if (expected.length < errors.length) return errors.find((error) => !(error instanceof UserError));
  const messages = [...new Set(expected.map(({ message }) => message))];
  const more = messages.length - maxNamed;
  const others = more > 0 ? [t("And {0} more.", more)] : [];
  return messages.length > 1 ? new UserError([...messages.slice(0, maxNamed), ...others].join(" ")) : errors[0];
}

/** Why a run ends that the user stopped. */
export class UserStop extends AgentError {
  constructor() {
    super("aborted", "The user stopped the run.");
  }
}
