import type { Effect, IterationInfo } from "../vocabulary/hooks.ts";
import { estimateTokens, type LlmMessage, userMessage } from "../vocabulary/messages.ts";
import type { ModelRequest, StreamOptions } from "../vocabulary/model.ts";
import { type AgentTool, toolDefinition } from "../vocabulary/tools.ts";
import { askQuietly } from "./answerStream.ts";
import { requestMessages } from "./requestMessages.ts";
import { callHook, emitOf, type RunState, stopOf, transcriptOf } from "./runState.ts";
import type { Turn } from "./turn.ts";

/** A request, how it is to be sent, and the tools its calls are looked up in. */
export interface BuiltRequest extends ModelRequest {
  options: StreamOptions;
  offered: readonly AgentTool[];
}

/** Everything between the turn's messages and the model: effects, transforms, projection, repair, key, tools. */
export async function buildRequest(state: RunState): Promise<BuiltRequest> {
  for (const effect of state.effects) {
    if (effect.before === undefined || state.ending !== undefined) continue;
    const info = iterationInfo(state, "before", state.iteration);
    await callHook(state, nameOf(effect), () => effect.before?.(info));
  }
  if (state.overflow?.shown === state.context.messages) throw state.overflow.error;
  const messages = await requestMessages(state);
  if (state.wrappingUp !== undefined) messages.push(lastMessageNote(state.wrappingUp.text));
  const options = await requestOptions(state);
  const offered = await filterTools(state);
  const { systemPrompt } = state.context;
  return { systemPrompt, messages, tools: offered.filter(state.isOffered).map(toolDefinition), options, offered };
}

/** Effects see an answer before its tools run; the first that throws keeps them from running. */
export async function afterAnswer(state: RunState, turn: Turn): Promise<void> {
  for (const effect of state.effects) {
    if (effect.after === undefined) continue;
    const info = iterationInfo(state, "after", turn.iteration);
    await callHook(state, nameOf(effect), () => effect.after?.(info));
  }
}

async function filterTools(state: RunState): Promise<AgentTool[]> {
  let tools = state.context.tools;
  for (const effect of state.effects) {
    if (effect.filterTools === undefined) continue;
    const current = tools;
    const info = iterationInfo(state, "before", state.iteration);
    tools = await callHook(state, nameOf(effect), () => effect.filterTools?.([...current], info) ?? current);
  }
  return tools;
}

function nameOf(effect: Effect): string {
  return `The effect ${effect.name ?? "without a name"}`;
}

async function requestOptions(state: RunState): Promise<StreamOptions> {
  const { hooks, model, signal, thinkingLevel } = state;
  const key =
    hooks.getApiKey === undefined
      ? undefined
      : await callHook(state, "getApiKey", () => hooks.getApiKey?.(model.provider));
  const sessionId = state.node.session.id;
  return { sessionId, ...state.config.streamOptions, signal, thinkingLevel, ...(key ? { apiKey: key } : {}) };
}

function iterationInfo(state: RunState, phase: IterationInfo["phase"], iteration: number): IterationInfo {
  const { lastUsage, meta } = state.node;
  return {
    phase,
    iteration,
    agent: meta,
    model: state.model,
    transcript: transcriptOf(state),
    ...(lastUsage === undefined ? {} : { lastUsage }),
    get estimatedTokens() {
      const estimate = estimateTokens(state.context.messages);
      const isTooLong = state.overflow?.shown === state.context.messages;
      return isTooLong ? Math.max(estimate, state.model.contextWindow ?? 0) : estimate;
    },
    signal: state.signal,
    complete: async (request, o = {}) => {
      const options = await requestOptions(state);
      const signal = o.signal === undefined ? state.signal : AbortSignal.any([state.signal, o.signal]);
      return askQuietly(state, request, { ...options, signal });
    },
    emit: emitOf(state),
    stop: stopOf(state),
  };
}

/** Only shown to the model: a limit is no part of the conversation. */
function lastMessageNote(reason: string): LlmMessage {
  return userMessage(
    `This is your last message in this run: ${reason}. Call no tools. Say what is done, what is missing and what you found.`,
  );
}
