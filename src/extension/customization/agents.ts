// Long because it is one thing: who the agents are, and what each of them is created from.
import { t } from "@vscode/l10n";
import * as z from "zod";
import type { AgentOptions } from "../../agent/agent/agentOptions.ts";
import { AgentRegistry } from "../../agent/agent/registry.ts";
import type { Skill } from "../../agent/context/skills.ts";
import { trimToolResultsEffect } from "../../agent/context/trimToolResults.ts";
import {
  type AgentDirectory,
  type DelegationWatch,
  delegationToolNames,
  delegationTools,
} from "../../agent/toolkits/delegation.ts";
import { composeHooks } from "../../agent/vocabulary/composeHooks.ts";
import type { ExtendedHooks } from "../../agent/vocabulary/hooks.ts";
import type { Model, ThinkingLevel } from "../../agent/vocabulary/model.ts";
import { type AgentTool, Toolbox } from "../../agent/vocabulary/tools.ts";
import { modeNotes } from "../approvals/planMode.ts";
import { allowedTools, unfoldedTools } from "../mcp/findTools.ts";
import { calledTool, findToolsName, isMcpTool, type NamedTool, serverToolNamed } from "../mcp/toolNames.ts";
import {
  editInstructions,
  exploreInstructions,
  mainIdentity,
  mainInstructions,
  planFolder,
  planInstructions,
  reviewInstructions,
} from "../prompts/agentPrompts.ts";
import { withoutClosings } from "../prompts/contextBlocks.ts";
import { planNote } from "../prompts/modeNotes.ts";
import { isEditorTool, listedName, readOnlyToolNames } from "../tools/index.ts";
import type { CustomAgent } from "./agentFile.ts";
import type { CustomSkill } from "./customCommands.ts";
import { type Custom, nothingCustom } from "./customization.ts";
import { TeamMemory } from "./teamMemory.ts";
import { type CustomTeam, isTeam, memberTools } from "./teamTools.ts";
import { validatorHooks } from "./validators.ts";

/** An agent as data: who it is, and which of the editor's tools it has. */
export interface AgentDefinition {
  name: string;
  /** Who it is, in place of its name and description. */
  identity?: string;
  /** What agents read that may delegate to it. */
  description: string;
  instructions: string;
  tools: "readOnly" | "all";
}

/** The agent that the user talks to. No agent delegates to it. */
export const mainAgent: AgentDefinition = {
  name: "main",
  identity: mainIdentity,
  description: "The coding agent in the user's editor. It answers questions about the workspace and changes it.",
  instructions: mainInstructions,
  tools: "all",
};

/** The agents that work can be delegated to. */
export const delegateAgents: readonly AgentDefinition[] = [
  {
    name: "explore",
    description:
      "Finds out about the workspace without changing it: where something is, how it works, what uses it. Several can look from different sides at once.",
    instructions: exploreInstructions,
    tools: "readOnly",
  },
  {
    name: "edit",
    description: "Carries out one well-described change in the workspace and reports what the user kept.",
    instructions: editInstructions,
    tools: "all",
  },
];

/** An agent with custom agents' fields that comes with Arbor. */
interface BuiltInAgent extends CustomAgent {
  /** The only folder in which it may write. */
  writesIn?: string;
}

const onRequest = {
  path: "",
  deniedTools: [],
  agents: [],
  models: [],
  limits: {},
  isOffered: false,
  isMentioned: true,
};
const lookingAround = [...readOnlyToolNames, "load_skill", "ask_user"];

/** Agents that work when somebody addresses them, or a custom agent names them: main is not offered them otherwise. */
export const requestedAgents: readonly BuiltInAgent[] = [
  {
    ...onRequest,
    name: "review",
    description: "Reviews a change: reads the diff, looks at its problems, runs its tests, and reports mistakes.",
    instructions: reviewInstructions,
    tools: [...lookingAround, "run_command", "read_output", "stop_command"],
    validate: ["diff-read", "tests-run", "no-new-problems"],
  },
  {
    ...onRequest,
    name: "plan",
    description: "Plans a change without making it, and writes the plan to a file.",
    instructions: planInstructions,
    tools: [...lookingAround, "write_file"],
    validate: ["plan-written"],
    writesIn: planFolder,
  },
];

