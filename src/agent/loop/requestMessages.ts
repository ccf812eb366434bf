import { type AgentMessage, defaultConvertToLlm, type LlmMessage, repairTranscript } from "../vocabulary/messages.ts";
import { callHook, type RunState } from "./runState.ts";

/** What the default projection made of the transcript up to a request. */
export interface Projection {
  source: AgentMessage[];
  length: number;
  messages: LlmMessage[];
}

/** The messages of the next request: transformed, projected and made valid. A list of its own. */
export async function requestMessages(state: RunState): Promise<LlmMessage[]> {
  const { hooks, signal } = state;
  const { messages: stored } = state.context;
  if (hooks.transformContext === undefined && hooks.convertToLlm === undefined) return projectGrown(state);
  const shown =
    hooks.transformContext === undefined
      ? stored
      : ((await callHook(state, "transformContext", () => hooks.transformContext?.([...stored], signal))) ?? stored);
  const projected =
    hooks.convertToLlm === undefined
      ? defaultConvertToLlm(shown)
      : await callHook(state, "convertToLlm", () => hooks.convertToLlm?.([...shown]) ?? []);
  return repairTranscript(projected);
}

/**
 * Projects only what came since the last request: a long run would otherwise pay for its whole transcript at every
 * turn. At a request every call before it is answered, so no repair reaches across that point.
 */
function projectGrown(state: RunState): LlmMessage[] {
  const { messages: source } = state.context;
  const known = state.projection?.source === source ? state.projection : undefined;
  const added = repairTranscript(defaultConvertToLlm(known === undefined ? source : source.slice(known.length)));
  const messages = known?.messages ?? [];
  for (const message of added) messages.push(message);
  state.projection = { source, length: source.length, messages };
  return [...messages];
}
