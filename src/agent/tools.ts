import type * as z from "zod";
import type { AgentMeta } from "./events.ts";
import type { ImagePart, TextPart } from "./messages.ts";
import type { ExecutionScope } from "./scope.ts";
import type { AgentCreator } from "./subagents.ts";
import type { Usage } from "./usage.ts";

/** A tool as a provider sees it; `parameters` is a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** What a tool answers. `terminate` is a hint that all calls of a batch must share; `control` is decisive. */
export interface ToolResult<D = unknown> {
  content: string | (TextPart | ImagePart)[];
  details?: D;
  isError?: boolean;
  terminate?: boolean;
  control?: { type: "complete" | "return_to_user"; value: unknown };
}

/** What a running tool may use. Everything that reports is a no-op once the tool has settled. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly agent: AgentMeta;
  /** 0 for the root agent's tools, 1 for those of a first-level sub-agent. */
  readonly depth: number;
  /** A copy of the agent's tools. */
  readonly tools: readonly AgentTool[];
  /** Throws once the tool has settled. */
  readonly subAgents: AgentCreator;
  readonly scope: ExecutionScope;
  update(partial: ToolResult): void;
  output(text: string): void;
  /** Adds the usage of a model call that the tool made by itself. */
  reportUsage(usage: Partial<Usage>): void;
}

/** The one tool type. Arguments are validated by `schema` before `execute` sees them. */
export interface AgentTool<S extends z.ZodType = z.ZodType, D = unknown> {
  name: string;
  description: string;
  label?: string;
  schema: S;
  executionMode?: "parallel" | "sequential";
  /** Sees the raw arguments before validation; what it returns is validated. */
  prepareArguments?(raw: unknown): unknown;
  execute(
    args: z.infer<S>,
    context: ToolContext,
  ): Promise<ToolResult<D> | string> | ToolResult<D> | string;
}
