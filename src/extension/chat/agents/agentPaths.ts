import type { AgentEvent } from "../../../agent/index.ts";

/** Remembers who spawned whom, so that an agent can be named by its path in the tree. */
export class AgentPaths {
  readonly #agents = new Map<string, { name: string; parentId?: string }>();

  observe({ agent }: AgentEvent): void {
    if (this.#agents.has(agent.id)) return;
    const { id, name = "agent", parentId } = agent;
    this.#agents.set(id, { name, ...(parentId !== undefined && { parentId }) });
  }

  /** Names from the root agent down, like ["main", "edit"]; empty for an agent that never ran. */
  of(agentId: string): string[] {
    return this.lineage(agentId).flatMap((id) => this.#agents.get(id)?.name ?? []);
  }

  /** Ids from the root agent down; empty for an agent that never ran. */
  lineage(agentId: string): string[] {
    const lineage: string[] = [];
    for (let id: string | undefined = agentId; id !== undefined && this.#agents.has(id); ) {
      lineage.unshift(id);
      id = this.#agents.get(id)?.parentId;
    }
    return lineage;
  }
}
