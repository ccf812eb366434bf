import * as z from "zod";
import { limitText, type SpendLimits } from "../loop/limits.ts";
import type { RunResult } from "../loop/runTypes.ts";
import { errorResult } from "../loop/toolResult.ts";
import type { AgentError } from "../vocabulary/errors.ts";
import { type ToolResult, textOf } from "../vocabulary/messages.ts";
import { onFirstUse } from "../vocabulary/onFirstUse.ts";
import { PausedError } from "../vocabulary/pause.ts";
import { inputText } from "../vocabulary/plainJson.ts";
import { limitScope } from "../vocabulary/scope.ts";
import type { AgentTool, SubAgent, SubAgentOptions, ToolContext } from "../vocabulary/tools.ts";

type Input = Parameters<SubAgent["send"]>[0];

/** A sub-agent's run as its parent's tool call sees it. */
export interface ChildRun {
  result: ToolResult;
  run: RunResult;
}

/** A sub-agent has reported, and the agent that asked it has not gone on. */
interface ChildReport extends ChildRun {
  child: SubAgent;
  /** Of the call that it worked for. */
  context: ToolContext;
  /** Aborted when the parent no longer waits for the report. */
  signal: AbortSignal;
}

/** What becomes of a report: it is asked for again in the sub-agent's own context, or the parent gets this result. */
type ReportAnswer = { followUp: Input } | { result: ToolResult };

export interface ChildRunOptions {
  /** Default: that of the call. */
  signal?: AbortSignal;
  /** The only agent as which it may go on where the call was cut off. Default: any of its name and label. */
  earlierId?: string;
  /** The sub-agent is about to begin. */
  onCreated?(child: SubAgent): void;
  /** Called with every report of the sub-agent; the call waits for the answer. Default: the parent gets it as it is. */
  onReport?(report: ChildReport): Promise<ReportAnswer>;
}

/**
 * Runs a fresh sub-agent to its end: the one path of delegation, agents as tools and `use_agent`. How the run ended is
 * in the tool result; it rejects only where the sub-agent waits for approval.
 */
export async function runChild(
  context: ToolContext,
  options: SubAgentOptions,
  input: Input,
  { signal = context.signal, earlierId, onCreated, onReport }: ChildRunOptions = {},
): Promise<ChildRun> {
  const child = context.subAgents.create(options, earlierId);
  const steering: string[] = [];
  const unsubscribe = child.subscribe(
    (event) => {
      if (event.type === "queue_update" && event.kind === "steering" && event.delivered !== undefined) {
        steering.push(textOf(event.delivered));
      }
    },
    { scope: "self" },
  );
  try {
    onCreated?.(child);
    for (let next = input; ; ) {
      const run = await child.send(next, { signal }).result;
      if (run.pending !== undefined) throw new PausedError(run.pending);
      const result = resultOfRun(child, run, limitsOf(context, options));
      const answer = (await onReport?.({ child, run, result, context, signal })) ?? { result };
      if ("result" in answer) return { run, result: withSteering(answer.result, steering) };
      next = answer.followUp;
    }
  } finally {
    unsubscribe();
  }
}

function limitsOf(context: ToolContext, options: SubAgentOptions): SpendLimits {
  return { ...options, scope: limitScope(context.scope, options) };
}

function resultOfRun(child: SubAgent, run: RunResult, limits: SpendLimits): ToolResult {
  const { reason, limit, error } = run;
  const name = child.meta.name ?? child.id;
  const details = {
    agentId: child.id,
    ...(limit === undefined ? { reason } : { reason, limit, forced: reason === "limit" }),
  };
  if (error !== undefined) return { content: withLastWords(failure(name, error), run), details, isError: true };
  if (reason === "limit") return { ...forcedResult(run, limits), details };
  const value = run.result ?? (run.finalMessage === undefined ? "" : textOf(run.finalMessage));
  const content = inputText(value);
  if (reason === "returned") return { content, details, control: { type: "return_to_user", value } };
  return { content, details };
}

function failure(name: string, error: AgentError): string {
  return error.code === "aborted"
    ? `The agent "${name}" was canceled: ${error.message}`
    : `The agent "${name}" failed: ${error.message}`;
}

/** What an agent found before it failed is often worth having. */
function withLastWords(text: string, { finalMessage }: RunResult): string {
  const words = finalMessage === undefined ? "" : textOf(finalMessage);
  return words === "" ? text : `${text}\n\nBefore that it wrote:\n${words}`;
}

/** The parent gets the best text there is; past depth or spend there is no work to speak of. */
function forcedResult(run: RunResult, limits: SpendLimits): ToolResult {
  const limit = run.limit ?? "turns";
  // A limit that the parent set is described by its own text; one of others, by theirs.
  const text = run.limitText ?? limitText(limit, limits);
  const words = inputText(run.result);
  const content = words === "" || words === text ? text : `${words}\n\n[Stopped: ${text}]`;
  return limit === "depth" || limit === "spend" ? { content, isError: true } : { content };
}

/** What the user sent to the child while it ran is news to the parent. */
function withSteering(result: ToolResult, steering: readonly string[]): ToolResult {
  if (steering.length === 0) return result;
  const steeringText = `<user_steering>\n${steering.join("\n")}\n</user_steering>`;
  return { ...result, content: `${inputText(result.content)}\n\n${steeringText}` };
}

/** Why an agent of this name must not be called from here, if so: no agent runs inside its own call. */
export function refusedTarget(context: ToolContext, name: string): string | undefined {
  const isSame = (other: string | undefined) => other?.toLowerCase() === name.toLowerCase();
  if (isSame(context.agent.name)) return `Self-delegation is not allowed: you are "${name}" yourself.`;
  if (!context.scope.path.some(isSame)) return undefined;
  return `The agent "${name}" is already running above you (${context.scope.path.join(" > ")}); it cannot be called again.`;
}

export interface AsToolOptions<S extends z.ZodType> {
  name?: string;
  description?: string;
  /** What the caller passes; default `{ input: string }`. */
  schema?: S;
  /** The greatest depth an agent below may have. */
  maxDepth?: number;
}

/** An agent that others can be made like. */
interface ConfiguredAgent {
  info(): { name?: string; description?: string };
  configuration(): SubAgentOptions;
}

export const defaultToolInput = onFirstUse(() => z.object({ input: z.string() }));

/** An agent as a tool: each call runs a fresh sub-agent with its configuration, which sees only the input. */
export function asTool<S extends z.ZodType>(agent: ConfiguredAgent, options: AsToolOptions<S>): AgentTool<S> {
  const { maxDepth } = options;
  const { name: agentName, description: agentDescription } = agent.info();
  const name = options.name ?? agentName ?? "agent";
  return {
    name,
    description: options.description ?? agentDescription ?? `Runs the agent ${name}.`,
    // Without a schema of its own, S is that of the default.
    schema: options.schema ?? (defaultToolInput() as unknown as S),
    async execute(args, context) {
      const refusal = refusedTarget(context, agentName ?? name);
      if (refusal !== undefined) return errorResult(refusal);
      const configuration = { onLimit: "forceComplete" as const, name, ...agent.configuration() };
      const limited = maxDepth === undefined ? configuration : { ...configuration, maxDepth };
      return (await runChild(context, limited, inputText(args))).result;
    },
  };
}