/** Those with the fields of custom agents: of several with one name, the user's counts. */
function allAgents(custom: readonly CustomAgent[]): readonly BuiltInAgent[] {
  return [...requestedAgents.filter(({ name }) => !custom.some((agent) => agent.name === name)), ...custom];
}

/** Whether agents may choose one unasked. */
export function isOffered(name: string, custom: readonly CustomAgent[]): boolean {
  return allAgents(custom).find((agent) => agent.name === name)?.isOffered ?? true;
}

/** An agent as the user sees it. */
export interface ShownAgent {
  name: string;
  description: string;
  color?: string;
}

/** The agents that can be mentioned, described in the user's language where they are built in. `foreign`: names of those of other programs. */
export function shownAgents(custom: readonly CustomAgent[] = [], foreign: readonly string[] = []): ShownAgent[] {
  const descriptions: Record<string, string> = {
    explore: t("Finds out about the workspace without changing it"),
    edit: t("Carries out one well-described change and reports what you kept"),
    review: t("Reviews a change: diff, problems, tests"),
    plan: t("Plans a change and writes the plan to a file"),
  };
  const builtIn = [...delegateAgents, ...requestedAgents].filter(
    ({ name }) => !custom.some((agent) => agent.name === name),
  );
  const own = [
    ...builtIn.map(({ name, description }) => ({ name, description: descriptions[name] ?? description })),
    ...custom
      .filter(({ isMentioned }) => isMentioned)
      .map(({ name, description, color }) => ({ name, description, ...(color !== undefined && { color }) })),
  ];
  const others = foreign.filter((name) => ![...own, ...custom].some((agent) => agent.name === name));
  return [...own, ...others.map((name) => ({ name, description: t("An agent of another program") }))];
}

export interface OfferedTools {
  readOnly: readonly AgentTool[];
  all: readonly AgentTool[];
}

export interface AgentSources {
  tools: OfferedTools;
  /** The same for an agent with a model of its own, which decides which edit tool it has. */
  toolsFor?(model: Model): OfferedTools;
  /** A model by its name; undefined for one that can't be used now. */
  modelNamed?(name: string): Model | undefined;
  /** How much a model thinks of what is wanted, as far as it can. */
  thinkingFor?(model: Model | undefined, wanted: ThinkingLevel): ThinkingLevel;
  /** What the user chose for the next sub-agent, before all else that says which model it has. */
  chosenModel?(): Model | undefined;
  /** Asked for each new sub-agent; without one it has its parent's model. */
  subAgentModel?(): Model | undefined;
  /** Whether sub-agents are to plan and not to change anything; asked for each, and again while it works. Default: no. */
  isPlanning?(): boolean;
  /** Agents of other programs, by the names that they can be delegated to by. A name of ours stays ours. */
  others?(): readonly { name: string; description: string; isGuarded: boolean; configuration(): AgentOptions }[];
  /** How many problems the editor shows. Default: none. */
  problemCount?(): number;
  /** What is done about the agents that are delegated to. Default: nothing. */
  watch?: DelegationWatch;
  /** What the workers of teams know of earlier questions. Default: nothing. */
  teams?: TeamMemory;
  /** Added to the instructions of each. */
  note?: string;
  /** Asked for each new sub-agent: what keeps its runs in order, and how it delegates. */
  each?(): Pick<AgentOptions, "effects" | "middleware" | "projectContext"> & {
    delegation?: Toolbox;
    /** Asked before those that say what the agent may. */
    hooks?: ExtendedHooks;
  };
}

/** What an agent is created from; a root agent still needs its model, stream, registry and limits. */
export function agentOptions(definition: AgentDefinition, { tools }: Pick<AgentSources, "tools">): AgentOptions {
  const { name, identity, description, instructions } = definition;
  const own = [...tools[definition.tools]];
  const options = { name, ...(identity !== undefined && { identity }), description, instructions, tools: own };
  return definition.tools === "all" ? options : { ...options, hooks: onlyTools(tools.readOnly, onlyReads) };
}

