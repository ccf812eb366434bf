import {
  type AgentEvent,
  type AgentMessage,
  type AgentState,
  type AgentTool,
  estimateTokens,
  sinceCheckpoint,
  toolDefinition,
} from "../../agent/index.ts";
import type { ToolDefinition } from "../../agent/vocabulary/messages.ts";
import type { ContextBreakdown, HostEvent } from "../../protocol/hostEvents.ts";
import { isReadTool } from "../tools/index.ts";

export interface CompactionWatchDependencies {
  emit(event: HostEvent): void;
  /** Of an agent that lives. */
  stateOf(agentId: string): AgentState | undefined;
  /** How the context divides, made to sum up to `tokens`; as estimated without them. */
  breakDown(state: AgentState, tokens: number): ContextBreakdown;
}

/** Reports what becomes of an agent's context while and after it is summarized. */
export class CompactionWatch {
  readonly #dependencies: CompactionWatchDependencies;
  readonly #started = new Set<string>();
  /** Of each agent: the message that holds its latest summary. */
  readonly #summaries = new Map<string, string>();
  /** Agents whose requests were measured. */
  readonly #measured = new Set<string>();

  constructor(dependencies: CompactionWatchDependencies) {
    this.#dependencies = dependencies;
  }

  observe(event: AgentEvent): void {
    const agentId = event.agent.id;
    switch (event.type) {
      case "usage":
        if (event.contextTokens > 0) this.#measured.add(agentId);
        break;
      case "compaction_start":
        this.#start(agentId);
        break;
      case "message_end":
        if (event.message.role === "summary") this.#summaries.set(agentId, event.message.id);
        break;
      case "compaction_end":
        if (event.kind === "summary") this.#end(agentId, event.before);
        else this.#started.delete(agentId);
        break;
      case "agent_end":
        if (this.#started.delete(agentId)) this.#dependencies.emit({ type: "compaction_ended", agentId });
        this.#summaries.delete(agentId);
        break;
      default:
    }
  }

  /** What begins and ends at once, like the cutting of old results, is not worth a word. */
  #start(agentId: string): void {
    this.#started.add(agentId);
    queueMicrotask(() => {
      if (this.#started.has(agentId)) this.#dependencies.emit({ type: "compaction_started", agentId });
    });
  }

  #end(agentId: string, before: number): void {
    this.#started.delete(agentId);
    const { emit, stateOf, breakDown } = this.#dependencies;
    const messageId = this.#summaries.get(agentId);
    const state = stateOf(agentId);
    this.#summaries.delete(agentId);
    if (messageId === undefined || state === undefined) {
      emit({ type: "compaction_ended", agentId });
      return;
    }
    const measured = this.#measured.has(agentId) ? before : undefined;
    const sizes = sizesAround(state, messageId, { measured, breakDown });
    emit({ type: "compaction_ended", agentId, result: { messageId, ...sizes } });
    emit({ type: "context_measured", agentId, context: { ...breakDown(state, sizes.after), isAhead: true } });
  }
}

/** What was measured before is real, what comes after an estimate: it is scaled by how far the estimate was off before. */
function sizesAround(
  state: AgentState,
  messageId: string,
  { measured, breakDown }: { measured: number | undefined; breakDown: CompactionWatchDependencies["breakDown"] },
): { before: number; after: number } {
  const at = state.messages.findIndex((message) => message.id === messageId);
  const earlier = sinceCheckpoint(at < 0 ? state.messages : state.messages.slice(0, at));
  const { system, tools } = breakDown(state, 0);
  const estimatedBefore = system + tools + estimateTokens(earlier);
  const real = measured ?? estimatedBefore;
  const scale = estimatedBefore > 0 ? real / estimatedBefore : 1;
  const after = Math.round((system + tools + estimateTokens(sinceCheckpoint(state.messages))) * scale);
  return { before: real, after: Math.min(after, real) };
}

const charactersPerToken = 4;

/**
 * How an agent's context divides into categories. Each share is estimated from its length, then scaled so that the
 * sum is what the provider reported for the last request (`contextTokens`, 0 when it reported nothing).
 */
export function breakDownContext(state: AgentState, contextTokens: number): ContextBreakdown {
  const shares = {
    system: tokensOf(state.systemPrompt),
    tools: state.tools.reduce((sum, tool) => sum + tokensOfTool(tool), 0),
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
  return isReadTool(message.toolName) ? "files" : "toolResults";
}

/** A memo, not state: a definition stays as it is, and all of them are counted after each request. */
const toolTokens = new WeakMap<ToolDefinition, number>();

function tokensOfTool(tool: AgentTool): number {
  const definition = toolDefinition(tool);
  const tokens = toolTokens.get(definition) ?? tokensOf(JSON.stringify(definition));
  toolTokens.set(definition, tokens);
  return tokens;
}

function tokensOf(text: string): number {
  return Math.floor(text.length / charactersPerToken);
}
