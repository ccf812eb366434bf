// Longer than other files: it is the loop, whose steps are read best one after the other.
import { abortedError, throwIfAborted, untilAborted } from "../vocabulary/abort.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { LimitName } from "../vocabulary/events.ts";
import type { TakeTurn } from "../vocabulary/externalTurn.ts";
import { type AgentMessage, type AssistantMessage, type ToolCall, textOf } from "../vocabulary/messages.ts";
import { openCallsOf } from "../vocabulary/pause.ts";
import { inputText } from "../vocabulary/plainJson.ts";
import { streamAnswer } from "./answerStream.ts";
import { takeExternalTurn } from "./externalTurn.ts";
import { limitError, limitText, reachedLimit } from "./limits.ts";
import { afterAnswer, buildRequest } from "./request.ts";
import {
  append,
  callHook,
  type Ending,
  earlierEnding,
  limitEnding,
  type QueueName,
  type RunState,
} from "./runState.ts";
import type { RunResult } from "./runTypes.ts";
import { type AnsweredBatch, refuseBatch, runToolBatch } from "./toolBatch.ts";
import { applyNextTurn, type Turn, turnInfo } from "./turn.ts";
import { retryTurn } from "./turnRetries.ts";

/**
 * The loop. Runs turns until nothing is left to do; never rejects. Up to the first request nothing waits, so that
 * the caller that starts a run finds its prompts in the transcript at once.
 */
export async function runTurns(state: RunState, prompts: AgentMessage[]): Promise<RunResult> {
  try {
    for (const effect of state.effects) {
      const answer: unknown = effect.reset?.();
      // Waited for only where its type was not kept to: nothing else waits up to the first request.
      if (answer instanceof Promise) await untilAborted(answer, state.signal);
    }
    if (state.finished !== undefined) return resultOf(state, earlierEnding(state, state.finished));
    let pending = state.open === undefined ? prompts : await answerOpenCalls(state, prompts);
    for (let isFirst = true; pending !== undefined; isFirst = false) {
      const index = state.node.turnIndex;
      state.node.emit({ type: "turn_start", index });
      append(state, pending);
      if (isFirst && !(await enterRun(state))) break;
      pending = await takeTurn(state, index);
    }
  } catch (error) {
    state.ending = endingOf(state, error);
  }
  return resultOf(state, state.ending ?? { reason: "done" });
}

/** Goes on with the turn whose calls had no result. */
async function answerOpenCalls(state: RunState, prompts: AgentMessage[]): Promise<AgentMessage[] | undefined> {
  const open = openCallsOf(state.context.messages);
  if (open === undefined) return prompts;
  throwIfAborted(state.signal);
  const { assistant, calls } = open;
  const index = Math.max(0, state.node.turnIndex - 1);
  const turn: Turn = { index, iteration: state.iteration, message: assistant, toolResults: [] };
  state.finalMessage = assistant;
  state.node.emit({ type: "turn_start", index });
  const batch = await runToolBatch(state, { assistant, calls, tools: state.context.tools });
  turn.toolResults = batch.messages;
  endTurn(state, turn);
  const next = await nextMessages(state, turn, batch);
  return next === undefined ? undefined : [...next, ...prompts];
}

/** What is between the prompts of a run and its first request. */
async function enterRun(state: RunState): Promise<boolean> {
  throwIfAborted(state.signal);
  append(state, await poll(state, "steering"));
  if (!(await allowRequest(state))) return false;
  const { prepare } = state;
  if (prepare !== undefined) await callHook(state, "The preparation of the run", prepare);
  return true;
}

/** One model request and its tool batch. Returns what the next turn begins with, or undefined at the end of the run. */
async function takeTurn(state: RunState, index: number): Promise<AgentMessage[] | undefined> {
  const { request, options, offered } = await buildRequest(state);
  if (state.ending !== undefined) return undefined;
  throwIfAborted(state.signal);
  state.node.turnIndex += 1;
  const takes = state.config.externalTurn?.(state.model);
  if (takes !== undefined) return takeOutside(state, { index, offered }, takes);
  const answer = await streamAnswer(state, request, options);
  const { message } = answer;
  const turn: Turn = { index, iteration: state.iteration, message, toolResults: [] };
  if (message.stopReason === "error" || message.stopReason === "aborted") {
    endTurn(state, turn);
    await retryTurn(state, answer);
    return [];
  }

  state.iteration += 1;
  state.spent.requests += 1;
  state.finalMessage = message;
  state.retries = 0;
  const batch = await answerCalls(state, turn, offered);
  endTurn(state, turn);
  return nextMessages(state, turn, batch);
}

