import type { Agent } from "../agent/agent.ts";
import { AgentError } from "../vocabulary/errors.ts";
import { linkAbort } from "../vocabulary/signals.ts";

/** Who owns an agent's life: a tool call or a team. Closing aborts its agents, waits for them, then refuses their use. */
export interface OwnerScope {
  readonly signal: AbortSignal;
  readonly closed: boolean;
  adopt(agent: Agent): void;
  close(reason?: unknown): Promise<void>;
}

/** An owner scope that also ends with `parent`. */
export function createOwnerScope(parent?: AbortSignal): OwnerScope {
  const controller = new AbortController();
  const unlink = linkAbort(parent, controller);
  const agents = new Set<Agent>();
  let closing: Promise<void> | undefined;

  const close = async (reason: unknown) => {
    unlink();
    controller.abort(reason ?? new AgentError("scope_closed", "The owner of this agent has closed."));
    await Promise.all([...agents].map((agent) => agent.waitForIdle()));
    agents.clear();
  };
  return {
    signal: controller.signal,
    get closed() {
      return closing !== undefined || controller.signal.aborted;
    },
    adopt(agent) {
      if (closing !== undefined) throw new AgentError("scope_closed", "A closed owner takes no agents in.");
      agents.add(agent);
    },
    close(reason) {
      closing ??= close(reason);
      return closing;
    },
  };
}
