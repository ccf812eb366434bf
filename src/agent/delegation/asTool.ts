import * as z from "zod";
import type { Agent } from "../agent/agent.ts";
import { errorResult } from "../loop/toolResult.ts";
import type { AgentTool } from "../vocabulary/tools.ts";
import { refusedTarget, runChild } from "./runChild.ts";
import { inputText } from "./validators.ts";

export interface AsToolOptions<S extends z.ZodType> {
  name?: string;
  description?: string;
  /** What the caller passes; default `{ input: string }`. */
  schema?: S;
  /** The greatest depth an agent below may have. */
  maxDepth?: number;
}

export const defaultToolInput = z.object({ input: z.string() });

/** An agent as a tool: each call runs a fresh sub-agent with its configuration, which sees only the input. */
export function asTool<S extends z.ZodType>(agent: Agent, options: AsToolOptions<S>): AgentTool<S> {
  const { maxDepth } = options;
  const { name: agentName, description: agentDescription } = agent.info();
  const name = options.name ?? agentName ?? "agent";
  return {
    name,
    description: options.description ?? agentDescription ?? `Runs the agent ${name}.`,
    // Without a schema of its own, S is that of the default.
    schema: options.schema ?? (defaultToolInput as unknown as S),
    async execute(args, context) {
      const refusal = refusedTarget(context, agentName ?? name);
      if (refusal !== undefined) return errorResult(refusal);
      const configuration = { onLimit: "forceComplete" as const, name, ...agent.configuration() };
      const limited = maxDepth === undefined ? configuration : { ...configuration, maxDepth };
      return (await runChild(context, limited, inputText(args))).result;
    },
  };
}
