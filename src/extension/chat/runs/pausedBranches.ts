import type { AgentEvent } from "../../../agent/index.ts";
import type { Effect } from "../../../agent/vocabulary/hooks.ts";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import { unlessAborted } from "../../common/abort.ts";

interface PausedBranchesOptions {
  chat: { readonly log: { readonly host: HostState }; emit(event: HostEvent): void };
  /** Ids of the agent and of all above it; empty for an agent that never ran. */
  ancestry(agentId: string): readonly string[];
  /** Stops the clock of the run's budgets; what is returned lets it go on. */
  stopClock(): () => void;
}

/** The branches of a chat's tree that the user has paused: their tools finish, and no request follows. */
export class PausedBranches {
  readonly #options: PausedBranchesOptions;
  /** Called when a branch goes on. */
  readonly #waiting = new Set<() => void>();
  #startClock: (() => void) | undefined;

  constructor(options: PausedBranchesOptions) {
    this.#options = options;
  }

  get #paused(): readonly string[] {
    return this.#options.chat.log.host.pausedBranches;
  }

  /** Asks an agent and all below it to wait before their next requests. */
  pause(agentId: string): void {
    if (!this.#paused.includes(agentId)) this.#set([...this.#paused, agentId]);
  }

  /** What is paused above or below the agent stays so. */
  resume(agentId: string): void {
    if (this.#paused.includes(agentId)) this.#set(this.#paused.filter((id) => id !== agentId));
  }

  observe(event: AgentEvent): void {
    if (event.type === "agent_end") this.resume(event.agent.id);
    // What an earlier run left paused has ended with it.
    const isNewRun = event.type === "agent_start" && event.agent.depth === 0 && event.resumes !== true;
    if (isNewRun && this.#paused.length > 0) this.#set([]);
    // Paused before the editor was closed.
    if (event.type === "agent_start" && event.agent.depth === 0) this.#followClock();
  }

  /** To be asked before the budgets are: who waits has not made its request. */
  readonly effect: Effect = {
    name: "pause",
    before: async ({ agent, signal }) => {
      while (this.#options.ancestry(agent.id).some((id) => this.#paused.includes(id))) {
        let goOn = () => {};
        const changed = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        this.#waiting.add(goOn);
        try {
          await unlessAborted(changed, signal);
        } finally {
          this.#waiting.delete(goOn);
        }
      }
    },
  };

  #set(agentIds: readonly string[]): void {
    this.#options.chat.emit({ type: "branches_paused", agentIds: [...agentIds] });
    this.#followClock();
    for (const goOn of this.#waiting) goOn();
  }

  /** As long as the whole run waits, its minutes don't count. */
  #followClock(): void {
    const isRootPaused = this.#paused.some((id) => this.#options.ancestry(id).length === 1);
    if (isRootPaused) this.#startClock ??= this.#options.stopClock();
    else {
      this.#startClock?.();
      this.#startClock = undefined;
    }
  }
}
