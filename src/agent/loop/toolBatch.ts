import type { AssistantMessage, ToolCall, ToolResultMessage } from "../vocabulary/messages.ts";
import { freezePlain } from "../vocabulary/plainJson.ts";
import type { AgentTool } from "../vocabulary/tools.ts";
import { appendPlain, type PendingCall, type RunState } from "./runState.ts";
import { isAsked, prepareCall, type RefusedCall } from "./toolCall.ts";
import { executeCall, reviewResult } from "./toolExecution.ts";
import { type AnsweredCall, errorResult, resultMessage } from "./toolResult.ts";

export interface Batch {
  assistant: AssistantMessage;
  calls: readonly ToolCall[];
  tools: readonly AgentTool[];
}

export interface AnsweredBatch {
  answered: AnsweredCall[];
  messages: ToolResultMessage[];
  /** The calls that wait for approval. */
  pending: PendingCall[];
}

type CallOutcome = AnsweredCall | PendingCall;

function isPending(outcome: CallOutcome): outcome is PendingCall {
  return "approvals" in outcome;
}

/**
 * Answers every call of a message with exactly one start, one end and one result, whatever happens. Ends come as calls
 * finish; the result messages come together, in call order. A call that waits for approval has its end and its result
 * when it was answered.
 */
export async function runToolBatch(state: RunState, batch: Batch): Promise<AnsweredBatch> {
  state.phase = "executing_tools";
  try {
    if (state.persist !== undefined) await state.persist();
    const outcomes = isSequential(state, batch) ? await inSequence(state, batch) : await atOnce(state, batch);
    return withMessages(state, outcomes);
  } finally {
    state.phase = "streaming";
  }
}

/** Answers every call with the same error, for calls that must not run. */
export function refuseBatch(state: RunState, batch: Batch, text: string): AnsweredBatch {
  const answered = batch.calls.map((call) => {
    started(state, call, batch.tools);
    return ended(state, { call, result: errorResult(text), isError: true }, 0);
  });
  return withMessages(state, answered);
}

interface OutsideCall {
  call: ToolCall;
  tools: readonly AgentTool[];
  signal: AbortSignal;
  /** Of the turn. */
  hooks: HookQueue;
}

/**
 * Answers the call of a program that takes a turn in place of the loop. Its result is given instead of added; one that
 * ends the run is for the caller to heed.
 */
export async function runOutsideCall(
  state: RunState,
  { call, tools, signal, hooks }: OutsideCall,
): Promise<{ message: ToolResultMessage; isTerminated: boolean; fatal?: Error }> {
  const { id, provider } = state.model;
  const assistant: AssistantMessage = {
    ...{ role: "assistant", id: crypto.randomUUID(), content: [call], model: id, provider },
    ...{ stopReason: "toolUse", timestamp: Date.now() },
  };
  // It can be withdrawn alone.
  const own = { ...state, signal: AbortSignal.any([state.signal, signal]) };
  if (own.persist !== undefined) await own.persist();
  started(own, call, tools);
  const outcome = await answer(own, { assistant, calls: [call], tools }, call, hooks);
  if (isPending(outcome)) {
    const result = errorResult(`"${call.name}" waits for an approval that another program can't wait for.`);
    return { message: resultMessage(ended(own, { call, result, isError: true }, 0)), isTerminated: false };
  }
  const { fatal, result, message = resultMessage(outcome) } = outcome;
  return { message, isTerminated: result.terminate === true, ...(fatal !== undefined && { fatal }) };
}

function withMessages(state: RunState, outcomes: CallOutcome[]): AnsweredBatch {
  const answered = outcomes.filter((outcome): outcome is AnsweredCall => !isPending(outcome));
  const messages = answered.map((one) => one.message ?? resultMessage(one));
  for (const message of messages) appendPlain(state, message);
  return { answered, messages, pending: outcomes.filter(isPending) };
}

