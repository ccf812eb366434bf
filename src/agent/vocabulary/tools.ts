import * as z from "zod";
import type { AgentMeta } from "./events.ts";
import { schemaFromJson } from "./jsonSchema.ts";
import type { FreeTextInput, ToolDefinition, ToolResult } from "./messages.ts";
import type { ExecutionScope } from "./scope.ts";
import type { Usage } from "./usage.ts";

/**
 * Creates agents: children of a tool call, or roots, behind one signature. Declared in full with the agents themselves,
 * since a tool knows of them no more than that they can be created.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging extends.
export interface AgentCreator {}

/** What an agent is created from, and what comes of it. */
export type SubAgentOptions = Parameters<AgentCreator["create"]>[0];
export type SubAgent = ReturnType<AgentCreator["create"]>;

/** What a running tool may use. Everything that reports is a no-op once the tool has settled. */
export interface ToolContext {
  /** Aborted when the run is, and when the call takes too long. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** Whose call it is. */
  readonly agent: AgentMeta;
  /** 0 for the root agent's tools, 1 for those of a first-level sub-agent. */
  readonly depth: number;
  /** A copy of the agent's tools. */
  readonly tools: readonly AgentTool[];
  /** Throws once the tool has settled. */
  readonly subAgents: AgentCreator;
  readonly scope: ExecutionScope;
  /** Shows a result so far; the next one takes its place. */
  update(partial: ToolResult): void;
  /** Shows live output, which is added to what came before and not part of the result. */
  output(text: string): void;
  /** Adds the usage of a model call that the tool made on its own. */
  reportUsage(usage: Partial<Usage>): void;
}

/** The one tool type. Arguments are validated by `schema` before `execute` sees them. */
export interface AgentTool<S extends z.ZodType = z.ZodType, D = unknown> {
  name: string;
  description: string;
  /** Shown to people in place of the name. */
  label?: string;
  schema: S;
  /** Where a provider takes it, the call's one argument is written as free text. */
  freeText?: FreeTextInput;
  /** "sequential": a message that calls it has all its calls run one after the other. Default "parallel". */
  executionMode?: "parallel" | "sequential";
  /** Whether a call waits for a person: the run pauses with what is pending, until `answer` says that it may run. */
  needsApproval?: boolean | ApprovalCheck<S>;
  /** Sees the raw arguments before validation; what it returns is validated. */
  prepareArguments?(raw: unknown): unknown;
  /** What it throws becomes an error result for the model; a `FatalToolError` ends the run. */
  execute(args: z.infer<S>, context: ToolContext): Promise<ToolResult<D> | string> | ToolResult<D> | string;
}

/** Decides by the arguments. Written as a method, so that a tool of any schema is an AgentTool. */
type ApprovalCheck<S extends z.ZodType> = {
  check(args: z.infer<S>, call: { callId: string; agent: AgentMeta; signal: AbortSignal }): boolean | Promise<boolean>;
}["check"];

/** A tool whose `execute` knows the types that its own schema lets through. */
// A method's parameters compare loosely, so a tool of any schema is an AgentTool; this only spares callers the cast.
export function defineTool<S extends z.ZodType, D = unknown>(tool: AgentTool<S, D>): AgentTool<S, D> {
  return tool;
}

/**
 * A tool that is described by a JSON schema instead of a zod one (MCP servers, tool files). Arguments are validated
 * against it like any other tool's. Throws when the schema does not compile.
 */
export function jsonSchemaTool(
  definition: ToolDefinition,
  execute: (args: unknown, context: ToolContext) => Promise<ToolResult | string> | ToolResult | string,
): AgentTool {
  const { name, description, parameters } = definition;
  const tool: AgentTool = { name, description, schema: schemaFromJson(name, parameters), execute };
  definitions.set(tool, definition);
  return tool;
}

/** A memo, not state: the same tool always has the same definition, and converting a schema is slow. */
const definitions = new WeakMap<AgentTool, ToolDefinition>();

/** The tool as a provider sees it. */
export function toolDefinition(tool: AgentTool): ToolDefinition {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const { name, description, freeText } = tool;
  const parameters = parametersOf(tool.schema);
  const definition = { name, description, parameters, ...(freeText !== undefined && { freeText }) };
  definitions.set(tool, definition);
  return definition;
}

/** As above: agents of one application mostly have tools of their own with the same schemas. */
const converted = new WeakMap<z.ZodType, ToolDefinition["parameters"]>();

function parametersOf(schema: z.ZodType): ToolDefinition["parameters"] {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    ...{ io: "input", unrepresentable: "any" },
    // What bounds every integer of JavaScript says nothing to a model.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  converted.set(schema, parameters);
  return parameters;
}

/** A named set of tools that agents share by identity: what is added later is there for all that hold it. */
export class Toolbox {
  readonly name: string;
  #tools: AgentTool[];

  constructor(name = "toolbox", tools: AgentTool[] = []) {
    this.name = name;
    this.#tools = [...tools];
  }

  /** A tool of the same name takes the other's place. */
  add(...tools: AgentTool[]): this {
    for (const tool of tools) {
      const at = this.#tools.findIndex((known) => known.name === tool.name);
      if (at < 0) this.#tools.push(tool);
      else this.#tools[at] = tool;
    }
    return this;
  }

  get(name: string): AgentTool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  list(): AgentTool[] {
    return [...this.#tools];
  }
}

/** The tools of boxes and single tools, each once; of several with one name the first counts. */
export function resolveTools(boxes: readonly (Toolbox | AgentTool)[]): AgentTool[] {
  const byName = new Map<string, AgentTool>();
  for (const box of boxes) {
    for (const tool of box instanceof Toolbox ? box.list() : [box]) {
      if (!byName.has(tool.name)) byName.set(tool.name, tool);
    }
  }
  return [...byName.values()];
}
