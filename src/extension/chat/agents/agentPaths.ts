import type { AgentEvent } from "../../../agent/index.ts";

/** Remembers who spawned whom, so that an agent can be named by its path in the tree. */
export class AgentPaths {
  readonly #agents = new Map<string, { name: string; parentId?: string; callId?: string }>();

  observe({ agent }: AgentEvent): void {
    if (this.#agents.has(agent.id)) return;
    const { id, name = "agent", parentId, toolCallId: callId } = agent;
    this.#agents.set(id, {
      name,
      ...(parentId !== undefined && { parentId }),
      ...(callId !== undefined && { callId }),
    });
  }

  /** Names from the root agent down, like ["main", "edit"]; empty for an agent that never ran. */
  of(agentId: string): string[] {
    return this.lineage(agentId).flatMap((id) => this.#agents.get(id)?.name ?? []);
  }

  /** The root agent's tool call that an agent works for; undefined for the root agent itself. */
  rootCall(agentId: string): string | undefined {
    const [, first] = this.lineage(agentId);
    return first === undefined ? undefined : this.#agents.get(first)?.callId;
  }

  /** Ids from the root agent down; empty for an agent that never ran. */
  lineage(agentId: string): string[] {
    const lineage: string[] = [];
    // A chat that was imported may say that an agent spawned itself.
    for (let id: string | undefined = agentId; id !== undefined && this.#agents.has(id) && !lineage.includes(id); ) {
      lineage.unshift(id);
      id = this.#agents.get(id)?.parentId;
    }
    return lineage;
  }

  /** Two agents of one tree of which neither works for the other. */
  areBeside(agentId: string, otherId: string): boolean {
    const [own, other] = [this.lineage(agentId), this.lineage(otherId)];
    return own[0] !== undefined && own[0] === other[0] && !own.includes(otherId) && !other.includes(agentId);
  }
}
