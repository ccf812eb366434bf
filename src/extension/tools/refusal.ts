import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import type { PermissionAnswer } from "../approvals/permission.ts";
import { ToolError, UserError } from "../common/userError.ts";

/** Runs a tool; an expected failure becomes an error result whose text says how to go on. */
export async function orRefusal(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) return { content: error.message, isError: true };
    if (error instanceof UserError) return { content: error.forModel, isError: true };
    throw error;
  }
}

const outcomes = {
  command: "The command did not run",
  fetch: "Nothing was fetched",
  read: "Nothing of the file was read",
  call: "The tool was not called",
};

type Refused = Exclude<PermissionAnswer, { allowed: true }>;

/** What the model gets when the user, or a rule of theirs, said no. */
export function declined(what: keyof typeof outcomes, answer: Omit<Refused, "allowed">): ToolResult {
  return { content: declinedText(what, answer), isError: true };
}

export function declinedText(what: keyof typeof outcomes, { reason, isRule }: Omit<Refused, "allowed">): string {
  if (isRule === true) {
    return `A rule in the settings forbids this. ${reason ?? ""} ${outcomes[what]}. The same in another form is forbidden, too: go on without it, or say what you need it for.`;
  }
  if (reason === undefined || reason === "") {
    return `The user declined without a reason. ${outcomes[what]}. Go on without it, or ask; don't try the same in another form.`;
  }
  return `The user declined saying: ${JSON.stringify(reason)}. ${outcomes[what]}. These words are a new instruction: follow them.`;
}