/** Another program takes the turn: it asks its model and runs its own tools. */
async function takeOutside(
  state: RunState,
  { index, offered }: { index: number; offered: RequestTools },
  takes: TakeTurn,
): Promise<AgentMessage[] | undefined> {
  const turn = await takeExternalTurn(state, { index, iteration: state.iteration, offered }, takes);
  state.iteration += 1;
  state.spent.requests += 1;
  if (turn.message.content.length > 0) state.finalMessage = turn.message;
  endTurn(state, turn);
  return nextMessages(state, turn, { answered: [], messages: [], pending: [] });
}

function endTurn(state: RunState, { index, message, toolResults }: Turn): void {
  state.node.emit({ type: "turn_end", index, message, toolResults });
}

const cutCall = "The answer was cut by the output limit, so this call may be incomplete. Issue it again, shorter.";

/** Every call of the answer gets its result here, also when an effect fails before the tools could run. */
async function answerCalls(state: RunState, turn: Turn, tools: RequestTools): Promise<AnsweredBatch> {
  const assistant = turn.message;
  const calls = assistant.content.filter((part): part is ToolCall => part.type === "toolCall");
  const batch = { assistant, calls, tools };
  const settle = (answered: AnsweredBatch) => {
    turn.toolResults = answered.messages;
    return answered;
  };
  try {
    await afterAnswer(state, turn);
  } catch (error) {
    settle(refuseBatch(state, batch, "The call was not run, because the run failed before it."));
    endTurn(state, turn);
    throw error;
  }
  if (calls.length === 0) return settle({ answered: [], messages: [], pending: [] });
  if (assistant.stopReason === "length") return settle(refuseBatch(state, batch, cutCall));
  if (state.wrappingUp !== undefined)
    return settle(refuseBatch(state, batch, "No call is run any more: a limit is reached."));
  return settle(await runToolBatch(state, batch));
}

type RequestTools = Parameters<typeof runToolBatch>[1]["tools"];

/** What follows a turn that went well, in the one fixed order. Undefined ends the run. */
async function nextMessages(state: RunState, turn: Turn, batch: AnsweredBatch): Promise<AgentMessage[] | undefined> {
  throwIfAborted(state.signal);
  const { answered } = batch;
  const fatal = answered.find((call) => call.fatal !== undefined)?.fatal;
  if (fatal !== undefined) throw new AgentError("fatal_tool", fatal.message, { cause: fatal });
  if (state.ending !== undefined) return undefined;
  if (batch.pending.length > 0) return end(state, { reason: "paused", pending: batch.pending });
  if (state.wrappingUp !== undefined) return end(state, limitEnding(state, state.wrappingUp));
  const control = answered.find((call) => call.result.control !== undefined)?.result.control;
  if (control?.type === "return_to_user") return end(state, { reason: "returned", result: control.value });
  if (control?.type === "complete") return complete(state, turn, control.value);
  failOnBrokenEnd(turn.message, answered.length);
  await betweenTurns(state, turn);
  if (state.ending !== undefined) return undefined;
  throwIfAborted(state.signal);

  const isTerminated = answered.length > 0 && answered.every((call) => call.result.terminate === true);
  if (answered.length > 0 && !isTerminated) return continueRun(state, () => poll(state, "steering"));
  return finish(state, turn, isTerminated ? undefined : textOf(turn.message));
}

/** An answer that stopped without anything to go on with. */
function failOnBrokenEnd({ stopReason }: AssistantMessage, calls: number): void {
  if (calls > 0) return;
  if (stopReason === "length") throw new AgentError("max_tokens", "The answer was cut by the output limit.");
  if (stopReason === "toolUse") {
    throw new AgentError("provider", "The provider gave tool use as the finish reason, but no tool calls.");
  }
}

async function betweenTurns(state: RunState, turn: Turn): Promise<void> {
  const { hooks } = state;
  if (hooks.prepareNextTurn !== undefined) {
    const next = await callHook(state, "prepareNextTurn", () => hooks.prepareNextTurn?.(turnInfo(state, turn)));
    applyNextTurn(state, next ?? {});
  }
  if (state.ending !== undefined || hooks.shouldStopAfterTurn === undefined) return;
  const shouldStop = await callHook(state, "shouldStopAfterTurn", () =>
    hooks.shouldStopAfterTurn?.(turnInfo(state, turn)),
  );
  if (shouldStop) state.ending ??= { reason: "stopped" };
}

/** A decisive result: the queues are not consulted, but validators may send the agent back to work. */
async function complete(state: RunState, turn: Turn, result: unknown): Promise<AgentMessage[] | undefined> {
  const feedback = await validate(state, turn, result);
  if (state.ending !== undefined) return undefined;
  if (feedback.length > 0) return continueRun(state, async () => feedback);
  return end(state, { reason: "completed", result });
}

