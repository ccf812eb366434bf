import { AgentNode } from "../loop/agentNode.ts";
import { EventSession } from "../loop/eventSession.ts";
import type { OpenSubAgents, RunState } from "../loop/runState.ts";
import { readSession, SessionWriter } from "../session/sessionWriter.ts";
import type { SessionStore } from "../session/store.ts";
import { delegationTools } from "../toolkits/delegation.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import type { Emit } from "../vocabulary/hooks.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { contextTokens, type Usage } from "../vocabulary/usage.ts";
import { AgentHistory } from "./agentHistory.ts";
import type { AgentInfo, AgentOptions, AgentState, TeamMembership } from "./agentOptions.ts";
import { AgentSettings } from "./agentSettings.ts";
import { MessageQueues } from "./queues.ts";
import { type Lineage, type OwnerScope, type SubAgentFactory, subAgentOpener } from "./subAgents.ts";

/** Everything one agent is made of. */
export interface AgentInternals {
  readonly id: string;
  readonly openSubAgents: OpenSubAgents;
  readonly node: AgentNode;
  readonly history: AgentHistory;
  readonly settings: AgentSettings;
  readonly queues: MessageQueues;
  readonly owner: OwnerScope | undefined;
  readonly lineage: Lineage | undefined;
  readonly session: SessionWriter | undefined;
}

/** Where an agent is: below a tool call, or at a given depth by itself, with what its tree spent before. */
export type AgentOrigin = Lineage | { depth: number; total?: Usage };

const defaultPrefix = "🤖";

export function createParts(
  id: string,
  options: AgentOptions,
  o: { origin: AgentOrigin; subAgents: SubAgentFactory },
): AgentInternals {
  const lineage = "node" in o.origin ? o.origin : undefined;
  const settings = new AgentSettings(options, {
    lineage,
    delegation: (registry) => delegationTools({ agent: { id }, registry }),
  });
  const node = new AgentNode({
    meta: metaOf(id, settings, o.origin),
    session: lineage?.node.session ?? new EventSession(options.sessionId),
    parent: lineage?.node,
    usage: options.usage,
    total: "node" in o.origin ? undefined : o.origin.total,
  });
  const history = new AgentHistory(options.messages);
  const { steeringMode = "one-at-a-time", followUpMode = "one-at-a-time" } = options;
  const queues = new MessageQueues({ steering: steeringMode, followUp: followUpMode });
  const warn = (message: string) => node.emit({ type: "warning", message });
  const session = options.session === undefined ? undefined : new SessionWriter(options.session, id, warn);
  node.observe = (event) => {
    history.apply(event);
    if (event.type === "message_end") session?.append(event.message);
  };
  const owner = lineage?.owner ?? options.owner;
  const openSubAgents = subAgentOpener(o.subAgents);
  return { id, openSubAgents, node, history, settings, queues, lineage, session, owner };
}

/** Makes an agent one of a team's. Returns how the team emits events of the agent. */
export function joinSession(
  { node, settings }: AgentInternals,
  session: EventSession,
  membership: TeamMembership,
): Emit {
  node.session = session;
  settings.whenBusy = membership.whenBusy;
  settings.resumesQueued = membership.resumeQueuedAfterAbort;
  return (event) => node.emit(event);
}

function metaOf(id: string, settings: AgentSettings, origin: AgentOrigin): AgentMeta {
  const { name, label, prefix = defaultPrefix } = settings.options;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    prefix,
    ...("node" in origin
      ? { depth: origin.node.meta.depth + 1, parentId: origin.node.meta.id, toolCallId: origin.callId }
      : { depth: origin.depth }),
    ...(label === undefined ? {} : { label }),
    model: settings.model.id,
  };
}

/** A copy of what an agent is doing; during a run, with what the run uses. */
export function agentState({ node, history, settings }: AgentInternals, run: RunState | undefined): AgentState {
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

export function agentTurns({ history, settings }: AgentInternals): ({ role: "system"; text: string } | AgentMessage)[] {
  const shown = history.messages.filter(
    (message) => message.role !== "assistant" || (message.stopReason !== "error" && message.stopReason !== "aborted"),
  );
  return [{ role: "system", text: settings.systemPrompt }, ...shown];
}

type AgentFields = Pick<AgentInfo, "id" | "role" | "status" | "usage">;

export function agentInfo(agent: AgentFields, { node, settings }: AgentInternals): AgentInfo {
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
export function contextUsage({ node, settings }: AgentInternals): { used: number; total: number | undefined } {
  const used = node.lastUsage === undefined ? 0 : contextTokens(node.lastUsage);
  return { used, total: settings.model.contextWindow };
}

/** What makes an agent that goes on where a session stopped. Without an id, it is the one that wrote to it first. */
export async function resumedAgent(
  options: AgentOptions & { session: SessionStore },
): Promise<[AgentOptions, { depth: number; total?: Usage }]> {
  const id = options.id ?? (await options.session.list())[0]?.agentId;
  if (id === undefined) return [options, { depth: 0 }];
  const { messages, usage, total } = await readSession(options.session, id);
  const resumed = { ...options, id, messages, ...(usage === undefined ? {} : { usage }) };
  return [resumed, { depth: 0, ...(total === undefined ? {} : { total }) }];
}