/**
 * Lets agents delegate to the built-in ones and to custom ones, which are all. Built-in ones that change files may
 * delegate further, down to the depth limit of the root; those that only read do their work themselves. A custom agent
 * of the name of a built-in one takes its place.
 */
export function registerAgents(
  registry: AgentRegistry,
  parts: AgentSources,
  { agents: custom, skills }: Pick<Custom, "agents" | "skills"> = nothingCustom,
): void {
  const noAgents = new AgentRegistry().close();
  for (const definition of delegateAgents) {
    const { name, description } = definition;
    registry.register({ name, description }, () => {
      const model = parts.chosenModel?.() ?? parts.subAgentModel?.();
      const own = model === undefined ? {} : { model };
      const { delegation, hooks: before, ...kept } = parts.each?.() ?? {};
      const { hooks, ...options } = agentOptions(
        noted(parts.isPlanning?.() === true ? planning(definition) : definition, parts),
        parts,
      );
      const made = { ...options, ...kept, ...own, hooks: joinHooks(before, notedHooks(hooks, parts)) };
      if (definition.tools === "readOnly") return { ...made, registry: noAgents };
      const tools = [...(options.tools ?? []), ...(delegation === undefined ? [] : [delegation])];
      return { ...made, tools, skills: offeredSkills(skills) };
    });
  }
  for (const agent of allAgents(custom)) {
    const { name, description } = agent;
    const entry = { name, description: withoutClosings(description) };
    const o = { registry, custom, skills };
    registry.register(entry, () => (isTeam(agent) ? teamOptions(agent, parts, o) : customOptions(agent, parts, o)));
  }
  for (const { name, description, isGuarded, configuration } of parts.others?.() ?? []) {
    if (registry.get(name) !== undefined) continue;
    registry.register({ name, description }, () => {
      const { delegation, hooks: before } = parts.each?.() ?? {};
      const hooks = joinHooks(before, {});
      const { all } = parts.tools;
      // Its own tools are no business of ours, but those of the user's servers are.
      if (!isGuarded)
        return {
          ...configuration(),
          hooks,
          tools: all.filter(({ name: tool }) => isMcpTool(tool)),
          registry: noAgents,
        };
      const tools = [...all, ...(delegation === undefined ? [] : [delegation])];
      return { ...configuration(), hooks: joinHooks(before, notedHooks({}, parts)), tools };
    });
  }
  registry.close();
}

/** The agents of a directory that are offered: the others can't be delegated to by way of it. */
export function offeredAgents(directory: AgentDirectory, isOffered: (name: string) => boolean): AgentDirectory {
  return {
    isClosed: true,
    watch: directory.watch,
    list: () => directory.list().filter(({ name }) => isOffered(name)),
    configuration: (name) => (isOffered(name) ? directory.configuration(name) : undefined),
  };
}

/** The first set of hooks, then the other, whose last word on a result stays the last. */
export function joinHooks(first: ExtendedHooks | undefined, then: ExtendedHooks): ExtendedHooks {
  if (first === undefined) return then;
  const missingTool = then.missingTool ?? first.missingTool;
  const reviseCall = first.reviseCall ?? then.reviseCall;
  return { ...composeHooks(first, then), ...(missingTool && { missingTool }), ...(reviseCall && { reviseCall }) };
}

/** Informs an agent that works while the user changes the mode. */
function notedHooks(hooks: ExtendedHooks = {}, { isPlanning }: Pick<AgentSources, "isPlanning">): ExtendedHooks {
  return isPlanning === undefined ? hooks : { ...hooks, ...modeNotes(isPlanning) };
}

interface CustomParts {
  registry: AgentRegistry;
  custom: readonly CustomAgent[];
  skills: readonly CustomSkill[];
  /** Of a team: what it may not, those it asks may. */
  isMember?: true;
}

