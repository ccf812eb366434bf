import * as z from "zod";
import type { AgentMeta } from "../../src/agent/vocabulary/events.ts";
import type { ToolResult } from "../../src/agent/vocabulary/messages.ts";
import { createScope } from "../../src/agent/vocabulary/scope.ts";
import type { AgentTool, ToolContext } from "../../src/agent/vocabulary/tools.ts";

export interface ToolRunOptions {
  /** Name of the calling agent; it is its id too. Default: "main". */
  agent?: string;
  signal?: AbortSignal;
  callId?: string;
}

/** The result of one tool call with its text, and what the tool reported while it ran. */
export interface ToolRun {
  result: ToolResult;
  text: string;
  output: string;
}

/** Calls a tool as the loop would: the arguments are validated first. */
export async function runTool(tool: AgentTool, args: unknown, options: ToolRunOptions = {}): Promise<ToolRun> {
  let output = "";
  const context = toolContext(options, (text) => {
    output += text;
  });
  const validated = validate(tool, args);
  const answer = await tool.execute(validated instanceof Promise ? await validated : validated, context);
  const result = typeof answer === "string" ? { content: answer } : answer;
  const text =
    typeof result.content === "string"
      ? result.content
      : result.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
  return { result, text, output };
}

/** At once where the schema allows it: some tests look at what has happened by the time the call returns. */
function validate({ schema }: AgentTool, args: unknown): unknown {
  try {
    return schema.parse(args);
  } catch (error) {
    if (error instanceof z.core.$ZodAsyncError) return schema.parseAsync(args);
    throw error;
  }
}

function toolContext(
  { agent = "main", signal, callId = "call-1" }: ToolRunOptions,
  output: (text: string) => void,
): ToolContext {
  const meta: AgentMeta = { id: agent, name: agent, prefix: agent, depth: 0 };
  return {
    signal: signal ?? new AbortController().signal,
    callId,
    agent: meta,
    depth: 0,
    tools: [],
    scope: createScope(),
    subAgents: {
      create() {
        throw new Error("These tools create no sub-agents.");
      },
    },
    update() {},
    output,
    reportUsage() {},
  };
}
