import type { AgentEvent } from "../../agent/index.ts";

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
    const path: string[] = [];
    for (let agent = this.#agents.get(agentId); agent !== undefined; ) {
      path.unshift(agent.name);
      agent = agent.parentId === undefined ? undefined : this.#agents.get(agent.parentId);
    }
    return path;
  }
}
