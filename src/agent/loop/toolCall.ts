import * as z from "zod";
import { abortedError, onAbort, startTimer, untilAborted } from "../vocabulary/abort.ts";
import { errorText } from "../vocabulary/errors.ts";
import type { LoopHooks, ReviseCallHook, ToolCallBlock, ToolCallInfo } from "../vocabulary/hooks.ts";
import type { AssistantMessage, ToolCall } from "../vocabulary/messages.ts";
import type { PendingApproval } from "../vocabulary/pause.ts";
import { copyPlain } from "../vocabulary/plainJson.ts";
import type { AgentTool } from "../vocabulary/tools.ts";
import { contextOf, type RunState } from "./runState.ts";

/** A call that may run: its tool, and its arguments as the tool's schema let them through. */
export interface PreparedCall {
  call: ToolCall;
  tool: AgentTool;
  args: unknown;
  assistant: AssistantMessage;
}

/** Why a call must not run. It becomes the call's error result. */
export interface RefusedCall {
  refusal: string;
  terminate?: boolean;
}

/** A call that a person has to approve first. */
export interface WaitingCall {
  approval: PendingApproval;
}

/** Finds the tool, validates the arguments, asks the hooks. Never throws: what is wrong is the call's result. */
export async function prepareCall(
  state: RunState,
  o: { call: ToolCall; assistant: AssistantMessage; tools: readonly AgentTool[] },
): Promise<PreparedCall | RefusedCall | WaitingCall> {
  const { call, assistant, tools } = o;
  const tool = tools.find((known) => known.name === call.name);
  if (tool === undefined) return { refusal: missingToolText(state, call.name, tools) };
  const parsed = await parseArguments(state, tool, call.arguments);
  if (!parsed.success) return { refusal: `Invalid arguments for "${call.name}":\n${parsed.violation}` };
  const given = { call, tool, args: parsed.data, assistant };
  // Nothing is waited for that is not there: each wait makes promises, for every call.
  const prepared = state.reviseCall === undefined ? given : await revise(state, state.reviseCall, given);
  if ("refusal" in prepared) return prepared;
  const refused = isAsked(state) ? await askHooks(state, callInfo(state, prepared)) : undefined;
  if (refused !== undefined) return refused;
  const { needsApproval = false } = tool;
  return (needsApproval === false ? undefined : await askApproval(state, needsApproval, prepared)) ?? prepared;
}

function missingToolText({ missingTool }: RunState, name: string, tools: readonly AgentTool[]): string {
  try {
    for (const hook of missingTool) {
      const reason = hook(name);
      if (reason !== undefined) return reason;
    }
  } catch (error) {
    return `Why there is no tool "${name}" could not be found out: ${errorText(error)}`;
  }
  const names = tools.map((known) => known.name).join(", ");
  return `Unknown tool "${name}". Available: ${names === "" ? "none" : names}`;
}

/** What hooks know of a call. What belongs to the run is copied when it is looked at. */
export function callInfo(state: RunState, { call, args, assistant }: PreparedCall): ToolCallInfo {
  return {
    args,
    get call() {
      return copyPlain(call);
    },
    get assistant() {
      return hookCopy(assistant);
    },
    agent: state.node.meta,
    signal: state.signal,
    get context() {
      return contextOf(state);
    },
  };
}

/** A memo, not state: hooks know by the message which calls belong together, so all of them get the same copy. */
const hookCopies = new WeakMap<AssistantMessage, AssistantMessage>();

function hookCopy(assistant: AssistantMessage): AssistantMessage {
  const copy = hookCopies.get(assistant) ?? copyPlain(assistant);
  hookCopies.set(assistant, copy);
  return copy;
}

/** Whether any hook is asked before a call. */
export function isAsked({ hooks, ancestorHooks, reviseCall }: RunState): boolean {
  return hooks.beforeToolCall !== undefined || ancestorHooks.length > 0 || reviseCall !== undefined;
}

/** The call with the arguments that its hook gives it. */
async function revise(
  state: RunState,
  reviseCall: ReviseCallHook,
  prepared: PreparedCall,
): Promise<PreparedCall | RefusedCall> {
  const { signal } = state;
  const { call, tool } = prepared;
  try {
    const revised = await untilAborted(reviseCall(callInfo(state, prepared)), signal);
    if (revised === undefined) return prepared;
    if ("block" in revised) return refusalOf(call, revised);
    const parsed = await parseArguments(state, tool, revised.args);
    if (parsed.success) return { ...prepared, args: parsed.data };
    return { refusal: `A hook gave "${call.name}" invalid arguments, so it did not run:\n${parsed.violation}` };
  } catch (error) {
    return { refusal: `The call of "${call.name}" could not be checked: ${errorText(error)}` };
  }
}

