import * as z from "zod";
import { type ChildRunOptions, refusedTarget, runChild } from "../delegation/runChild.ts";
import type { RunResult } from "../loop/runTypes.ts";
import { errorResult } from "../loop/toolResult.ts";
import { linkAbort } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import { type AgentMessage, type ToolResult, userMessage } from "../vocabulary/messages.ts";
import type { Model } from "../vocabulary/model.ts";
import { onFirstUse } from "../vocabulary/onFirstUse.ts";
import { PausedError, type PendingApproval } from "../vocabulary/pause.ts";
import {
  type AgentTool,
  defineTool,
  type SubAgent,
  type SubAgentOptions,
  Toolbox,
  type ToolContext,
} from "../vocabulary/tools.ts";

const taskParts = () => ({
  title: z.string().optional().describe("Names the task for people, in 3 to 6 words."),
  task: z.string().describe("What it has to do. It sees nothing of this conversation."),
  context: z.string().describe("What it needs to know: findings, files, constraints."),
});

/** Not in the schema that models get, which each request pays for: that nothing can be done with nothing is plain. */
const isSome = (amounts: Record<string, number | undefined>) =>
  Object.values(amounts).every((each) => each === undefined || each > 0);

const budget = () => {
  const amount = z.number().optional();
  return z
    .object({ cost: amount, tokens: amount, requests: amount, minutes: amount })
    .refine(isSome, "Each amount of a budget is above 0; leave out what is not limited.")
    .optional()
    .describe("The most it may use; cost in USD.");
};

const anyAgent = () => z.string().describe("The name of an agent from list_agents.");
const isolation = () =>
  z
    .enum(["shared", "worktree"])
    .optional()
    .describe("worktree: works on a copy of the files; its change is proposed at the end. Default: shared.");
const openTask = onFirstUse(() => z.object({ agent: anyAgent(), ...taskParts() }));
const wholeTask = onFirstUse(() => openTask().extend({ budget: budget(), isolation: isolation() }));

type Task = z.infer<ReturnType<typeof wholeTask>>;

/** What a model says that a task may use. */
type TaskBudget = NonNullable<Task["budget"]>;

/** With the names of the agents, where they are known to be all. */
function taskSchema(registry: AgentDirectory): z.ZodType<Task> {
  const { onBudget, isolate } = registry.watch ?? {};
  const isOpen = registry.isClosed !== true;
  if (isOpen && onBudget === undefined && isolate === undefined) return openTask();
  const agent = isOpen ? anyAgent() : z.enum(registry.list().map(({ name }) => name));
  const task = z.object({ agent, ...taskParts() });
  const limited = onBudget === undefined ? task : task.extend({ budget: budget() });
  return isolate === undefined ? limited : limited.extend({ isolation: isolation() });
}

/** How a task ended. Without a run: it did not begin. */
interface TaskEnd {
  result: ToolResult;
  run?: RunResult;
}

/** A task that is about to begin, for what decides where its agent works. */
export interface StartingTask {
  agent: string;
  /** As the agent that delegates asked. */
  isolation: Task["isolation"];
  /** Among the tasks of the call. */
  index: number;
  context: ToolContext;
  /** Runs it; with agents of another directory or with another model, if given. */
  run(other?: TaskPlace & Pick<ChildRunOptions, "earlierId" | "onCreated">): Promise<TaskEnd>;
}

type TaskPlace = { registry?: AgentDirectory; model?: Model };

/** What an application does about the sub-agents that are delegated to. */
export interface DelegationWatch {
  /** A sub-agent is about to begin that may use only so much. Without it, the tools take no budget. */
  onBudget?(child: SubAgent, budget: TaskBudget, context: ToolContext): void;
  onReport?: ChildRunOptions["onReport"];
  /** Begins each task where it is to work. Without it, all share the workspace, and can't ask for another. */
  isolate?(task: StartingTask): Promise<TaskEnd>;
}

/** The agents that work can be handed to. */
export interface AgentDirectory {
  /** Whether the agents are all that there will be: then there is nothing to list by a tool. */
  readonly isClosed?: boolean;
  list(): { name: string; description: string }[];
  /** What a fresh agent of this name is created from. */
  configuration(name: string): SubAgentOptions | undefined;
  readonly watch?: DelegationWatch | undefined;
}

