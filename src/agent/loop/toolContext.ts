import type { InnerAbort } from "../vocabulary/abort.ts";
import type { ToolCall } from "../vocabulary/messages.ts";
import type { AgentSnapshot } from "../vocabulary/pause.ts";
import type { AgentTool, ToolContext } from "../vocabulary/tools.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import type { RunState } from "./runState.ts";
import { normalizeResult } from "./toolResult.ts";

/** A running call's context, and what ends it. */
export interface OpenToolCall {
  context: ToolContext;
  /** The sub-agents of the call, as they are now. */
  snapshots(): AgentSnapshot[];
  /** The context is dead from here on; resolves once the call's sub-agents have ended. */
  settle(): Promise<void>;
}

/** Opens the context of one tool call. Nothing of it does anything once the call has settled. */
export function openCall(
  state: RunState,
  call: ToolCall,
  tools: readonly AgentTool[],
  abort: InnerAbort,
): OpenToolCall {
  const { node, scope } = state;
  const { id: callId, name: toolName } = call;
  let settled = false;
  const subAgents = state.openSubAgents(state, { call, tools, abort });
  const context: ToolContext = {
    get signal() {
      return abort.signal;
    },
    callId,
    agent: node.meta,
    depth: node.meta.depth,
    subAgents: subAgents.creator,
    scope,
    get tools() {
      return [...tools];
    },
    update(partial) {
      if (settled) return;
      node.emit({ type: "tool_execution_update", callId, toolName, partial: normalizeResult(partial) });
    },
    output(text) {
      if (settled || text === "") return;
      node.emit({ type: "tool_execution_update", callId, toolName, output: text });
    },
    reportUsage(usage) {
      if (settled) return;
      const delta = { ...emptyUsage(), ...usage };
      scope.charge(delta.cost);
      node.addUsage(delta, state.model, { isRequest: false });
    },
  };
  return {
    context,
    snapshots: subAgents.snapshots,
    async settle() {
      settled = true;
      const closed = subAgents.close();
      if (closed !== undefined) await closed;
    },
  };
}
