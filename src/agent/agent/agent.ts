// Longer than other files: all that can be done with an agent is in this one class, and each method hands on to a module.
import type * as z from "zod";
import type { Skill } from "../context/skills.ts";
import { type AsToolOptions, asTool, type defaultToolInput } from "../delegation/runChild.ts";
import type { EventSession } from "../loop/eventSession.ts";
import type { QueueName } from "../loop/runState.ts";
import { type RunOptions, type RunResult, succeeded } from "../loop/runTypes.ts";
import { isInToolOf } from "../loop/toolScope.ts";
import type { SessionStore } from "../session/store.ts";
import type { AgentDirectory } from "../toolkits/delegation.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentEvent } from "../vocabulary/events.ts";
import type { Effect, Emit } from "../vocabulary/hooks.ts";
import type { AssistantMessage } from "../vocabulary/messages.ts";
import type { Model, ThinkingLevel } from "../vocabulary/model.ts";
import { type AgentSnapshot, type ApprovalAnswers, PausedError, type PausedState } from "../vocabulary/pause.ts";
import type { AgentTool, Toolbox } from "../vocabulary/tools.ts";
import {
  type AgentOptions,
  type ContinueOptions,
  type Input,
  type QueueHandle,
  type TeamMembership,
  toMessages,
} from "./agentOptions.ts";
import {
  type AgentInternals,
  type AgentOrigin,
  createParts,
  joinSession,
  restoredAgent,
  resumedAgent,
} from "./agentParts.ts";
import { AgentRuns } from "./agentRuns.ts";
import { type AgentStream, RunStream } from "./agentStream.ts";
import { AgentView } from "./agentView.ts";
import { createOwnerScope } from "./subAgents.ts";
import { TranscriptChanges } from "./transcriptChanges.ts";
import type { OutputResult } from "./typedOutput.ts";

declare module "../vocabulary/tools.ts" {
  interface AgentCreator {
    /** `earlierId`: the only agent of a call that was cut off as which this one may go on. Default: any of its name and label. */
    create(options: Partial<Omit<AgentOptions, "owner">>, earlierId?: string): Agent;
  }
}

/** Handed to the constructor beside its options, which are all that applications see. */
const origins = new WeakMap<AgentOptions, Origin>();
let internals: Internals;

/**
 * An agent: a transcript, its settings and its queues around the one loop. Sub-agents are agents too, created through
 * a tool's context; their events arrive here as well, and what they spend is counted here.
 */
export class Agent extends AgentView {
  readonly parent?: Agent;
  readonly #parts: AgentInternals;
  readonly #runs: AgentRuns;
  readonly #changes: TranscriptChanges;
  /** Sub-agents of running calls, by id, and those that were reopened. */
  readonly #children = new Map<string, Agent>();
  /** Sub-agents whose calls have ended, the latest last. */
  readonly #ended = new Map<string, Agent>();
  #stopReloading = () => {};
  #onDispose = () => {};

  constructor(options: AgentOptions) {
    const origin: Origin = origins.get(options) ?? { depth: 0 };
    // Its sub-agents are created long after the agent itself.
    const self: { parent?: Agent } = {};
    const parts = createParts(options.id ?? crypto.randomUUID(), options, {
      origin,
      subAgents: {
        create(child, lineage) {
          const { session, settings } = parts;
          const writer = settings.isDurable && session !== undefined ? { writer: session } : {};
          return createAgent(child, { ...lineage, ...writer, ...self });
        },
        snapshot: snapshotOf,
        remove(id) {
          if (self.parent !== undefined) self.parent.#retire(id);
        },
      },
    });
    const runs = new AgentRuns(parts);
    super(parts, () => runs.state);
    self.parent = this;
    this.#parts = parts;
    this.#runs = runs;
    this.#changes = new TranscriptChanges(parts, runs);
    const { node, owner } = parts;
    if (origin.parent !== undefined) this.parent = origin.parent;
    if (options.session !== undefined) this.#stopReloading = node.session.onReload(() => this.#changes.reload());
    owner?.adopt(this);
    if (this.parent !== undefined) this.parent.#children.set(this.id, this);
  }