/** Nothing left to answer: steering first, then the validators, then the follow-ups. */
async function finish(state: RunState, turn: Turn, result: unknown): Promise<AgentMessage[] | undefined> {
  const mayAsk = !isLimitReached(state);
  if (mayAsk) {
    const steering = await poll(state, "steering");
    if (steering.length > 0) return steering;
  }
  const feedback = await validate(state, turn, result);
  if (state.ending !== undefined) return undefined;
  if (feedback.length > 0) return continueRun(state, async () => feedback);
  if (!mayAsk) return undefined;
  const followUps = await poll(state, "followUp");
  return followUps.length > 0 ? followUps : undefined;
}

async function validate(state: RunState, turn: Turn, result: unknown): Promise<AgentMessage[]> {
  const { hooks } = state;
  if (hooks.beforeFinish === undefined) return [];
  const info = { ...turnInfo(state, turn), result };
  return (await callHook(state, "beforeFinish", () => hooks.beforeFinish?.(info))) ?? [];
}

/** The limits are asked before the queues, so that a run which may not go on leaves them as they are. */
async function continueRun(state: RunState, next: () => Promise<AgentMessage[]>): Promise<AgentMessage[] | undefined> {
  return (await allowRequest(state)) ? next() : undefined;
}

const pollHooks = { steering: "getSteeringMessages", followUp: "getFollowUpMessages" } as const;

/** The configured hook is asked first, because it may fail or be left; only then a queue gives its messages away. */
async function poll(state: RunState, queue: QueueName): Promise<AgentMessage[]> {
  const { hooks } = state;
  const name = pollHooks[queue];
  const configured = hooks[name] === undefined ? [] : await callHook(state, name, () => hooks[name]?.());
  throwIfAborted(state.signal);
  return [...state.drain(queue), ...(configured ?? [])];
}

function end(state: RunState, ending: Ending): undefined {
  state.ending = ending;
}

function endingOf(state: RunState, error: unknown): Ending {
  if (state.signal.aborted) return { reason: "aborted", error: abortedError(state.signal) };
  if (!(error instanceof AgentError)) {
    return { reason: "error", error: new AgentError("hook", errorText(error), { cause: error }) };
  }
  return { reason: error.code === "aborted" ? "aborted" : "error", error };
}

function resultOf(state: RunState, ending: Ending): RunResult {
  const { reason, limit, limitText, result } = ending;
  const error = ending.error ?? missingError(state, reason);
  return {
    reason,
    messages: [...state.newMessages],
    ...(state.finalMessage === undefined ? {} : { finalMessage: state.finalMessage }),
    ...(result === undefined ? {} : { result }),
    ...textOfRun(state, result),
    usage: state.node.runUsage,
    ...(error === undefined ? {} : { error }),
    ...(ending.pending === undefined
      ? {}
      : { status: "paused", pending: ending.pending.flatMap(({ approvals }) => approvals) }),
    ...(limit === undefined ? {} : { limit }),
    ...(limitText === undefined ? {} : { limitText }),
  };
}

function textOfRun({ finalMessage }: RunState, result: unknown): { text?: string } {
  if (result !== undefined) return { text: inputText(result) };
  return finalMessage === undefined ? {} : { text: textOf(finalMessage) };
}

/** A hook may stop a run as failed without an error at hand. */
function missingError({ signal }: RunState, reason: Ending["reason"]): AgentError | undefined {
  if (reason === "aborted")
    return signal.aborted ? abortedError(signal) : new AgentError("aborted", "The run was aborted.");
  return reason === "error" ? new AgentError("hook", "A hook stopped the run as failed.") : undefined;
}

/** Whether a limit forbids another request, asked quietly. */
function isLimitReached(state: RunState): boolean {
  return reachedLimit(state.limits, state.spent, state.extensions) !== undefined;
}

/** Asked before every request. When a limit forbids it, the run has its ending and the answer is false. */
async function allowRequest(state: RunState): Promise<boolean> {
  for (;;) {
    const name = reachedLimit(state.limits, state.spent, state.extensions);
    if (name === undefined) return true;
    state.node.emit({ type: "limit_reached", limit: name });
    const verdict = await askAboutLimit(state, name);
    if (verdict === "stop") return false;
    if (verdict === "wrapUp") {
      state.wrappingUp = { limit: name, text: limitText(name, state.limits) };
      return true;
    }
    state.extensions.set(name, (state.extensions.get(name) ?? 0) + 1);
  }
}

async function askAboutLimit(state: RunState, name: LimitName): Promise<"extend" | "wrapUp" | "stop"> {
  const { onLimit } = state;
  if (onLimit === "error") {
    state.ending = { reason: "error", error: limitError(name, state.limits), limit: name };
    return "stop";
  }
  const verdict = onLimit === "forceComplete" ? "stop" : await callHook(state, "onLimit", () => onLimit(name));
  // Forced completion: no further request.
  if (verdict === "stop") state.ending = limitEnding(state, { limit: name, text: limitText(name, state.limits) });
  return verdict;
}
