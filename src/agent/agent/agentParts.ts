import { AgentNode } from "../loop/agentNode.ts";
import { EventSession } from "../loop/eventSession.ts";
import type { OpenSubAgents } from "../loop/runState.ts";
import { readSession, readSnapshot } from "../session/sessionReading.ts";
import { SessionWriter } from "../session/sessionWriter.ts";
import type { SessionStore } from "../session/store.ts";
import { delegationTools } from "../toolkits/delegation.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import type { Emit } from "../vocabulary/hooks.ts";
import type { AgentSnapshot } from "../vocabulary/pause.ts";
import { contextTokens } from "../vocabulary/usage.ts";
import { AgentHistory } from "./agentHistory.ts";
import type { AgentInfo, AgentOptions, TeamMembership } from "./agentOptions.ts";
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
  /** What the agent was when its run was cut off or paused. */
  readonly restored: AgentSnapshot | undefined;
}

/** Where an agent is: below a tool call, or at a given depth without one, with what its tree spent before. */
export type AgentOrigin =
  | (Lineage & { /** Of a parent that stores its sub-agents too. */ writer?: SessionWriter })
  | RootOrigin;

interface RootOrigin {
  depth: number;
  restored?: { snapshot: AgentSnapshot };
}

const defaultPrefix = "🤖";

export function createParts(
  id: string,
  options: AgentOptions,
  o: { origin: AgentOrigin; subAgents: SubAgentFactory },
): AgentInternals {
  const lineage = "node" in o.origin ? o.origin : undefined;
  const settings = new AgentSettings(options, {
    lineage,
    isDurable: "node" in o.origin && o.origin.writer !== undefined,
    delegation: (registry) => delegationTools({ agent: { id }, registry }),
  });
  const node = new AgentNode({
    meta: metaOf(id, settings, o.origin),
    session: lineage?.node.session ?? new EventSession(options.sessionId),
    parent: lineage?.node,
    usage: options.usage,
    total: o.origin.restored?.snapshot.total ?? options.totalUsage,
  });
  const restored = o.origin.restored?.snapshot;
  const history = new AgentHistory(options.messages);
  node.turnIndex = restored?.turnIndex ?? 0;
  node.noteCalls(history.messages);
  const { steeringMode = "one-at-a-time", followUpMode = "one-at-a-time" } = options;
  const queues = new MessageQueues({ steering: steeringMode, followUp: followUpMode });
  const warn = (message: string) => node.warn(message);
  const parent = "node" in o.origin && options.session === undefined ? o.origin.writer : undefined;
  const store = options.session ?? parent?.store;
  const children = Object.entries(restored?.children ?? {}).map(([callId, agents]) => [callId, agents.map(idOf)]);
  const session =
    store === undefined
      ? undefined
      : new SessionWriter({
          ...{ store, agentId: id, warn, parent },
          spending: () => node,
          children: Object.fromEntries(children),
          lastAnswer: history.messages.findLast(({ role }) => role === "assistant")?.id,
        });
  if (lineage !== undefined) parent?.addChild(lineage.callId, id);
  if (session !== undefined) node.observeUsage = () => session.saveUsage();
  node.observe = (event) => {
    history.apply(event);
    if (event.type === "message_end") session?.append(event.message);
  };
  const owner = lineage?.owner ?? options.owner;
  const openSubAgents = subAgentOpener(o.subAgents);
  return { id, openSubAgents, node, history, settings, queues, lineage, session, owner, restored };
}

function idOf({ agentId }: AgentSnapshot): string {
  return agentId;
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
): Promise<[AgentOptions, RootOrigin]> {
  const id = options.id ?? (await options.session.list())[0]?.agentId;
  if (id === undefined) return [options, { depth: 0 }];
  if (options.durable === true) return restoredAgent(options, await readSnapshot(options.session, id));
  const { messages, usage, total } = await readSession(options.session, id);
  const spending = { ...(usage && { usage }), ...(total && { totalUsage: total }) };
  return [{ ...options, id, messages, ...spending }, { depth: 0 }];
}

/** What makes an agent that goes on with what was open when it was cut off or paused. */
export function restoredAgent(options: AgentOptions, snapshot: AgentSnapshot): [AgentOptions, RootOrigin] {
  const { agentId: id, messages, usage } = snapshot;
  return [
    { ...options, id, messages, usage },
    { depth: 0, restored: { snapshot } },
  ];
}