/**
 * What the agent is created from that leads a team. Its workers may have tools that it does not have: the file that names
 * both says so.
 */
function teamOptions(team: CustomTeam, parts: AgentSources, o: CustomParts): AgentOptions {
  const memory = parts.teams ?? new TeamMemory(async () => []);
  const noAgents = new AgentRegistry().close();
  const options = (member: CustomAgent): AgentOptions => {
    const { tools = [], ...rest } = customOptions(member, parts, { ...o, isMember: true });
    const own = tools.filter((tool) => !(tool instanceof Toolbox));
    return { ...rest, tools: [...own, ...memberTools(team, memory, options)], registry: noAgents };
  };
  const names = team.workers.map(({ name, description }) => `- ${name}: ${withoutClosings(description)}`).join("\n");
  const { instructions = "", ...leading } = options(team);
  return { ...leading, instructions: `${instructions}\n\nYour team, whom you ask with ask_agent:\n${names}` };
}

/** What a custom agent is created from. */
function customOptions(agent: BuiltInAgent, parts: AgentSources, o: CustomParts): AgentOptions {
  const model = modelOf(agent, parts);
  const { all } = (model && parts.toolsFor?.(model)) ?? parts.tools;
  const tools = allowedTools(all, {
    isAllowed: (tool) => hasTool(agent, tool),
    isNamed: (tool) => agent.tools?.some((written) => serverToolNamed(written, tool) === "one") === true,
  });
  const { registry } = o;
  const known = {
    list: () => registry.list(),
    configuration: (name: string) => registry.configuration(name),
    watch: parts.watch,
  };
  const directory = offeredAgents(known, (name) => delegatesTo(agent, name, o.custom));
  const delegation = delegationTools({ agent: { id: agent.name }, registry: directory, onError: "collect" });
  const { delegation: _ofOthers, hooks: before, ...kept } = parts.each?.() ?? {};
  const instructions = withoutClosings(agent.instructions);
  const trim = agent.effects?.trimToolResults;
  const isBounded = o.isMember !== true && unfoldedTools(tools).length < unfoldedTools(all).length;
  return {
    name: agent.name,
    description: agent.description,
    ...(agent.icon !== undefined && { prefix: agent.icon }),
    instructions: noted(parts.isPlanning?.() === true ? planning({ instructions }) : { instructions }, parts)
      .instructions,
    tools: [...tools, delegation],
    hooks: joinHooks(before, {
      ...notedHooks(isBounded ? hooksOf(agent, tools) : {}, parts),
      ...(agent.validate !== undefined && validatorHooks(agent.validate, parts)),
    }),
    ...kept,
    ...(trim !== undefined && { effects: [trimToolResultsEffect(trim), ...(kept.effects ?? [])] }),
    ...agent.limits,
    onLimit: "forceComplete",
    ...(model !== undefined && { model }),
    ...(agent.thinking !== undefined && {
      thinkingLevel: parts.thinkingFor?.(model, agent.thinking) ?? agent.thinking,
    }),
    skills: skillsOf(agent, o.skills),
    registry: directory,
  };
}

/** The skills that an agent is offered. Their descriptions are in its prompt, and can't end the block there. */
export function offeredSkills(skills: readonly CustomSkill[]): Skill[] {
  return skills.filter(({ isOffered }) => isOffered).map(({ skill }) => loadable(skill));
}

function loadable(skill: CustomSkill["skill"]): Skill {
  return { ...skill, description: withoutClosings(skill.description) };
}

/** Those that it names, offered to others or not. */
function skillsOf({ skills: names, deniedTools }: CustomAgent, skills: readonly CustomSkill[]): Skill[] {
  if (deniedTools.includes("load_skill")) return [];
  if (names === undefined) return offeredSkills(skills);
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return skills.filter(({ skill }) => wanted.has(skill.name.toLowerCase())).map(({ skill }) => loadable(skill));
}

