import type { RunState } from "../loop/runState.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import { type AgentMessage, estimateTokens } from "../vocabulary/messages.ts";
import { sinceCheckpoint } from "../vocabulary/projection.ts";
import { contextPercent, type Usage } from "../vocabulary/usage.ts";
import type { AgentInfo, AgentState, AgentStatus } from "./agentOptions.ts";
import { type AgentInternals, agentInfo, contextUsage } from "./agentParts.ts";

/** What can be read of an agent. All of it is a copy, or can't be changed. */
export abstract class AgentView {
  readonly id: string;
  /** "orchestrator" for an agent that can spawn others from the start. */
  readonly role: "orchestrator" | "worker";
  readonly #parts: AgentInternals;
  readonly #running: () => RunState | undefined;

  constructor(parts: AgentInternals, running: () => RunState | undefined) {
    this.id = parts.id;
    this.#parts = parts;
    this.#running = running;
    const isLeader = parts.settings.tools.some((tool) => tool.name === "spawn_agent");
    this.role = isLeader ? "orchestrator" : "worker";
  }

  /** One for the whole tree: sub-agents have their root's. */
  get sessionId(): string {
    return this.#parts.node.session.id;
  }

  /** Who it is in its events. */
  get meta(): AgentMeta {
    return { ...this.#parts.node.meta };
  }

  /** A copy, as things are now. */
  get state(): AgentState {
    return agentState(this.#parts, this.#running());
  }

  /** What the model was and will be shown: the system prompt, then the messages without failed answers. */
  turns(): readonly ({ role: "system"; text: string } | AgentMessage)[] {
    return agentTurns(this.#parts);
  }

  /** The whole transcript. */
  get messages(): readonly AgentMessage[] {
    return [...this.#parts.history.messages];
  }

  /** "idle" between runs. */
  get status(): AgentStatus {
    return this.#running()?.phase ?? "idle";
  }

  /** Spent by this agent and all its descendants. */
  get usage(): Usage {
    return { ...this.#parts.node.total };
  }

  /** Spent by this agent alone. */
  get ownUsage(): Usage {
    return { ...this.#parts.node.own };
  }

  /** How full the window was at the latest request, 0..100; 0 when unknown. */
  contextPercent(): number {
    const { node, settings } = this.#parts;
    return contextPercent(node.lastUsage, settings.model);
  }

  /** Tokens that the latest request showed the model, and those of its window; `total` is undefined when unknown. */
  contextUsage(): { used: number; total: number | undefined } {
    return contextUsage(this.#parts);
  }

  /** A rough size of the messages the next request shows, in tokens. */
  estimateTokens(): number {
    return estimateTokens(sinceCheckpoint(this.#parts.history.messages));
  }

  /** Its description for others: who it is, what it does and what it has spent. */
  info(): AgentInfo {
    return agentInfo(this, this.#parts);
  }
}

/** A copy of what an agent is doing; during a run, with what the run uses. */
function agentState({ node, history, settings }: AgentInternals, run: RunState | undefined): AgentState {
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

function agentTurns({ history, settings }: AgentInternals): ({ role: "system"; text: string } | AgentMessage)[] {
  const shown = history.messages.filter(
    (message) => message.role !== "assistant" || (message.stopReason !== "error" && message.stopReason !== "aborted"),
  );
  return [{ role: "system", text: settings.systemPrompt }, ...shown];
}
