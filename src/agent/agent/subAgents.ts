import type { AgentNode } from "../loop/agentNode.ts";
import type { OpenSubAgents, RunState } from "../loop/runState.ts";
import type { LoopConfig } from "../loop/runTypes.ts";
import { linkAbort } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { LoopHooks, MissingToolHook } from "../vocabulary/hooks.ts";
import type { Model, StreamFn } from "../vocabulary/model.ts";
import type { AgentSnapshot, ApprovalAnswers } from "../vocabulary/pause.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";
import type { AgentTool, SubAgent, SubAgentOptions } from "../vocabulary/tools.ts";

/** What a child takes from its maker, where it brings none of its own. */
interface Inheritance {
  model: Model;
  streamFn: StreamFn;
  policies: Pick<
    LoopConfig,
    "streamOptions" | "abortGraceMs" | "toolTimeoutMs" | "turnRetries" | "clock" | "thinkingLevel" | "externalTurn"
  >;
  /** Asked besides the child's own: a child never may more than its ancestors. */
  beforeToolCall: NonNullable<LoopHooks["beforeToolCall"]>[];
  /** Asked after the child's own, nearest first. */
  missingTool: readonly MissingToolHook[];
  getApiKey: LoopHooks["getApiKey"];
}

/** Where a sub-agent comes from. */
export interface Lineage {
  node: AgentNode;
  callId: string;
  tools: readonly AgentTool[];
  owner: OwnerScope;
  scope: ExecutionScope;
  inheritance: Inheritance;
  /** What the agent was when its run was cut off or paused, and the answers it waited for. */
  restored?: { snapshot: AgentSnapshot; answers: ApprovalAnswers };
}

/** What sub-agents take from a run. */
function inheritanceOf(state: RunState): Inheritance {
  const { config, hooks, model, thinkingLevel, ancestorHooks, missingTool } = state;
  const { streamFn, streamOptions, abortGraceMs, toolTimeoutMs, turnRetries, clock, externalTurn } = config;
  const own = hooks.beforeToolCall?.bind(hooks);
  return {
    model,
    streamFn,
    policies: {
      thinkingLevel,
      ...(streamOptions === undefined ? {} : { streamOptions }),
      ...(abortGraceMs === undefined ? {} : { abortGraceMs }),
      ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
      ...(turnRetries === undefined ? {} : { turnRetries }),
      ...(clock === undefined ? {} : { clock }),
      // It goes with the model.
      ...(externalTurn === undefined ? {} : { externalTurn }),
    },
    beforeToolCall: own === undefined ? ancestorHooks : [own, ...ancestorHooks],
    missingTool,
    getApiKey: hooks.getApiKey?.bind(hooks),
  };
}

/** What makes the sub-agents of one agent. */
export interface SubAgentFactory {
  create(options: SubAgentOptions, lineage: Lineage): SubAgent;
  snapshot(agent: SubAgent): AgentSnapshot;
  /** The sub-agent has ended with the call that created it. */
  remove(id: string): void;
}

/** Opens the sub-agents of a call: they are owned by it, and end with it. */
export function subAgentOpener(factory: SubAgentFactory): OpenSubAgents {
  return (state, { call, tools, abort }) => {
    const created: SubAgent[] = [];
    // A call that is run again creates its sub-agents in the same order; some may not be known any more.
    const earlier = [...(state.open?.children[call.id] ?? [])];
    let isClosed = false;
    let owner: OwnerScope | undefined;
    return {
      creator: {
        create(options, earlierId) {
          if (isClosed) {
            const message = `The call of "${call.name}" has ended; sub-agents are created while it runs.`;
            throw new AgentError("scope_closed", message);
          }
          owner ??= createOwnerScope(abort.signal);
          const { node, scope } = state;
          const lineage: Lineage = { node, callId: call.id, tools, owner, scope, inheritance: inheritanceOf(state) };
          const at = earlier.findIndex((each) => isFor(each, options) && each.agentId === (earlierId ?? each.agentId));
          const [snapshot] = at < 0 ? [] : earlier.splice(at, 1);
          if (snapshot !== undefined) lineage.restored = { snapshot, answers: state.open?.answers ?? {} };
          const agent = factory.create(options, lineage);
          created.push(agent);
          return agent;
        },
      },
      snapshots: () => created.map(factory.snapshot),
      close() {
        isClosed = true;
        const reason = `The call of "${call.name}" that owned this agent has ended.`;
        return owner?.close(new AgentError("scope_closed", reason)).then(() => {
          for (const { id } of created) factory.remove(id);
        });
      },
    };
  };
}

function isFor({ name, label }: AgentSnapshot, options: SubAgentOptions): boolean {
  return (name === undefined || name === options.name) && (label === undefined || label === options.label);
}

/** What an owner has to know of an agent. */
interface OwnedAgent {
  waitForIdle(): Promise<void>;
}

/** Who owns an agent's life: a tool call or a team. Closing aborts its agents, waits for them, then refuses their use. */
export interface OwnerScope {
  readonly signal: AbortSignal;
  readonly closed: boolean;
  adopt(agent: OwnedAgent): void;
  close(reason?: unknown): Promise<void>;
}

/** An owner scope that also ends with `parent`. */
export function createOwnerScope(parent?: AbortSignal): OwnerScope {
  const controller = new AbortController();
  const unlink = linkAbort(parent, controller);
  const agents = new Set<OwnedAgent>();
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