/** Not offered to an agent that may have no children. */
export const delegationToolNames: ReadonlySet<string> = new Set(["list_agents", "delegate_to_agent", "spawn_agents"]);

/**
 * The tools that hand work to the agents of a registry. They act for whichever agent calls them, so sub-agents can
 * inherit them. With `onError: "cancel"`, the first failure of `spawn_agents` cancels the siblings.
 */
export function delegationTools(o: {
  agent: { readonly id: string };
  registry: AgentDirectory;
  onError?: "cancel" | "collect";
}): Toolbox {
  const { registry, onError = "cancel" } = o;
  const schema = taskSchema(registry);
  const delegating = [delegateToAgent(registry, schema), spawnAgents(registry, schema, onError)];
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

function delegateToAgent(registry: AgentDirectory, schema: z.ZodType<Task>): AgentTool {
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
      return (await begin(registry, task, { options, context, index: 0 })).result;
    },
  });
}

interface Beginning {
  options: SubAgentOptions;
  context: ToolContext;
  index: number;
  signal?: AbortSignal;
}

function begin(
  directory: AgentDirectory,
  task: Task,
  { options, context, index, signal }: Beginning,
): Promise<TaskEnd> {
  const run: StartingTask["run"] = async ({ registry = directory, model, earlierId, onCreated } = {}) => {
    const own = registry === directory ? options : childOptions(registry, task);
    if (own === undefined) return { result: errorResult(unknownAgent(registry, task.agent, context)) };
    const watched = watching(registry, task, context, onCreated);
    return runChild(context, { ...own, ...(model && { model }) }, prompts(task), {
      ...(signal && { signal }),
      ...(earlierId !== undefined && { earlierId }),
      ...watched,
    });
  };
  const { agent, isolation: wanted } = task;
  return directory.watch?.isolate?.({ agent, isolation: wanted, index, context, run }) ?? run();
}

function watching(
  { watch }: AgentDirectory,
  { budget }: Task,
  context: ToolContext,
  onCreated?: (child: SubAgent) => void,
): ChildRunOptions {
  return {
    onCreated: (child) => {
      onCreated?.(child);
      if (budget !== undefined) watch?.onBudget?.(child, budget, context);
    },
    ...(watch?.onReport !== undefined && { onReport: (report) => watch.onReport?.(report) ?? Promise.resolve(report) }),
  };
}

/** Each is an agent with a conversation of its own: one mistaken call must not start thousands. */
const maxTasks = 32;
const tooManyTasks = `At most ${maxTasks} tasks can be given at once. Nothing was started: give fewer, larger ones.`;

function spawnAgents(registry: AgentDirectory, schema: z.ZodType<Task>, onError: "cancel" | "collect"): AgentTool {
  return defineTool({
    name: "spawn_agents",
    description: "Gives tasks to several agents at once, waits for all and returns their answers in order.",
    label: "Spawn agents",
    schema: z.object({ tasks: z.array(schema) }),
    async execute({ tasks }, context) {
      if (tasks.length > maxTasks) return errorResult(tooManyTasks);
      for (const { agent } of tasks) {
        const refusal = refusedTarget(context, agent);
        if (refusal !== undefined) return errorResult(refusal);
      }
      return runAll(registry, tasks, { context, onError });
    },
  });
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

async function runAll(
  registry: AgentDirectory,
  tasks: readonly Task[],
  { context, onError }: { context: ToolContext; onError: "cancel" | "collect" },
): Promise<ToolResult> {
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
      const { signal } = siblings;
      const child = await begin(registry, task, { options, context, index, signal });
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
export function taskTitle({ title = "", task }: Pick<Task, "title" | "task">): string {
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
  return { ...options, label: taskTitle(task), inherit, registry: options.registry ?? registry };
}

function prompts({ task, context }: Task): AgentMessage[] {
  const wrapped = `<delegation_context>\n${context}\n</delegation_context>`;
  return context.trim() === "" ? [userMessage(task)] : [userMessage(wrapped), userMessage(task)];
}

function unknownAgent(registry: AgentDirectory, name: string, context: ToolContext): string {
  const names = others(registry, context).map((entry) => entry.name);
  return `Unknown agent "${name}". Available: ${names.length === 0 ? "none" : names.join(", ")}`;
}
