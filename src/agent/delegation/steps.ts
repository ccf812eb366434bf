import type { RunOptions, RunResult } from "../loop/runTypes.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { EndReason } from "../vocabulary/events.ts";
import type { LoopHooks } from "../vocabulary/hooks.ts";
import { textOf, userMessage } from "../vocabulary/messages.ts";
import { inputText } from "../vocabulary/plainJson.ts";
import { createScope, enterScope } from "../vocabulary/scope.ts";
import { addUsage, emptyUsage, type Usage } from "../vocabulary/usage.ts";
import { type RunnableAgent, type Validator, type Verdict, validate } from "./validators.ts";

/** Work for an agent whose result is judged before it counts. */
export interface Step {
  agent: RunnableAgent;
  /** How many results are judged at most, 10 by default. */
  maxRuns?: number;
  /** USD; once passed, an invalid result is not tried again. */
  maxCost?: number;
  validators?: Validator[];
  /** Ends the step without validators when true; what is not good enough counts as invalid. */
  exitCondition?(result: unknown): boolean;
}

export interface StepResult {
  /** What `complete_task` gave, or the text of the reply; the last one where none was valid. */
  result: unknown;
  valid: boolean;
  /** Results that were judged. */
  attempts: number;
  reason: EndReason | "invalid";
  feedback?: string;
  /** Agents that judged included. */
  usage: Usage;
}

const defaultMaxRuns = 10;

/** What is known of a step while its agent runs. */
interface Progress {
  attempts: number;
  candidate?: { result: unknown };
  verdict?: Verdict;
  usage: Usage;
}

/**
 * Runs a step in one conversation: a result that does not pass is answered with what is wrong, and the agent goes on.
 * The loop is the agent's own; the step only looks at what it is about to finish with.
 */
export async function runStep(step: Step, input: unknown, options: RunOptions = {}): Promise<StepResult> {
  const scope = options.scope ?? createScope();
  const progress: Progress = { attempts: 0, usage: emptyUsage() };
  const within = enterScope(scope, step.agent.meta.name ?? step.agent.id);
  const spentBefore = step.agent.usage.cost;
  const beforeFinish: LoopHooks["beforeFinish"] = async (turn) => {
    const result = turn.result ?? textOf(turn.message);
    progress.attempts += 1;
    progress.candidate = { result };
    const verdict = await judgeResult(step, result, { scope: within, signal: turn.signal }, progress);
    progress.verdict = verdict;
    if (isJudged(step)) turn.emit({ type: "validation", attempt: progress.attempts, ...verdict });
    if (verdict.valid || progress.attempts >= (step.maxRuns ?? defaultMaxRuns)) return;
    if (step.agent.usage.cost - spentBefore + progress.usage.cost > (step.maxCost ?? Number.POSITIVE_INFINITY)) {
      turn.emit({ type: "limit_reached", limit: "cost" });
      const error = new AgentError("limit", `limits exceeded (max cost ${step.maxCost} USD)`);
      turn.stop("limit", { error, result });
      return;
    }
    return [userMessage(verdict.feedback ?? "The result is not valid. Try again.")];
  };
  const ended = await step.agent.send(inputText(input), { ...options, scope, hooks: { beforeFinish } }).result;
  return stepResult(ended, progress);
}

function isJudged(step: Step): boolean {
  return step.exitCondition !== undefined || (step.validators ?? []).length > 0;
}

async function judgeResult(
  step: Step,
  result: unknown,
  run: Parameters<typeof validate>[2],
  progress: Progress,
): Promise<Verdict> {
  if (step.exitCondition !== undefined) {
    return step.exitCondition(result) ? { valid: true } : { valid: false, feedback: "The work is not finished yet." };
  }
  const { verdict, usage } = await validate(step.validators ?? [], result, run);
  progress.usage = addUsage(progress.usage, usage);
  return verdict;
}

function stepResult(ended: RunResult, progress: Progress): StepResult {
  const usage = addUsage(ended.usage, progress.usage);
  const { attempts, verdict } = progress;
  const finished = ended.reason === "done" || ended.reason === "completed";
  const text = ended.finalMessage === undefined ? undefined : textOf(ended.finalMessage);
  // What goes straight to the user is not judged.
  const valid = ended.reason === "returned" || (finished && verdict?.valid !== false);
  const result = ended.result ?? progress.candidate?.result ?? text;
  const reason = finished && !valid ? "invalid" : ended.reason;
  const outcome: StepResult = { result, valid, attempts, reason, usage };
  return valid || verdict?.feedback === undefined ? outcome : { ...outcome, feedback: verdict.feedback };
}