  /**
   * An agent with the messages and usage of a session, or of a run that paused. Without an id, it is the one the session
   * began with.
   */
  static async resume(options: AgentOptions & ({ session: SessionStore } | { state: PausedState })): Promise<Agent> {
    if (!("state" in options)) return createAgent(...(await resumedAgent(options)));
    const { state, ...rest } = options;
    return createAgent(...restoredAgent(rest, state));
  }

  /** Sends a message. Never throws: a refusal is a stream of one `agent_end`. */
  send<S extends z.ZodType>(input: Input, options: RunOptions & { output: S }): AgentStream<z.infer<S>>;
  send(input: Input, options?: RunOptions): AgentStream;
  send(input: Input, options: RunOptions = {}): AgentStream {
    const stream = new RunStream(this.id, options.output);
    void this.#runs.send(input, options, stream);
    return stream;
  }

  /** Sends and waits for the end of the run. Rejects with an `AgentError` when it failed, was aborted or refused. */
  prompt(input: Input, options: RunOptions = {}): Promise<RunResult> {
    const sent = this.#runs.send(input, options).then((result) => this.#succeeded(result));
    // A tool of this agent that does not wait for it, as it should not, need not handle that it can't.
    if (isInToolOf(this.#parts.node)) sent.catch(() => {});
    return sent;
  }

  /**
   * Sends and waits for the final message or, with an `output` schema, for the output; without input, continues. Rejects
   * like `prompt`.
   */
  async run<S extends z.ZodType>(
    input: Input | undefined,
    options: RunOptions & { output: S },
  ): Promise<OutputResult<z.infer<S>>>;
  async run(input?: Input, options?: RunOptions): Promise<AssistantMessage>;
  async run(input?: Input, options: RunOptions = {}): Promise<AssistantMessage | OutputResult<unknown>> {
    const result = input === undefined ? await this.continue(options) : await this.prompt(input, options);
    if (result.pending !== undefined) throw new PausedError(result.pending);
    if (options.output !== undefined && "output" in result) {
      const { text = "", output, usage } = result;
      return { text, output, usage };
    }
    if (result.finalMessage === undefined || options.output !== undefined) {
      throw new AgentError("limit", `The run ended without an answer (${result.limit ?? result.reason}).`);
    }
    return result.finalMessage;
  }

  /** Goes on without a new message: from a transcript the model has to answer, or with what is queued. */
  async continue(options: ContinueOptions = {}): Promise<RunResult> {
    if (options.children !== undefined) this.#runs.reopen(options.children);
    const refusal = this.#runs.cannotContinue;
    if (refusal !== undefined) throw refusal;
    return this.#succeeded(await this.#runs.continue(options));
  }

  /** Goes on with a run that paused, with answers by the ids of its pending approvals. Rejects like `prompt`. */
  async answer(answers: ApprovalAnswers, options: RunOptions = {}): Promise<RunResult> {
    return this.#succeeded(await this.#runs.answer(answers, options));
  }

  /** What waits in a sub-agent, waits in the tool that runs it. */
  #succeeded(result: RunResult): RunResult {
    if (result.pending !== undefined && this.parent !== undefined) throw new PausedError(result.pending);
    return succeeded(result);
  }

  /** A run of these effects alone, which makes no request of its own: how an idle agent is compacted. Never rejects. */
  maintain(effects: Effect[], options: RunOptions = {}): Promise<RunResult> {
    return this.#runs.maintain(effects, options);
  }

  /** Continues if there is anything to continue with; while running, does nothing. */
  nudge(): void {
    if (this.#runs.cannotContinue === undefined) void this.#runs.continue({});
  }

  /** Queues a message for the next turn of the run under way, or of the next one. */
  steer(input: Input): QueueHandle {
    return this.#runs.enqueue("steering", input);
  }

  /** Queues a message for when the agent has nothing else left to do. */
  followUp(input: Input): QueueHandle {
    return this.#runs.enqueue("followUp", input);
  }

  /** Takes a queued message back; false when it was delivered already. */
  cancelQueued(handle: QueueHandle): boolean {
    return this.#runs.queued.cancelQueued(handle);
  }

  /** Drops what is queued and not delivered; without a name, in both queues. */
  clearQueues(which?: QueueName): void {
    this.#parts.queues.clear(which);
    this.#runs.queued.emitQueueUpdate();
  }

  /** Whether a message waits in a queue. */
  get hasQueued(): boolean {
    return !this.#parts.queues.isEmpty;
  }

  /** This agent or a descendant that a running tool call holds or that was reopened, to stop or steer one node of the tree. */
  find(id: string): Agent | undefined {
    return id === this.id ? this : this.#findBelow(id);
  }

  /** One that was reopened may be below another whose call has ended. */
  #findBelow(id: string): Agent | undefined {
    for (const child of this.#children.values()) {
      const found = child.find(id);
      if (found !== undefined) return found;
    }
    for (const ended of this.#ended.values()) {
      const found = ended.#findBelow(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * A descendant whose call has ended, with all that it knew then: it can be sent more. It is owned by `signal`, and what
   * its parent had for it of tools and hooks holds on. Undefined for one that is not known any more.
   */
  reopen(id: string, signal: AbortSignal): Agent | undefined {
    const ended = this.#ended.get(id);
    if (ended !== undefined) {
      this.#ended.delete(id);
      return ended.#reopened(signal);
    }
    for (const child of [...this.#children.values(), ...this.#ended.values()]) {
      const found = child.reopen(id, signal);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #retire(id: string): void {
    const child = this.#children.get(id);
    this.#children.delete(id);
    if (child === undefined) return;
    this.#ended.set(id, child);
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= maxEnded) break;
      this.#ended.delete(oldest);
    }
  }

  #reopened(signal: AbortSignal): Agent | undefined {
    const { lineage, settings, history, node } = this.#parts;
    if (lineage === undefined || this.parent === undefined) return undefined;
    const { restored: _before, ...below } = lineage;
    const known = { id: this.id, messages: [...history.messages], usage: node.own, totalUsage: node.total };
    const owner = createOwnerScope(signal);
    const reopened = createAgent({ ...settings.options, ...known }, { ...below, owner, parent: this.parent });
    for (const [id, child] of this.#ended) reopened.#ended.set(id, child);
    for (const [id, child] of this.#children) reopened.#children.set(id, child);
    return reopened;
  }

  /** Stops the run and its subtree; resolves after `agent_end`. What is queued stays queued. */
  abort(reason?: unknown): Promise<void> {
    return this.#runs.abort(reason);
  }

  /** Resolves when nothing runs, and no run is about to start. */
  waitForIdle(): Promise<void> {
    return this.#runs.waitForIdle();
  }

  /** Stops the agent for good; it refuses everything afterwards. */
  async dispose(): Promise<void> {
    await this.#runs.dispose();
    if (this.parent !== undefined) this.parent.#children.delete(this.id);
    this.#stopReloading();
    this.#onDispose();
  }

  /** Adds messages without asking the model. Throws "busy" while running. */
  addMessage(input: Input): void {
    this.#changes.add(toMessages(input));
  }

  /** Called for every event of this agent and, by default, its descendants. Returns what removes the listener. */
  subscribe(listener: (event: AgentEvent) => void, options: { scope?: "self" | "tree" } = {}): () => void {
    return this.#parts.node.listeners.add(listener, options.scope === "self" ? this.id : undefined);
  }

  /** Changes the model of the next run, or of the next request. */
  setModel(model: Model, options: { apply?: "nextRun" | "nextTurn" } = {}): void {
    const { settings, node } = this.#parts;
    settings.model = model;
    const running = this.#runs.state;
    if (running !== undefined && options.apply !== "nextTurn") return;
    if (running !== undefined) running.model = model;
    node.meta = { ...node.meta, model: model.id };
  }

  /** Replaces the prompt from the next run on, one that was built from instructions and skills too. */
  setSystemPrompt(prompt: string): void {
    this.#parts.settings.systemPrompt = prompt;
  }

  /** Where AGENTS.md is looked for with the next run, unless the agent has a project context or a prompt of its own. */
  setCwd(cwd: string): void {
    this.#parts.settings.cwd = cwd;
  }

  /** From the next run on. */
  setThinkingLevel(level: ThinkingLevel): void {
    this.#parts.settings.thinkingLevel = level;
  }

  /** Replaces the tools from the next run on. */
  setTools(tools: (AgentTool | Toolbox)[]): void {
    this.#parts.settings.setTools(tools);
  }

  /** Offers a tool from the next request on. */
  addTool(tool: AgentTool): void {
    this.#parts.settings.addTool(tool);
    this.#runs.offerTools();
  }

  /** Offers the tool no more from the next request on, wherever it came from. */
  removeTool(name: string): void {
    this.#parts.settings.removeTool(name);
    this.#runs.offerTools();
  }

  /** Offers the tools of these from the next request on. */
  addToolboxes(...boxes: Toolbox[]): void {
    this.#parts.settings.addToolboxes(boxes);
    this.#runs.offerTools();
  }

  /** Whether the calls of one message may overlap, from the next run on. */
  setToolExecution(mode: "parallel" | "sequential"): void {
    this.#parts.settings.toolExecution = mode;
  }

  /** Whom it may delegate to, from the next run on: the delegation tools come with it. */
  setRegistry(registry: AgentDirectory): void {
    this.#parts.settings.registry = registry;
  }

  /** Which skills it may load, from the next run on: the prompt and `load_skill` follow. */
  setSkills(skills: readonly Skill[]): void {
    this.#parts.settings.skills = skills;
  }

  /** Empties transcript, error and queues. Throws "busy" while running. */
  reset(): void {
    this.#changes.reset();
  }

  /** Removes a message and everything after it from the session, for all its agents; without a session, nothing. */
  rewindTo(messageId: string): Promise<void> {
    return this.#changes.rewindTo(messageId);
  }

  /** Replaces everything so far by a summary. */
  checkpoint(summary: string): Promise<void> {
    return this.#changes.checkpoint(summary);
  }

  /** This agent as a tool of another: each call runs a fresh sub-agent with its configuration and no history. */
  asTool<S extends z.ZodType = ReturnType<typeof defaultToolInput>>(options: AsToolOptions<S> = {}): AgentTool<S> {
    return asTool({ info: () => this.info(), configuration: () => configurationOf(this) }, options);
  }

  static {
    internals = {
      configuration: (agent) => agent.#parts.settings.configuration(),
      snapshot: (agent) => agent.#runs.snapshot(),
      join(agent, session, options) {
        agent.#onDispose = options.onDispose;
        agent.#stopReloading();
        if (agent.#parts.session !== undefined) {
          agent.#stopReloading = session.onReload(() => agent.#changes.reload());
        }
        return joinSession(agent.#parts, session, options);
      },
    };
  }
}

/** So many that have ended can be reopened, of each agent. */
const maxEnded = 64;

type Origin = AgentOrigin & { parent?: Agent };

/** What the rest of the library does with an agent, and no other code. */
interface Internals {
  configuration(agent: Agent): AgentOptions;
  snapshot(agent: Agent): AgentSnapshot;
  join(agent: Agent, session: EventSession, options: TeamMembership): Emit;
}

/** An agent at its place in a tree; `origin` is what a tool call hands to the sub-agents it creates. */
export function createAgent(options: AgentOptions, origin: Origin): Agent {
  const { restored } = origin;
  const snapshot = "node" in origin ? restored?.snapshot : undefined;
  const own =
    snapshot === undefined
      ? { ...options }
      : { ...options, id: snapshot.agentId, messages: snapshot.messages, usage: snapshot.usage };
  origins.set(own, origin);
  return new Agent(own);
}

/** What another agent of the same kind is created from: everything but identity, history and ownership. */
export function configurationOf(agent: Agent): AgentOptions {
  return internals.configuration(agent);
}

export function snapshotOf(agent: Agent): AgentSnapshot {
  return internals.snapshot(agent);
}

/** Makes an agent one of a team's: one session id, one order of events. Returns how the team emits its events. */
export function joinTeam(agent: Agent, session: EventSession, options: TeamMembership): Emit {
  return internals.join(agent, session, options);
}
