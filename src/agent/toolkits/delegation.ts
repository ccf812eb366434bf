import * as z from "zod";
import { refusedTarget, runChild } from "../delegation/runChild.ts";
import type { RunResult } from "../loop/runTypes.ts";
import { errorResult } from "../loop/toolResult.ts";
import { linkAbort } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import { type AgentMessage, type ToolResult, userMessage } from "../vocabulary/messages.ts";
import type { Model } from "../vocabulary/model.ts";
import { PausedError, type PendingApproval } from "../vocabulary/pause.ts";
import { type AgentTool, defineTool, type SubAgentOptions, Toolbox, type ToolContext } from "../vocabulary/tools.ts";

const parts = {
  title: z.string().optional().describe("Names the task for people, in 3 to 6 words."),
  task: z.string().describe("What it has to do. It sees nothing of this conversation."),
  context: z.string().describe("What it needs to know: findings, files, constraints."),
};
const name = z.string().describe("The name of an agent from list_agents.");
const isolation = z
  .enum(["shared", "worktree"])
  .optional()
  .describe("worktree: works on a copy of the files; its change is proposed at the end. Default: shared.");

interface Task extends z.infer<z.ZodObject<typeof parts>> {
  agent: string;
  isolation?: "shared" | "worktree" | undefined;
}

/** With the names of the agents, where they are known to be all. */
function taskSchema({ registry, isolate }: Pick<DelegationOptions, "registry" | "isolate">): z.ZodType<Task> {
  const agent = registry.isClosed === true ? z.enum(registry.list().map((each) => each.name)) : name;
  const task = z.object({ agent, ...parts });
  return isolate === undefined ? task : task.extend({ isolation });
}

/** How a task ended. Without a run: it did not begin. */
interface TaskEnd {
  result: ToolResult;
  run?: RunResult;
}

/** A task that is about to begin, for what decides where its agent works. */
export interface StartingTask {
  agent: string;
  /** As whoever delegates asked. */
  isolation: "shared" | "worktree" | undefined;
  /** Among the tasks of the call. */
  index: number;
  context: ToolContext;
  /** Runs it; with agents of another directory or with another model, if given. */
  run(other?: { registry?: AgentDirectory; model?: Model; onCreate?(agent: AgentMeta): void }): Promise<TaskEnd>;
}

export interface DelegationOptions {
  agent: { readonly id: string };
  registry: AgentDirectory;
  /** "cancel": the first failure of `spawn_agents` cancels the siblings. */
  onError?: "cancel" | "collect";
  /** Begins each task where it is to work. Absent: all share the workspace, and can't ask for another. */
  isolate?(task: StartingTask): Promise<TaskEnd>;
}

/** The agents that work can be handed to. */
export interface AgentDirectory {
  /** Whether the agents are all that there will be: then there is nothing to list by a tool. */
  readonly isClosed?: boolean;
  list(): { name: string; description: string }[];
  /** What a fresh agent of this name is created from. */
  configuration(name: string): SubAgentOptions | undefined;
}

/** Not offered to an agent that may have no children. */
export const delegationToolNames: ReadonlySet<string> = new Set(["list_agents", "delegate_to_agent", "spawn_agents"]);

/**
 * The tools that hand work to the agents of a registry. They act for whichever agent calls them, so sub-agents can
 * inherit them.
 */
export function delegationTools(o: DelegationOptions): Toolbox {
  const { registry } = o;
  const schema = taskSchema(o);
  const delegating = [delegateToAgent(o, schema), spawnAgents(o, schema)];
  if (registry.isClosed !== true) return new Toolbox("delegation", [listAgents(registry), ...delegating]);
  return new Toolbox("delegation", registry.list().length === 0 ? [] : delegating);
}

function listAgents(registry: AgentDirectory): AgentTool {
  return defineTool({
    name: "list_agents",
    description: "Lists the agents that work can be delegated to.",
    label: "List agents",
    schema: z.object({}),
    execute: (_args, context) => JSON.stringify(others(registry, context)),
  });
}

function others(registry: AgentDirectory, context: ToolContext): { name: string; description: string }[] {
  const own = context.agent.name?.toLowerCase();
  const entries = registry.list().filter((entry) => entry.name.toLowerCase() !== own);
  return entries.map(({ name, description }) => ({ name, description }));
}

function delegateToAgent(o: DelegationOptions, schema: z.ZodType<Task>): AgentTool {
  const { registry } = o;
  return defineTool({
    name: "delegate_to_agent",
    description: "Gives a task to another agent, waits for it and returns its answer.",
    label: "Delegate",
    schema,
    async execute(task, context) {
      const refusal = refusedTarget(context, task.agent);
      if (refusal !== undefined) return errorResult(refusal);
      const options = childOptions(registry, task);
      if (options === undefined) return errorResult(unknownAgent(registry, task.agent, context));
      return (await begin(o, task, { options, context, index: 0 })).result;
    },
  });
}

/** Each is an agent with a conversation of its own: one mistaken call must not start thousands. */
const maxTasks = 32;

