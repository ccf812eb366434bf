import type { AgentOptions } from "../agent/agent.ts";
import { inheritanceOf } from "../agent/lineage.ts";
import type { AgentCreator } from "../agent/subagents.ts";
import { createOwnerScope, type OwnerScope } from "../delegation/ownership.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { ToolCall } from "../vocabulary/messages.ts";
import type { AgentTool, ToolContext } from "../vocabulary/tools.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import type { RunState } from "./runState.ts";
import { normalizeResult } from "./toolResult.ts";

/** A running call's context, and what ends it. */
export interface OpenCall {
  context: ToolContext;
  /** The context is dead from here on; resolves once the call's sub-agents have ended. */
  settle(): Promise<void>;
}

/** Opens the context of one tool call. Nothing of it does anything once the call has settled. */
export function openCall(state: RunState, call: ToolCall, tools: readonly AgentTool[], signal: AbortSignal): OpenCall {
  const { node, scope } = state;
  const { id: callId, name: toolName } = call;
  let settled = false;
  let owner: OwnerScope | undefined;
  const created: string[] = [];

  const subAgents: AgentCreator = {
    create(options: Partial<AgentOptions>) {
      if (settled) {
        throw new AgentError(
          "scope_closed",
          `The call of "${toolName}" has ended; sub-agents are created while it runs.`,
        );
      }
      owner ??= createOwnerScope(signal);
      const inheritance = inheritanceOf(state);
      const lineage = { node, agent: state.agent, callId, tools, owner, scope, inheritance };
      const agent = node.createAgent(options, lineage);
      created.push(agent.id);
      return agent;
    },
  };
  const context: ToolContext = {
    signal,
    callId,
    agent: node.meta,
    depth: node.meta.depth,
    subAgents,
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
    async settle() {
      settled = true;
      if (owner === undefined) return;
      await owner.close(new AgentError("scope_closed", `The call of "${toolName}" that owned this agent has ended.`));
      for (const id of created) node.children.delete(id);
    },
  };
}
