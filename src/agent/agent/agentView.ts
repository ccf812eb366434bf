import type { RunState } from "../loop/runState.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { contextTokens } from "../vocabulary/usage.ts";
import type { Agent } from "./agent.ts";
import type { AgentInfo, AgentState } from "./agentOptions.ts";
import type { AgentParts } from "./agentParts.ts";

/** A copy of what an agent is doing; during a run, with what the run uses. */
export function agentState({ node, history, settings }: AgentParts, run: RunState | undefined): AgentState {
  const streamingMessage = run?.streamed?.message;
  const { errorMessage } = history;
  return {
    systemPrompt: settings.systemPrompt,
    model: settings.model,
    thinkingLevel: settings.thinkingLevel,
    tools: settings.tools,
    messages: [...history.messages],
    isStreaming: run !== undefined,
    ...(streamingMessage === undefined ? {} : { streamingMessage }),
    pendingToolCalls: history.pendingToolCalls,
    ...(errorMessage === undefined ? {} : { errorMessage }),
    turnIndex: node.turnIndex,
    checkpoints: history.checkpoints,
  };
}

export function agentTurns({ history, settings }: AgentParts): ({ role: "system"; text: string } | AgentMessage)[] {
  const shown = history.messages.filter(
    (message) => message.role !== "assistant" || (message.stopReason !== "error" && message.stopReason !== "aborted"),
  );
  return [{ role: "system", text: settings.systemPrompt }, ...shown];
}

export function agentInfo(agent: Agent, { node, settings }: AgentParts): AgentInfo {
  const { name, description, type } = settings.options;
  return {
    id: agent.id,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(type === undefined ? {} : { type }),
    role: agent.role,
    status: agent.status,
    turnIndex: node.turnIndex,
    usage: agent.usage,
    cost: node.total.cost,
    model: settings.model.id,
  };
}

/** Tokens of the latest request, and of the model's window. */
export function contextUsage({ node, settings }: AgentParts): { used: number; total: number | undefined } {
  const used = node.lastUsage === undefined ? 0 : contextTokens(node.lastUsage);
  return { used, total: settings.model.contextWindow };
}