function isSequential(state: RunState, { calls, tools }: Batch): boolean {
  if (state.config.toolExecution === "sequential") return true;
  return calls.some((call) => tools.find((tool) => tool.name === call.name)?.executionMode === "sequential");
}

/** What follows a call that waits is left open: it may count on what that call does. */
async function inSequence(state: RunState, batch: Batch): Promise<CallOutcome[]> {
  const answered: AnsweredCall[] = [];
  const hooks = hookQueue();
  for (const call of batch.calls) {
    started(state, call, batch.tools);
    const decisive = answered.find((earlier) => earlier.fatal !== undefined || earlier.result.control !== undefined);
    if (decisive === undefined) {
      const outcome = await answer(state, batch, call, hooks);
      if (isPending(outcome)) return [...answered, outcome];
      answered.push(outcome);
    } else {
      const skipped = errorResult(`The call was skipped: "${decisive.call.name}" ended the run before it.`);
      answered.push(ended(state, { call, result: skipped, isError: true }, 0));
    }
  }
  return answered;
}

async function atOnce(state: RunState, batch: Batch): Promise<CallOutcome[]> {
  for (const call of batch.calls) started(state, call, batch.tools);
  const hooks = hookQueue();
  return Promise.all(batch.calls.map((call) => answer(state, batch, call, hooks)));
}

/** One call from its start to its end: prepared, executed, finalised. */
async function answer(state: RunState, batch: Batch, call: ToolCall, hooks: HookQueue): Promise<CallOutcome> {
  const { assistant, tools } = batch;
  const asked = { call, assistant, tools };
  // Without hooks no call has to wait for those before, and a place in the queue costs several promises.
  const prepared = await (isAsked(state) ? hooks(() => prepare(state, asked)) : prepare(state, asked));
  if ("refusal" in prepared) {
    const { refusal, terminate } = prepared;
    const result = { ...errorResult(refusal), ...(terminate === undefined ? {} : { terminate }) };
    return ended(state, { call, result, isError: true }, 0);
  }
  if ("approval" in prepared) return { call, approvals: [prepared.approval], children: [] };
  const startedAt = performance.now();
  const executed = await executeCall(state, prepared, tools);
  if (isPending(executed)) return executed;
  const durationMs = Math.round(performance.now() - startedAt);
  const isReviewed = state.hooks.afterToolCall !== undefined;
  const reviewed = isReviewed ? await hooks(() => reviewResult(state, prepared, executed)) : executed;
  return ended(state, reviewed, durationMs);
}

/** A call that an abort reached before it ran is answered without asking anybody. */
async function prepare(state: RunState, o: Parameters<typeof prepareCall>[1]): ReturnType<typeof prepareCall> {
  const aborted: RefusedCall = { refusal: "The call was aborted before it ran." };
  if (state.signal.aborted) return aborted;
  const prepared = await prepareCall(state, o);
  return state.signal.aborted ? aborted : prepared;
}

type HookQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Hooks never overlap: each waits for those that were asked for before it. */
export function hookQueue(): HookQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/** A call that had waited has started before. */
function started(state: RunState, call: ToolCall, tools: readonly AgentTool[]): void {
  if (state.node.startedCalls.has(call.id)) return;
  state.node.startedCalls.add(call.id);
  const label = tools.find((tool) => tool.name === call.name)?.label;
  state.node.emit({
    type: "tool_execution_start",
    callId: call.id,
    toolName: call.name,
    ...(label === undefined ? {} : { label }),
    args: call.arguments ?? null,
  });
}

function ended(state: RunState, answered: AnsweredCall, durationMs: number): AnsweredCall {
  const { call, result, isError } = answered;
  state.node.emit({
    type: "tool_execution_end",
    callId: call.id,
    toolName: call.name,
    result,
    isError,
    durationMs,
  });
  state.node.startedCalls.delete(call.id);
  if (state.persistResult === undefined) return answered;
  const message = freezePlain(resultMessage(answered));
  state.persistResult(message);
  return { ...answered, message };
}
