import type { OwnerScope } from "../delegation/ownership.ts";
import { AgentNode } from "../loop/agentNode.ts";
import { EventSession } from "../loop/eventSession.ts";
import { SessionWriter } from "../session/sessionWriter.ts";
import { delegationTools } from "../toolkits/delegation.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import type { Emit } from "../vocabulary/hooks.ts";
import type { Usage } from "../vocabulary/usage.ts";
import type { Agent } from "./agent.ts";
import { AgentHistory } from "./agentHistory.ts";
import type { AgentOptions, TeamMembership } from "./agentOptions.ts";
import { AgentSettings } from "./agentSettings.ts";
import type { Lineage } from "./lineage.ts";
import { MessageQueues } from "./queues.ts";

/** Everything one agent is made of. */
export interface AgentParts {
  readonly agent: Agent;
  readonly node: AgentNode;
  readonly history: AgentHistory;
  readonly settings: AgentSettings;
  readonly queues: MessageQueues;
  readonly owner: OwnerScope | undefined;
  readonly lineage: Lineage | undefined;
  readonly session: SessionWriter | undefined;
}

/** Where an agent stands: below a tool call, or at a given depth by itself, with what its tree spent before. */
export type Place = Lineage | { depth: number; total?: Usage };

const defaultPrefix = "🤖";

export function createParts(
  agent: Agent,
  options: AgentOptions,
  o: { place: Place; createAgent: AgentNode["createAgent"] },
): AgentParts {
  const lineage = "node" in o.place ? o.place : undefined;
  const settings = new AgentSettings(options, {
    lineage,
    delegation: (registry) => delegationTools({ agent, registry }),
  });
  const node = new AgentNode({
    meta: metaOf(agent.id, settings, o.place),
    session: lineage?.node.session ?? new EventSession(options.sessionId),
    parent: lineage?.node,
    usage: options.usage,
    total: "node" in o.place ? undefined : o.place.total,
    createAgent: o.createAgent,
  });
  const history = new AgentHistory(options.messages);
  const { steeringMode = "one-at-a-time", followUpMode = "one-at-a-time" } = options;
  const queues = new MessageQueues({ steering: steeringMode, followUp: followUpMode });
  const warn = (message: string) => node.emit({ type: "warning", message });
  const session = options.session === undefined ? undefined : new SessionWriter(options.session, agent.id, warn);
  node.observe = (event) => {
    history.apply(event);
    if (event.type === "message_end") session?.append(event.message);
  };
  return { agent, node, history, settings, queues, lineage, session, owner: lineage?.owner ?? options.owner };
}

/** Makes an agent one of a team's. Returns how the team speaks in its name. */
export function joinSession({ node, settings }: AgentParts, session: EventSession, membership: TeamMembership): Emit {
  node.session = session;
  settings.whenBusy = membership.whenBusy;
  settings.resumesQueued = membership.resumeQueuedAfterAbort;
  return (event) => node.emit(event);
}

function metaOf(id: string, settings: AgentSettings, place: Place): AgentMeta {
  const { name, label, prefix = defaultPrefix } = settings.options;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    prefix,
    ...("node" in place
      ? { depth: place.node.meta.depth + 1, parentId: place.node.meta.id, toolCallId: place.callId }
      : { depth: place.depth }),
    ...(label === undefined ? {} : { label }),
    model: settings.model.id,
  };
}