function refusalOf({ name }: ToolCall, { reason, terminate }: ToolCallBlock): RefusedCall {
  const refusal = reason ?? `The call of "${name}" was blocked.`;
  return terminate === undefined ? { refusal } : { refusal, terminate };
}

/** A refinement of the schema may wait for something: it is left when the run is aborted or the tool's time is up. */
async function parseArguments(
  state: RunState,
  tool: AgentTool,
  raw: unknown,
): Promise<{ success: true; data: unknown } | { success: false; violation: string }> {
  try {
    const own = copyPlain(raw);
    // Waited for, since an application may write it as an async function, whatever its type says.
    const prepared =
      tool.prepareArguments === undefined ? own : await withinTime(state, Promise.resolve(tool.prepareArguments(own)));
    const parsed = await withinTime(state, tool.schema.safeParseAsync(prepared));
    return parsed.success ? parsed : { success: false, violation: z.prettifyError(parsed.error) };
  } catch (error) {
    return { success: false, violation: errorText(error) };
  }
}

/** Nearly every check ends at once. Only one that does not is watched, since listeners are expensive. */
async function withinTime<T>({ config, signal }: RunState, work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  // No timer for it: to start and stop one costs as much as the check of a small call.
  for (let tick = 0; tick < checkTicks; tick += 1) {
    await undefined;
    if (isOver) return await work;
  }
  const { toolTimeoutMs = Number.POSITIVE_INFINITY } = config;
  const { promise: left, reject } = Promise.withResolvers<never>();
  const text = `The check timed out after ${toolTimeoutMs} ms.`;
  const stopTimer = startTimer(toolTimeoutMs, () => reject(new Error(text)));
  const listening = onAbort(signal, () => reject(abortedError(signal)));
  try {
    return await Promise.race([work, left]);
  } finally {
    stopTimer();
    listening.dispose();
  }
}

/** Within these turns of the microtask queue a check that waits for nothing has ended. */
const checkTicks = 4;

/** Undefined for a call that may run: it needs no approval, or has it. */
async function askApproval(
  state: RunState,
  needsApproval: Exclude<NonNullable<AgentTool["needsApproval"]>, false>,
  { call, tool, args }: PreparedCall,
): Promise<RefusedCall | WaitingCall | undefined> {
  const { meta } = state.node;
  try {
    const info = { callId: call.id, agent: meta, signal: state.signal };
    const check = async () => needsApproval === true || needsApproval.call(tool, args, info);
    if (!(await withinTime(state, check()))) return undefined;
  } catch (error) {
    return { refusal: `Whether "${call.name}" needs approval could not be found out: ${errorText(error)}` };
  }
  const id = `${meta.id}/${call.id}`;
  const answers = state.open?.answers ?? {};
  const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
  if (answer === undefined) {
    const what = { callId: call.id, toolName: call.name, args: copyPlain(call.arguments) };
    return {
      approval: { id, agent: { ...meta }, ...what, ...(tool.label === undefined ? {} : { label: tool.label }) },
    };
  }
  const { approved, reason = undefined } = typeof answer === "boolean" ? { approved: answer } : answer;
  if (approved) return undefined;
  return { refusal: `The call of "${call.name}" was not approved${reason === undefined ? "." : `: ${reason}`}` };
}

type BeforeHook = NonNullable<LoopHooks["beforeToolCall"]>;

/** The agent's own hook, then its ancestors': a child never may more than they. */
async function askHooks(state: RunState, info: ToolCallInfo): Promise<RefusedCall | undefined> {
  for (const hook of beforeHooks(state)) {
    try {
      const verdict = await untilAborted(hook(info), state.signal);
      if (verdict?.block) return refusalOf(info.call, verdict);
    } catch (error) {
      return { refusal: `The call of "${info.call.name}" could not be checked: ${errorText(error)}` };
    }
  }
  return undefined;
}

function beforeHooks(state: RunState): BeforeHook[] {
  const own = state.hooks.beforeToolCall;
  const inherited = state.ancestorHooks;
  return own === undefined ? inherited : [own.bind(state.hooks), ...inherited];
}
