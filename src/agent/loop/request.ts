import type { Effect, IterationInfo } from "../vocabulary/hooks.ts";
import { type AgentMessage, estimateTokens, type LlmMessage, userMessage } from "../vocabulary/messages.ts";
import type { ModelRequest, StreamOptions } from "../vocabulary/model.ts";
import { copyPlain, equalPlain } from "../vocabulary/plainJson.ts";
import { defaultConvertToLlm, repairTranscript } from "../vocabulary/projection.ts";
import { type AgentTool, toolDefinition } from "../vocabulary/tools.ts";
import { askQuietly } from "./answerStream.ts";
import { callHook, emitOf, type RunState, stopOf, transcriptOf } from "./runState.ts";
import type { Turn } from "./turn.ts";

/** A request, how it is to be sent, and the tools its calls are looked up in. */
export interface BuiltRequest {
  request: ModelRequest;
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
  const { messages: stored } = state.context;
  const messages = projectsByDefault(state) ? projectAdded(state) : await projected(state, stored);
  if (state.wrappingUp !== undefined) messages.push(lastMessageNote(state.wrappingUp.text));
  const asked = await requestOptions(state);
  const options = state.format === undefined ? asked : { ...asked, output: state.format };
  const offered = await filterTools(state);
  return { request: requestOf(state, offered, messages), options, offered };
}

function requestOf(state: RunState, tools: readonly AgentTool[], messages: LlmMessage[]): ModelRequest {
  const { systemPrompt } = state.context;
  return { systemPrompt, messages, tools: tools.filter(state.isOffered).map(toolDefinition) };
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
    model: copyPlain(state.model),
    transcript: transcriptOf(state),
    ...(lastUsage === undefined ? {} : { lastUsage }),
    get estimatedTokens() {
      const estimate = estimateTokens(state.context.messages);
      const isTooLong = state.overflow?.shown === state.context.messages;
      return isTooLong ? Math.max(estimate, state.model.contextWindow ?? 0) : estimate;
    },
    signal: state.signal,
    conversation: async (messages) => requestOf(state, await filterTools(state), await projected(state, messages)),
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

function projectsByDefault({ hooks }: RunState): boolean {
  return hooks.transformContext === undefined && hooks.convertToLlm === undefined;
}

/** Messages as a model is shown them: transformed, projected and made valid. A list of its own. */
async function projected(state: RunState, stored: readonly AgentMessage[]): Promise<LlmMessage[]> {
  const { hooks, signal } = state;
  const shown =
    hooks.transformContext === undefined
      ? stored
      : await transformed(stored, async (copies) => {
          const answer = await callHook(state, "transformContext", () => hooks.transformContext?.(copies, signal));
          return answer ?? copies;
        });
  const llmMessages =
    hooks.convertToLlm === undefined
      ? defaultConvertToLlm(shown)
      : await transformed(shown, (copies) =>
          callHook(state, "convertToLlm", () => hooks.convertToLlm?.(copies) ?? ([] as LlmMessage[])),
        );
  return repairTranscript(llmMessages);
}

/**
 * Lets a hook make a list of copies into another. A message that it left alone is the original again, since what is
 * cached for a message is found by its identity.
 */
async function transformed<Message extends AgentMessage>(
  messages: readonly AgentMessage[],
  transform: (copies: AgentMessage[]) => Promise<Message[]>,
): Promise<Message[]> {
  const originals = new Map<AgentMessage, AgentMessage>();
  const copies = messages.map((message) => {
    const copy = copyPlain(message);
    originals.set(copy, message);
    return copy;
  });
  const answer = await transform(copies);
  return answer.map((message) => {
    const original = originals.get(message);
    // What equals a message of this type is one.
    return original !== undefined && equalPlain(original, message) ? (original as Message) : message;
  });
}

/**
 * Projects only what came since the last request: a long run would otherwise pay for its whole transcript at every
 * turn. At a request every call before it is answered, so no repair reaches across that point.
 */
function projectAdded(state: RunState): LlmMessage[] {
  const { messages: source } = state.context;
  const known = state.projection?.source === source ? state.projection : undefined;
  const added = repairTranscript(defaultConvertToLlm(known === undefined ? source : source.slice(known.length)));
  const messages = known?.messages ?? [];
  for (const message of added) messages.push(message);
  state.projection = { source, length: source.length, messages };
  return [...messages];
}
