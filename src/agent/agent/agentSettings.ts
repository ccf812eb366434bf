import { compactorEffect } from "../context/compactEffect.ts";
import { findAgentsMd } from "../context/projectFiles.ts";
import { buildSystemPrompt } from "../context/prompt.ts";
import { checkConfig, type WhenBusy } from "../loop/runTypes.ts";
import type { AgentDirectory } from "../toolkits/delegation.ts";
import { skillTools } from "../toolkits/skills.ts";
import { AgentError, checkNumbers } from "../vocabulary/errors.ts";
import type { Effect } from "../vocabulary/hooks.ts";
import type { Model, StreamFn, ThinkingLevel } from "../vocabulary/model.ts";
import { type AgentTool, resolveTools, Toolbox } from "../vocabulary/tools.ts";
import type { AgentOptions } from "./agentOptions.ts";
import type { Lineage } from "./subAgents.ts";

/** What the setters of an agent change. A run takes its own copy when it starts. */
export class AgentSettings {
  readonly options: Readonly<AgentOptions>;
  readonly streamFn: StreamFn;
  readonly effects: Effect[];
  model: Model;
  thinkingLevel: ThinkingLevel;
  toolExecution: "parallel" | "sequential";
  whenBusy: WhenBusy;
  resumesQueued: boolean;
  /** Whether sub-agents are stored, as those of a durable agent are all the way down. */
  readonly isDurable: boolean;
  /** Where AGENTS.md is looked for; see `needsProjectContext`. */
  cwd: string | undefined;
  #systemPrompt: string | undefined;
  #projectContext: string | undefined;
  #registry: AgentDirectory | undefined;
  #delegation: Toolbox[] = [];
  #boxes: (AgentTool | Toolbox)[];
  readonly #builtIn: Toolbox[];
  readonly #removed = new Set<string>();
  readonly #delegationFor: (registry: AgentDirectory) => Toolbox;

  constructor(
    options: AgentOptions,
    o: { lineage?: Lineage | undefined; isDurable?: boolean; delegation: (registry: AgentDirectory) => Toolbox },
  ) {
    const inherited = o.lineage?.inheritance;
    const model = options.model ?? inherited?.model;
    const streamFn = options.streamFn ?? inherited?.streamFn;
    if (model === undefined || streamFn === undefined) {
      throw new AgentError("bad_input", "An agent without a parent needs a model and a streamFn.");
    }
    checkConfig(options);
    const { maxTurns, maxCost, maxTokens, maxDepth, maxSpend } = options;
    checkNumbers({ maxTurns, maxCost, maxTokens, maxDepth, maxSpend });
    this.options = options;
    this.isDurable = options.durable === true || o.isDurable === true;
    this.model = model;
    this.streamFn = streamFn;
    this.thinkingLevel = options.thinkingLevel ?? inherited?.policies.thinkingLevel ?? "off";
    this.whenBusy = options.whenBusy ?? "reject";
    this.resumesQueued = options.resumeQueuedAfterAbort ?? false;
    this.toolExecution = options.toolExecution ?? "parallel";
    this.effects = [
      ...(options.compactor === undefined ? [] : [compactorEffect(options.compactor)]),
      ...(options.effects ?? []),
    ];
    this.cwd = options.cwd;
    this.#systemPrompt = options.systemPrompt;
    this.#projectContext = typeof options.projectContext === "function" ? undefined : options.projectContext;
    this.#boxes = [...new Set([...(options.tools ?? []), ...inheritedTools(options, o.lineage)])];
    this.#builtIn = options.skills === undefined || options.skills.length === 0 ? [] : [skillTools(options.skills)];
    this.#delegationFor = o.delegation;
    this.registry = options.registry;
  }

  get registry(): AgentDirectory | undefined {
    return this.#registry;
  }

  set registry(registry: AgentDirectory | undefined) {
    this.#registry = registry;
    this.#delegation = registry === undefined ? [] : [this.#delegationFor(registry)];
  }

