import type { ToolResult } from "../../agent/tools.ts";

/** What the model hears when the user said no. */
export function declined(what: "command" | "fetch", reason: string | undefined): ToolResult {
  const words = reason === undefined || reason === "" ? "without a reason" : `saying: ${JSON.stringify(reason)}`;
  const outcome = what === "command" ? "The command did not run" : "Nothing was fetched";
  return {
    content: `The user declined ${words}. ${outcome}. Go on without it, and don't try the same in another form.`,
    isError: true,
  };
}
