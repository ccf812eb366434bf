import type { NextTurn, TurnInfo } from "../vocabulary/hooks.ts";
import type { AssistantMessage, ToolResultMessage } from "../vocabulary/messages.ts";
import { contextOf, emitOf, type RunState, stopOf } from "./runState.ts";

/** A turn as the loop knows it. */
export interface Turn {
  index: number;
  iteration: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
}

/** What hooks are told about a turn. Lists are copied when they are looked at. */
export function turnInfo(state: RunState, turn: Turn): TurnInfo {
  return {
    ...turn,
    toolResults: [...turn.toolResults],
    get context() {
      return contextOf(state);
    },
    get newMessages() {
      return [...state.newMessages];
    },
    signal: state.signal,
    emit: emitOf(state),
    stop: stopOf(state),
  };
}

/** Makes the next request of the run use what a hook gave. */
export function applyNextTurn(state: RunState, { context, model, thinkingLevel }: NextTurn): void {
  if (context !== undefined) {
    const { systemPrompt, messages, tools } = context;
    state.context = { systemPrompt, messages: [...messages], tools: [...tools] };
  }
  if (thinkingLevel !== undefined) state.thinkingLevel = thinkingLevel;
  if (model === undefined) return;
  state.model = model;
  state.node.meta = { ...state.node.meta, model: model.id };
}
