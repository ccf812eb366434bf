import { type AgentEvent, textOf, userMessage } from "../../../src/agent/index.ts";
import { errorText } from "../../../src/agent/vocabulary/errors.ts";
import { addUsage, emptyUsage } from "../../../src/agent/vocabulary/usage.ts";
import type { ModelAccess } from "../../../src/extension/models/modelAccess.ts";
import { type ArborSettings, parseSettings } from "../../../src/extension/settings/settings.ts";
import type { TaskOutcome } from "../results.ts";
import { headlessChat } from "./headlessChat.ts";
import { checkProblems, createRepository, type Repository, readFixture } from "./repository.ts";
import type { AskedApproval, AskedQuestion, UserScript } from "./scriptedUser.ts";

/** One small task in a repository of its own. */
export interface EvalTask {
  /** Names it on the command line and in results. */
  id: string;
  /** What it shows of an agent, in one sentence. */
  shows: string;
  /** By path, beside those of `test/fixtures/evals/<id>/`. */
  files?: Readonly<Record<string, string>>;
  /** Makes a git repository of the files, in which these were changed or added since the commit. */
  uncommitted?: Readonly<Record<string, string>>;
  /** What the user has open, the active file first. */
  openFiles?: readonly string[];
  /** By their full names, where they differ from the defaults. */
  settings?: Readonly<Record<string, unknown>>;
  /** Of the model, where it is less than the model's own, in tokens: so that a short conversation is a long one. */
  contextWindow?: number;
  /** What the user says, one message after another, and when the user has the conversation summarized. */
  steps: readonly (string | { compact: true })[];
  user?: UserScript;
  /**
   * What is wrong with what came of it, as sentences; nothing when it is well done. Beside it the script
   * `test/fixtures/evals/<id>.check.mjs` has to run without an error, where there is one.
   */
  grade(run: TaskRun): Promise<readonly string[]>;
}

/** What came of a task, for its grader. */
export interface TaskRun {
  repository: Repository;
  /** The text of the last answer. */
  answer: string;
  /** In the order in which they were made, by all agents. */
  calls: readonly RecordedCall[];
  requests: readonly RecordedRequest[];
  approvals: readonly AskedApproval[];
  questions: readonly AskedQuestion[];
  /** How often a conversation was summarized. */
  summaries: number;
}

export interface RecordedCall {
  /** Names from the root agent down, like "main/explore". */
  agent: string;
  name: string;
  args: Readonly<Record<string, unknown>>;
  result: string;
  isError: boolean;
}

interface RecordedRequest {
  /** All that the model was shown beside the system prompt, as text. */
  shown: string;
}

export interface RunOptions {
  /** Settings by their full names: the model, and what else the run is made with. */
  settings: Readonly<Record<string, unknown>>;
  models(settings: ArborSettings): ModelAccess;
  /** Ends a task that takes longer. */
  maxMs: number;
}

/** Runs a task once, in a folder of its own that is removed afterwards. */
export async function runTask(task: EvalTask, options: RunOptions): Promise<TaskOutcome> {
  const { uncommitted } = task;
  const files = { ...(await readFixture(task.id)), ...task.files };
  const repository = await createRepository(files, { name: "project", ...(uncommitted && { uncommitted }) });
  try {
    return await runIn(repository, task, options);
  } finally {
    await repository.remove();
  }
}

