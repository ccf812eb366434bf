import * as z from "zod";
import { type AgentTool, defineTool, type ToolResult } from "../vocabulary/tools.ts";

/** The tools that end a run: `complete_task` that of its agent, `return_to_user` that of all agents above it too. */
export function completionTools(result: z.ZodType = z.unknown()): AgentTool[] {
  const schema = z.object({ result });
  return [
    defineTool({
      name: "complete_task",
      description: "Ends the task with its result. Call it once, when everything is done.",
      label: "Complete task",
      schema,
      // What follows such a call in the same message must not run beside it.
      executionMode: "sequential",
      execute: (args) => ending("complete", args.result),
    }),
    defineTool({
      name: "return_to_user",
      description: "Ends all work and gives the result straight to the user.",
      label: "Return to user",
      schema,
      executionMode: "sequential",
      execute: (args) => ending("return_to_user", args.result),
    }),
  ];
}

function ending(type: "complete" | "return_to_user", value: unknown): ToolResult {
  return { content: typeof value === "string" ? value : (JSON.stringify(value) ?? ""), control: { type, value } };
}
