import * as z from "zod";
import type { RunOptions, RunResult } from "../loop/runTypes.ts";
import { assertNever } from "../vocabulary/errors.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import { textOf } from "../vocabulary/messages.ts";
import { onFirstUse } from "../vocabulary/onFirstUse.ts";
import { inputText } from "../vocabulary/plainJson.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";
import { addUsage, emptyUsage, type Usage } from "../vocabulary/usage.ts";

/** What steps and validators need of an agent. */
export interface RunnableAgent {
  readonly id: string;
  readonly meta: AgentMeta;
  readonly usage: Usage;
  send(input: string, options: RunOptions): { readonly result: Promise<RunResult> };
}

/** Judges the result of a step. A function answers whether it is valid, or with what is wrong. */
export type Validator =
  | { kind: "fn"; check(result: unknown): boolean | string | Promise<boolean | string> }
  | { kind: "schema"; schema: z.ZodType }
  /** Answers `{ valid, feedback? }` through `complete_task`, or as JSON. */
  | { kind: "agent"; agent: RunnableAgent };

export interface Verdict {
  valid: boolean;
  feedback?: string;
}

export interface Judged {
  verdict: Verdict;
  /** What agents that judged have spent. */
  usage: Usage;
}

const valid: Verdict = { valid: true };

/** Asks the validators that cost nothing first, and agents only about what those let through. */
export async function validate(
  validators: readonly Validator[],
  result: unknown,
  run: { scope: ExecutionScope; signal: AbortSignal },
): Promise<Judged> {
  let usage = emptyUsage();
  const byCost = validators.toSorted((a, b) => Number(a.kind === "agent") - Number(b.kind === "agent"));
  for (const validator of byCost) {
    const judged = await judge(validator, result, run);
    usage = addUsage(usage, judged.usage);
    if (!judged.verdict.valid) return { verdict: judged.verdict, usage };
  }
  return { verdict: valid, usage };
}

async function judge(
  validator: Validator,
  result: unknown,
  run: { scope: ExecutionScope; signal: AbortSignal },
): Promise<Judged> {
  switch (validator.kind) {
    case "fn": {
      const answer = await validator.check(result);
      return free(typeof answer === "string" ? { valid: false, feedback: answer } : { valid: answer });
    }
    case "schema": {
      const parsed = await validator.schema.safeParseAsync(asJson(result));
      return free(parsed.success ? valid : { valid: false, feedback: z.prettifyError(parsed.error) });
    }
    case "agent":
      return askAgent(validator.agent, result, run);
    default:
      return assertNever(validator);
  }
}

function free(verdict: Verdict): Judged {
  return { verdict, usage: emptyUsage() };
}

const verdictSchema = onFirstUse(() => z.object({ valid: z.boolean(), feedback: z.string().optional() }));

async function askAgent(
  agent: RunnableAgent,
  result: unknown,
  run: { scope: ExecutionScope; signal: AbortSignal },
): Promise<Judged> {
  const scope = run.scope.child(agent.meta.name ?? agent.id);
  const ended = await agent.send(inputText(result), { scope, signal: run.signal }).result;
  run.signal.throwIfAborted();
  const answer = ended.result ?? (ended.finalMessage === undefined ? undefined : textOf(ended.finalMessage));
  const parsed = verdictSchema().safeParse(asJson(answer));
  if (!parsed.success) return { verdict: { valid: false, feedback: noVerdict(ended.error) }, usage: ended.usage };
  const { feedback } = parsed.data;
  const verdict = feedback === undefined ? { valid: parsed.data.valid } : { valid: parsed.data.valid, feedback };
  return { verdict, usage: ended.usage };
}

function noVerdict(error: Error | undefined): string {
  return error === undefined ? "The validator gave no verdict." : `The validator gave no verdict: ${error.message}`;
}

/** A reply is text even where it means JSON. */
function asJson(result: unknown): unknown {
  if (typeof result !== "string") return result;
  try {
    return JSON.parse(result);
  } catch {
    // Then the text itself is the result.
    return result;
  }
}
