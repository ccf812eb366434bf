import {
  type AgentMessage,
  type AgentState,
  estimateTokens,
  sinceCheckpoint,
  toolDefinition,
} from "../../agent/index.ts";
import type { ContextBreakdown } from "../../protocol/hostEvents.ts";

/** Tools whose results are the contents of files. */
const fileReadingTools = new Set(["read_file"]);
const charactersPerToken = 4;

/**
 * How an agent's context divides into categories. Each share is estimated from its length, then scaled so that the
 * sum is what the provider reported for the last request (`contextTokens`, 0 when it reported nothing).
 */
export function breakDownContext(state: AgentState, contextTokens: number): ContextBreakdown {
  const shares = {
    system: tokensOf(state.systemPrompt),
    tools: state.tools.reduce((sum, tool) => sum + tokensOf(JSON.stringify(toolDefinition(tool))), 0),
    messages: 0,
    files: 0,
    toolResults: 0,
  };
  for (const message of sinceCheckpoint(state.messages)) shares[categoryOf(message)] += estimateTokens([message]);
  const estimated = Object.values(shares).reduce((sum, share) => sum + share, 0);
  const scale = contextTokens > 0 && estimated > 0 ? contextTokens / estimated : 1;
  const { contextWindow, maxOutput } = state.model;
  return {
    system: Math.round(shares.system * scale),
    tools: Math.round(shares.tools * scale),
    messages: Math.round(shares.messages * scale),
    files: Math.round(shares.files * scale),
    toolResults: Math.round(shares.toolResults * scale),
    reserved: maxOutput ?? 0,
    ...(contextWindow !== undefined && { window: contextWindow }),
  };
}

function categoryOf(message: AgentMessage): "messages" | "files" | "toolResults" {
  if (message.role !== "toolResult") return "messages";
  return fileReadingTools.has(message.toolName) ? "files" : "toolResults";
}

function tokensOf(text: string): number {
  return Math.floor(text.length / charactersPerToken);
}
