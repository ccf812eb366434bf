import * as z from "zod";
import { refusedTarget, runChild } from "../delegation/runChild.ts";
import { errorResult } from "../loop/toolResult.ts";
import type { ToolResult } from "../vocabulary/messages.ts";
import { inputText } from "../vocabulary/plainJson.ts";
import { type AgentTool, defineTool, Toolbox } from "../vocabulary/tools.ts";
import type { AgentDirectory } from "./delegation.ts";

/** `complete_task` and `return_to_user`, whose result `result` describes, and `use_agent` where there is a registry. */
export function controlTools(options: { result?: z.ZodType; registry?: AgentDirectory } = {}): Toolbox {
  const tools = completionTools(options.result);
  if (options.registry !== undefined) tools.push(useAgentTool(options.registry));
  return new Toolbox("control", tools);
}

function useAgentTool(registry: AgentDirectory): AgentTool {
  return defineTool({
    name: "use_agent",
    description: "Runs another agent on an input and gives its result.",
    label: "Use agent",
    schema: z.object({ agent: z.string(), input: z.unknown() }),
    async execute({ agent, input }, context) {
      const refusal = refusedTarget(context, agent);
      if (refusal !== undefined) return errorResult(refusal);
      const configuration = registry.configuration(agent);
      if (configuration === undefined) {
        const known = registry.list().map(({ name }) => name);
        return errorResult(`Unknown agent "${agent}". Available: ${known.join(", ")}`);
      }
      return (await runChild(context, { onLimit: "forceComplete", ...configuration }, inputText(input))).result;
    },
  });
}

/** The tools that end a run: `complete_task` that of its agent, `return_to_user` that of all agents above it too. */
function completionTools(result: z.ZodType = z.unknown()): AgentTool[] {
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
