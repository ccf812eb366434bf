import * as z from "zod";
import { AgentError } from "../vocabulary/errors.ts";
import type { LoopHooks } from "../vocabulary/hooks.ts";
import { textOf, userMessage } from "../vocabulary/messages.ts";
import { hasNativeOutput, type OutputFormat, type StreamFn } from "../vocabulary/model.ts";
import { findJson, parsePartialJson } from "../vocabulary/partialJson.ts";
import { type AgentTool, jsonSchemaTool } from "../vocabulary/tools.ts";
import type { Usage } from "../vocabulary/usage.ts";

/** What a run with an output schema gives. */
export interface OutputResult<T> {
  /** What the model wrote: the output as JSON, or what it wrote around it. */
  text: string;
  output: T;
  /** Of the run and its descendants. */
  usage: Usage;
}

/** An output that is not complete yet. */
export type PartialOutput<T> = T extends readonly (infer Item)[]
  ? PartialOutput<Item>[]
  : T extends object
    ? { [Key in keyof T]?: PartialOutput<T[Key]> }
    : T;

/** How one run comes to its output. */
export interface TypedOutput {
  /** For a provider that writes JSON by a schema itself. */
  readonly format: OutputFormat | undefined;
  /** For any other: the model hands its output to a tool. */
  readonly tools: AgentTool[];
  readonly hooks: LoopHooks;
  /** Once there is a valid one. */
  readonly value: { output: unknown } | undefined;
}

export const outputToolName = "submit_output";
const defaultMaxAttempts = 3;

/** What is checked is asked again, with what is wrong, until it is valid or the attempts are used up. */
export function createTypedOutput(
  schema: z.ZodType,
  o: { streamFn: StreamFn; maxAttempts?: number | undefined },
): TypedOutput {
  const { maxAttempts = defaultMaxAttempts } = o;
  const { parameters, isWrapped } = objectSchema(schema);
  const isNative = hasNativeOutput(o.streamFn);
  let attempts = 0;
  let value: { output: unknown } | undefined;
  const hooks: LoopHooks = {
    async beforeFinish({ message, result, emit }) {
      attempts += 1;
      const given = typeof result === "object" ? result : (findJson(inText(result)) ?? findJson(textOf(message)));
      const parsed = await schema.safeParseAsync(unwrapped(given, isWrapped));
      emit({ type: "validation", attempt: attempts, valid: parsed.success });
      if (parsed.success) {
        value = { output: parsed.data };
        return;
      }
      const problem = given === undefined ? "There is no JSON in it." : z.prettifyError(parsed.error);
      if (attempts >= maxAttempts) throw new AgentError("validation", `The output is not valid: ${problem}`);
      const how = isNative ? "Answer with JSON alone, by this schema" : `Call ${outputToolName}, by this schema`;
      return [userMessage(`The output is not valid. ${problem}\n\n${how}:\n${JSON.stringify(parameters)}`)];
    },
  };
  return {
    format: isNative ? { name: "output", schema: parameters } : undefined,
    tools: isNative ? [] : [outputTool(parameters)],
    hooks,
    get value() {
      return value;
    },
  };
}

function inText(result: unknown): string {
  return typeof result === "string" ? result : "";
}

/** Whatever it is called with ends the task; what is wrong with it is said once for both ways. */
function outputTool(parameters: Record<string, unknown>): AgentTool {
  const definition = {
    name: outputToolName,
    description: "Gives the final output. Call it once, when everything is done, instead of an answer in text.",
    parameters,
  };
  const tool = jsonSchemaTool(definition, (value) => ({
    content: "The output was given.",
    control: { type: "complete", value },
  }));
  return Object.assign(tool, { schema: z.unknown(), executionMode: "sequential" as const });
}

/** Providers and tools take objects alone, so anything else goes in one. */
function objectSchema(schema: z.ZodType): { parameters: Record<string, unknown>; isWrapped: boolean } {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  if (parameters.type === "object") return { parameters: closed(parameters), isWrapped: false };
  const wrapping = { type: "object", properties: { value: parameters }, required: ["value"] };
  return { parameters: closed(wrapping), isWrapped: true };
}

/** Providers require a schema to say that an object has no other members. */
function closed(schema: unknown): Record<string, unknown> {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, close(member)] as const));
    const isOpen =
      members.type === "object" && members.properties !== undefined && members.additionalProperties === undefined;
    return isOpen ? { ...members, additionalProperties: false } : members;
  };
  // An object stays one.
  return close(schema) as Record<string, unknown>;
}

function unwrapped(given: unknown, isWrapped: boolean): unknown {
  if (!isWrapped || typeof given !== "object" || given === null || !("value" in given)) return given;
  return given.value;
}

/** What the JSON text of an output says so far. */
export function partialOutput(json: string, schema: z.ZodType): unknown {
  const start = json.search(/[[{]/);
  return start < 0 ? undefined : unwrapped(parsePartialJson(json.slice(start)), objectSchema(schema).isWrapped);
}