function spawnAgents(o: DelegationOptions, schema: z.ZodType<Task>): AgentTool {
  return defineTool({
    name: "spawn_agents",
    description: "Gives tasks to several agents at once, waits for all and returns their answers in order.",
    label: "Spawn agents",
    schema: z.object({ tasks: z.array(schema) }),
    async execute({ tasks }, context) {
      if (tasks.length > maxTasks)
        return errorResult(
          `At most ${maxTasks} tasks can be given at once. Nothing was started: give fewer, larger ones.`,
        );
      for (const { agent } of tasks) {
        const refusal = refusedTarget(context, agent);
        if (refusal !== undefined) return errorResult(refusal);
      }
      return runAll(o, tasks, context);
    },
  });
}

interface Beginning {
  options: SubAgentOptions;
  context: ToolContext;
  index: number;
  signal?: AbortSignal;
}

function begin(o: DelegationOptions, task: Task, { options, context, index, signal }: Beginning): Promise<TaskEnd> {
  const run: StartingTask["run"] = async ({ registry, model, onCreate } = {}) => {
    const own = registry === undefined ? options : childOptions(registry, task);
    if (own === undefined) return { result: errorResult(unknownAgent(registry ?? o.registry, task.agent, context)) };
    const given = { ...(signal && { signal }), ...(onCreate && { onCreate }) };
    return runChild(context, { ...own, ...(model && { model }) }, prompts(task), given);
  };
  return o.isolate?.({ agent: task.agent, isolation: task.isolation, index, context, run }) ?? run();
}

/** Waits for all runs, also where one waits for approval: what the others found stays theirs. */
async function allEnded<T>(runs: readonly Promise<T>[]): Promise<T[]> {
  const pending: PendingApproval[] = [];
  const ended: T[] = [];
  for (const run of await Promise.allSettled(runs)) {
    if (run.status === "fulfilled") ended.push(run.value);
    else if (run.reason instanceof PausedError) pending.push(...run.reason.pending);
    else throw run.reason;
  }
  if (pending.length > 0) throw new PausedError(pending);
  return ended;
}

/** How one task of several ended. */
type Entry = { agent: string; result: string } | { agent: string; error: string };

async function runAll(o: DelegationOptions, tasks: readonly Task[], context: ToolContext): Promise<ToolResult> {
  const { registry, onError = "cancel" } = o;
  const siblings = new AbortController();
  const unlink = linkAbort(context.signal, siblings);
  const failed = () => {
    if (onError === "cancel") siblings.abort(new AgentError("aborted", "Another agent of the same call failed."));
  };
  const prepared = tasks.map((task) => ({ task, options: childOptions(registry, task) }));
  if (prepared.some(({ options }) => options === undefined)) failed();
  const runs = prepared.map(
    async ({ task, options }, index): Promise<{ entry: Entry; control?: ToolResult["control"] }> => {
      const { agent } = task;
      if (options === undefined) return { entry: { agent, error: unknownAgent(registry, agent, context) } };
      if (siblings.signal.aborted) return { entry: { agent, error: "canceled" } };
      const child = await begin(o, task, { options, context, index, signal: siblings.signal });
      const isCanceled = child.run?.reason === "aborted" && siblings.signal.aborted;
      if (child.result.isError === true && !isCanceled) failed();
      const entry = entryOf(agent, child, isCanceled);
      return child.result.control === undefined ? { entry } : { entry, control: child.result.control };
    },
  );
  const ended = await allEnded(runs);
  unlink();
  const control = ended.find((run) => run.control !== undefined)?.control;
  const hasFailed = onError === "cancel" && ended.some(({ entry }) => "error" in entry);
  const content = JSON.stringify(ended.map(({ entry }) => entry));
  return { content, ...(hasFailed ? { isError: true } : {}), ...(control === undefined ? {} : { control }) };
}

function entryOf(agent: string, { result }: TaskEnd, isCanceled: boolean): Entry {
  if (isCanceled) return { agent, error: "canceled" };
  const text = typeof result.content === "string" ? result.content : JSON.stringify(result.content);
  return result.isError === true ? { agent, error: text } : { agent, result: text };
}

const maxTitleWords = 6;
const maxTitleLength = 80;

/** What people see of a task; without a title, the first words of the task. */
function titleOf({ title = "", task }: Pick<Task, "title" | "task">): string {
  const plain = (text: string) => text.replace(/[`*_#]+/g, "").trim();
  const given = plain(title);
  const [line = ""] = given === "" ? plain(task).split(/\n|[.:!?](?=\s|$)/) : [given];
  const words = line.split(/\s+/);
  const start = words.slice(0, maxTitleWords).join(" ").slice(0, maxTitleLength);
  return start.length < words.join(" ").length ? `${start}…` : start;
}

/** A fresh configuration: the child may delegate further, and without tools of its own it has its parent's. */
function childOptions(registry: AgentDirectory, task: Task): SubAgentOptions | undefined {
  const options = registry.configuration(task.agent);
  if (options === undefined) return undefined;
  const inherit = options.inherit ?? (options.tools === undefined ? "union" : "none");
  return { ...options, label: titleOf(task), inherit, registry: options.registry ?? registry };
}

function prompts({ task, context }: Task): AgentMessage[] {
  const wrapped = `<delegation_context>\n${context}\n</delegation_context>`;
  return context.trim() === "" ? [userMessage(task)] : [userMessage(wrapped), userMessage(task)];
}

function unknownAgent(registry: AgentDirectory, name: string, context: ToolContext): string {
  const names = others(registry, context).map((entry) => entry.name);
  return `Unknown agent "${name}". Available: ${names.length === 0 ? "none" : names.join(", ")}`;
}
