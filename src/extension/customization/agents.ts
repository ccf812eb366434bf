import { t } from "@vscode/l10n";
import type { AgentOptions } from "../../agent/agent/agentOptions.ts";
import { AgentRegistry } from "../../agent/agent/registry.ts";
import type { ExtendedHooks } from "../../agent/vocabulary/hooks.ts";
import type { Model } from "../../agent/vocabulary/model.ts";
import type { AgentTool, Toolbox } from "../../agent/vocabulary/tools.ts";
import { editInstructions, exploreInstructions, mainIdentity, mainInstructions } from "../prompts/agentPrompts.ts";
import { planNote } from "../prompts/modeNotes.ts";
import { isEditorTool } from "../tools/index.ts";

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

/** The same for the user, in the user's language. */
export function shownAgents(): { name: string; description: string }[] {
  const descriptions: Record<string, string> = {
    explore: t("Finds out about the workspace without changing it"),
    edit: t("Carries out one well-described change and reports what you kept"),
  };
  return delegateAgents.map(({ name, description }) => ({ name, description: descriptions[name] ?? description }));
}

export interface AgentSources {
  tools: { readOnly: readonly AgentTool[]; all: readonly AgentTool[] };
  /** Asked for each new sub-agent; without one it has its parent's model. */
  subAgentModel?(): Model | undefined;
  /** Asked for each new sub-agent: whether it is to plan and not to change anything. Default: it is not. */
  isPlanning?(): boolean;
  /** Asked for each new sub-agent: what keeps its runs in order, and how it delegates. */
  each?(): Pick<AgentOptions, "effects" | "middleware" | "projectContext"> & { delegation?: Toolbox };
}

/** What an agent is created from; a root agent still needs its model, stream, registry and limits. */
export function agentOptions(definition: AgentDefinition, { tools }: Pick<AgentSources, "tools">): AgentOptions {
  const { name, identity, description, instructions } = definition;
  const own = [...tools[definition.tools]];
  const options = { name, ...(identity !== undefined && { identity }), description, instructions, tools: own };
  return definition.tools === "all" ? options : { ...options, hooks: onlyTools(tools.readOnly) };
}

/**
 * Lets agents delegate to the built-in ones, which are all. Those that change files may delegate further, down to the
 * depth limit of the root; those that only read do their work themselves.
 */
export function registerAgents(registry: AgentRegistry, parts: AgentSources): void {
  const noAgents = new AgentRegistry().close();
  for (const definition of delegateAgents) {
    const { name, description } = definition;
    registry.register({ name, description }, () => {
      const model = parts.subAgentModel?.();
      const own = model === undefined ? {} : { model };
      const { delegation, ...kept } = parts.each?.() ?? {};
      const options = agentOptions(parts.isPlanning?.() === true ? planning(definition) : definition, parts);
      if (definition.tools === "readOnly") return { ...options, ...kept, ...own, registry: noAgents };
      const tools = [...(options.tools ?? []), ...(delegation === undefined ? [] : [delegation])];
      return { ...options, tools, ...kept, ...own };
    });
  }
  registry.close();
}

function planning(definition: AgentDefinition): AgentDefinition {
  return { ...definition, instructions: `${definition.instructions}\n${planNote}` };
}

/** Holds for the agent and for all that it delegates to, so that a reader can't have others write for it. */
function onlyTools(tools: readonly AgentTool[]): ExtendedHooks {
  const allowed = new Set(tools.map((tool) => tool.name));
  return {
    beforeToolCall: ({ call }) => (allowed.has(call.name) ? undefined : { block: true, reason: notHere(call.name) }),
    missingTool: (name) => (isEditorTool(name) && !allowed.has(name) ? notHere(name) : undefined),
  };
}

function notHere(name: string): string {
  return `${name} is not allowed here: this part of the work only reads and searches. Report what has to be changed or run.`;
}