/** The first of its models that there is; undefined for that of the agent that delegates. */
function modelOf({ models }: CustomAgent, { chosenModel, modelNamed, subAgentModel }: AgentSources): Model | undefined {
  const chosen = chosenModel?.();
  if (chosen !== undefined) return chosen;
  for (const name of models) {
    const model = name === "inherit" ? undefined : modelNamed?.(name);
    if (model !== undefined || name === "inherit") return model;
  }
  return subAgentModel?.();
}

function hasTool({ tools, deniedTools }: CustomAgent, tool: NamedTool): boolean {
  const isNamed = (written: string) => {
    if (isMcpTool(tool.name)) return serverToolNamed(written, tool) !== undefined;
    return written.endsWith("*") ? tool.name.startsWith(written.slice(0, -1)) : written === listedName(tool.name);
  };
  return (tools === undefined || tools.some(isNamed)) && !deniedTools.some(isNamed);
}

function delegatesTo(
  { name: own, agents, deniedTools }: CustomAgent,
  name: string,
  custom: readonly CustomAgent[],
): boolean {
  if (name === own || deniedTools.some((tool) => delegationToolNames.has(tool))) return false;
  if (agents !== "*") return agents.some((each) => each.toLowerCase() === name.toLowerCase());
  return isOffered(name, custom);
}

function hooksOf({ name: agent, writesIn }: BuiltInAgent, tools: readonly AgentTool[]): ExtendedHooks {
  const only = onlyTools(tools, (name) => lacksTool(name, agent));
  if (writesIn === undefined) return only;
  return {
    ...only,
    beforeToolCall: (info) =>
      info.call.name === "write_file" && !isMarkdownIn(writesIn, info.args)
        ? { block: true, reason: writesOnlyIn(writesIn) }
        : only.beforeToolCall?.(info),
  };
}

/** Whether a call writes a Markdown file in a folder, which a workspace folder's name may precede. */
function isMarkdownIn(folder: string, args: unknown): boolean {
  const path = z.looseObject({ path: z.string() }).safeParse(args).data?.path.replace(/^\.\//, "") ?? "";
  const parts = path.split("/");
  const above = parts.slice(0, -1).join("/");
  const isBelowRoot = above.endsWith(`/${folder}`) && parts.length === folder.split("/").length + 2;
  return path.endsWith(".md") && !/\\|\.\./.test(path) && (above === folder || isBelowRoot);
}

function writesOnlyIn(folder: string): string {
  return `Only a Markdown file in ${folder} can be written here. Put what has to be changed elsewhere into the plan.`;
}

function planning<T extends Pick<AgentDefinition, "instructions">>(definition: T): T {
  return { ...definition, instructions: `${definition.instructions}\n${planNote}` };
}

function noted<T extends Pick<AgentDefinition, "instructions">>(
  definition: T,
  { note }: Pick<AgentSources, "note">,
): T {
  return note === undefined ? definition : { ...definition, instructions: `${definition.instructions}\n\n${note}` };
}

/** Holds for the agent and for all that it delegates to, so that a reader can't have others write for it. */
function onlyTools(tools: readonly AgentTool[], reason: (name: string) => string): ExtendedHooks {
  const names = unfoldedTools(tools).map(({ name }) => listedName(name));
  const allowed = new Set([...names, ...delegationToolNames, "load_skill"]);
  // What is searched there may be folded for an agent below; what is found is asked about by its own name.
  if (names.some(isMcpTool)) allowed.add(findToolsName);
  const isAllowed = (name: string) => allowed.has(listedName(name));
  return {
    beforeToolCall({ call, args }) {
      const { name } = calledTool(call.name, args);
      return isAllowed(name) ? undefined : { block: true, reason: reason(name) };
    },
    missingTool: (name) => (isEditorTool(name) && !isAllowed(name) ? reason(name) : undefined),
  };
}

function onlyReads(name: string): string {
  return `${name} is not allowed here: this part of the work only reads and searches. Report what has to be changed or run.`;
}

function lacksTool(name: string, agent: string): string {
  return `${name} is not allowed here: the agent ${agent} does not have it, and neither do agents below it. Report what has to be done with it.`;
}