  /** The tools of the next request, each name once. */
  get tools(): AgentTool[] {
    const boxes = [...this.#boxes, ...this.#builtIn, ...this.#delegation];
    return resolveTools(boxes).filter((tool) => !this.#removed.has(tool.name));
  }

  /** Replaces the tools the agent was given; those of skills and registry stay. */
  setTools(tools: readonly (AgentTool | Toolbox)[]): void {
    this.#boxes = [...new Set(tools)];
    this.#removed.clear();
  }

  /** A tool of the same name is replaced. */
  addTool(tool: AgentTool): void {
    this.#boxes = [tool, ...this.#boxes.filter((box) => box instanceof Toolbox || box.name !== tool.name)];
    this.#removed.delete(tool.name);
  }

  removeTool(name: string): void {
    this.#boxes = this.#boxes.filter((box) => box instanceof Toolbox || box.name !== name);
    this.#removed.add(name);
  }

  addToolboxes(boxes: readonly Toolbox[]): void {
    this.#boxes = [...new Set([...this.#boxes, ...boxes])];
  }

  get systemPrompt(): string {
    if (this.#systemPrompt !== undefined) return this.#systemPrompt;
    const { name = "", identity, description, instructions, skills } = this.options;
    const projectContext = this.#projectContext;
    const agents = this.#registry?.list();
    const parts = { name, identity, description, instructions, projectContext, skills, agents };
    return buildSystemPrompt({ name, ...withoutAbsent(parts) });
  }

  set systemPrompt(prompt: string) {
    this.#systemPrompt = prompt;
  }

  /** What another agent of the same kind is created from: everything but identity, history and ownership. */
  configuration(): AgentOptions {
    const {
      id: _id,
      sessionId: _sessionId,
      messages: _messages,
      usage: _usage,
      totalUsage: _total,
      ...rest
    } = this.options;
    const { owner: _owner, session: _session, scope: _scope, systemPrompt: _prompt, tools: _tools, ...options } = rest;
    const { model, streamFn, thinkingLevel, toolExecution, whenBusy, cwd } = this;
    const isListed = this.options.tools !== undefined || this.#boxes.length > 0;
    return {
      ...options,
      ...{ model, streamFn, thinkingLevel, toolExecution, whenBusy },
      ...(cwd === undefined ? {} : { cwd }),
      ...(isListed ? { tools: this.#boxes.filter((box) => !this.#removed.has(box.name)) } : {}),
      ...(this.#systemPrompt === undefined ? {} : { systemPrompt: this.#systemPrompt }),
      ...(this.#registry === undefined ? {} : { registry: this.#registry }),
    };
  }

  /** AGENTS.md is read once, where a folder is named and nothing else says what the project is. */
  get needsProjectContext(): boolean {
    const isKnown = this.#projectContext !== undefined || this.#systemPrompt !== undefined;
    return !isKnown && (this.cwd !== undefined || typeof this.options.projectContext === "function");
  }

  async readProjectContext(): Promise<void> {
    const { cwd } = this;
    const { projectContext } = this.options;
    if (typeof projectContext === "function") this.#projectContext = await projectContext();
    else if (cwd !== undefined) this.#projectContext = (await findAgentsMd(cwd)) ?? "";
  }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Optional fields are absent, never undefined. */
function withoutAbsent<T extends object>(parts: T): Present<T> {
  const present = Object.entries(parts).filter(([, value]) => value !== undefined);
  // Dropping the undefined entries is what makes this true.
  return Object.fromEntries(present) as Present<T>;
}

/** A child that lists its tools has exactly these, unless it also says what it inherits. */
function inheritedTools(options: AgentOptions, lineage: Lineage | undefined): AgentTool[] {
  const inherit = options.inherit ?? "none";
  if (lineage === undefined || inherit === "none") return [];
  if (inherit === "union") return [...lineage.tools];
  return lineage.tools.filter((tool) => inherit.includes(tool.name));
}