async function runIn(repository: Repository, task: EvalTask, options: RunOptions): Promise<TaskOutcome> {
  const { settings, problems: misfits } = parseSettings({ ...options.settings, ...task.settings });
  if (misfits.length > 0) throw new Error(misfits.map(({ key, message }) => `${key} ${message}`).join("\n"));
  const recording = new Recording();
  const errors: string[] = [];
  const chat = headlessChat({
    ...{ folder: repository.folder, name: "project", storage: repository.storage, settings },
    models: recording.of(withWindow(options.models(settings), task.contextWindow)),
    openFiles: task.openFiles ?? [],
    user: task.user ?? {},
    onEvent: (event) => recording.observe(event, chat.agentPath),
    onError: (error) => errors.push(errorText(error)),
  });
  const startedAt = performance.now();
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    chat.chat.stop().catch((error: unknown) => errors.push(errorText(error)));
  }, options.maxMs);
  let answer = "";
  try {
    for (const step of task.steps) {
      if (typeof step !== "string") {
        await chat.compact();
        continue;
      }
      const { reason, text, error } = await chat.chat.send(userMessage(step), "queue");
      answer = text;
      if (error !== undefined) errors.push(error);
      if (reason !== "done" || isLate) break;
    }
  } catch (error) {
    errors.push(errorText(error));
  } finally {
    clearTimeout(deadline);
    await chat.close();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { calls, requests, usage, delegated, summaries } = recording;
  const { approvals, questions, isOutOfBudget } = chat.user;
  const broken = isLate
    ? [`It took longer than ${options.maxMs / 1_000} s.`]
    : isOutOfBudget
      ? ["It reached a limit of turns or cost."]
      : errors;
  const run = { repository, answer, calls, requests, approvals, questions, summaries };
  const problems = broken.length > 0 ? broken : await graded(task, run);
  return {
    task: task.id,
    passed: problems.length === 0,
    ...{ problems, usage, seconds, delegated, answer },
    turns: requests.length,
    questions: questions.length,
    approvals: approvals.length,
    calls: calls.map(callLine),
  };
}

async function graded(task: EvalTask, run: TaskRun): Promise<string[]> {
  try {
    return [...(await task.grade(run)), ...(await checkProblems(run.repository, task.id))];
  } catch (error) {
    return [errorText(error)];
  }
}

const maxCallLine = 300;

function callLine({ agent, name, args, isError }: RecordedCall): string {
  return `${agent}: ${name} ${JSON.stringify(args)}`.slice(0, maxCallLine) + (isError ? " (failed)" : "");
}

function withWindow(models: ModelAccess, contextWindow: number | undefined): ModelAccess {
  if (contextWindow === undefined) return models;
  return { ...models, mainModel: () => ({ ...models.mainModel(), contextWindow }) };
}

/** What agents asked of models and did with tools. */
class Recording {
  readonly calls: (RecordedCall & { id: string; agentId: string })[] = [];
  readonly requests: RecordedRequest[] = [];
  usage = emptyUsage();
  summaries = 0;
  readonly #agents = new Set<string>();

  get delegated(): number {
    return Math.max(0, this.#agents.size - 1);
  }

  of(models: ModelAccess): ModelAccess {
    const recording = this;
    return {
      ...models,
      streamFn: async function* (model, request, streamOptions) {
        recording.requests.push({ shown: request.messages.map(textOf).join("\n") });
        for await (const event of models.streamFn(model, request, streamOptions)) {
          if ((event.type === "done" || event.type === "error") && event.message.usage !== undefined) {
            recording.usage = addUsage(recording.usage, event.message.usage);
          }
          yield event;
        }
      },
    };
  }

  observe(event: AgentEvent, agentPath: (id: string) => readonly string[]): void {
    this.#agents.add(event.agent.id);
    if (event.type === "compaction_end" && event.kind === "summary") this.summaries += 1;
    if (event.type === "tool_execution_start") {
      const { callId: id, toolName: name, args } = event;
      const { id: agentId } = event.agent;
      const known = typeof args === "object" && args !== null ? { ...args } : {};
      this.calls.push({
        id,
        agentId,
        agent: agentPath(agentId).join("/"),
        name,
        args: known,
        result: "",
        isError: false,
      });
    }
    if (event.type === "tool_execution_end") {
      const call = this.calls.findLast(({ id, agentId }) => id === event.callId && agentId === event.agent.id);
      const { content } = event.result;
      if (call === undefined) return;
      call.result =
        typeof content === "string"
          ? content
          : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      call.isError = event.isError;
    }
  }
}
