import * as z from "zod";
import type { AgentRegistry } from "../agent/registry.ts";
import { refusedTarget, runChild } from "../delegation/runChild.ts";
import { inputText } from "../delegation/validators.ts";
import { errorResult } from "../loop/toolResult.ts";
import { Toolbox } from "../vocabulary/toolbox.ts";
import { type AgentTool, defineTool } from "../vocabulary/tools.ts";
import { completionTools } from "./completion.ts";

/** `complete_task` and `return_to_user`, whose result `result` describes, and `use_agent` where there is a registry. */
export function controlTools(options: { result?: z.ZodType; registry?: AgentRegistry } = {}): Toolbox {
  const tools = completionTools(options.result);
  if (options.registry !== undefined) tools.push(useAgentTool(options.registry));
  return new Toolbox("control", tools);
}

function useAgentTool(registry: AgentRegistry): AgentTool {
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
