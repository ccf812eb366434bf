import type { Skill } from "./skills.ts";

/** What a system prompt is made of. Sections without content are left out. */
export interface SystemPromptParts {
  name: string;
  /** Who the agent is, in place of its name and description. */
  identity?: string;
  description?: string;
  instructions?: string;
  /** What holds in this project, AGENTS.md for one. */
  projectContext?: string;
  skills?: readonly Skill[];
  /** The agents that can be delegated to; the agent itself is left out. */
  agents?: readonly { name: string; description: string }[];
}

/**
 * Builds a system prompt of tagged sections. The same parts give the same bytes, and what changes least is first,
 * so that a provider can keep its cache of the prefix.
 */
export function buildSystemPrompt(parts: SystemPromptParts): string {
  const skills = parts.skills ?? [];
  const sections = [
    section("identity", identity(parts)),
    section("instructions", parts.instructions ?? ""),
    section("project_context", parts.projectContext ?? ""),
    section("skills", inlineSkills(skills)),
    section("available_skills", loadableSkills(skills)),
    section("available_agents", otherAgents(parts)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

/**
 * A prompt that was written elsewhere, followed by what it cannot know: the project and the skills. Unchanged where
 * there is neither.
 */
export function extendSystemPrompt(
  prompt: string,
  parts: Pick<SystemPromptParts, "projectContext" | "skills">,
): string {
  return [prompt, buildSystemPrompt({ ...parts, name: "" })].filter((text) => text !== "").join("\n\n");
}

function section(tag: string, content: string): string {
  const trimmed = content.trim();
  return trimmed === "" ? "" : `<${tag}>\n${trimmed}\n</${tag}>`;
}

function identity({ name, identity: own, description }: SystemPromptParts): string {
  if (own !== undefined) return own;
  if (name === "") return description ?? "";
  return description === undefined || description === "" ? `You are ${name}.` : `You are ${name}. ${description}`;
}

/** A skill that says nothing about when to use it can only be given whole. */
function inlineSkills(skills: readonly Skill[]): string {
  return skills
    .filter((skill) => skill.description === undefined)
    .map((skill) => `## ${skill.name}\n\n${skill.content.trim()}`)
    .join("\n\n");
}

function loadableSkills(skills: readonly Skill[]): string {
  const lines = skills.flatMap(({ name, description }) =>
    description === undefined ? [] : [`- ${name}: ${description}`],
  );
  if (lines.length === 0) return "";
  return `Call load_skill with the name of a skill before doing what it describes.\n${lines.join("\n")}`;
}

function otherAgents({ name, agents = [] }: SystemPromptParts): string {
  return agents
    .filter((agent) => agent.name.toLowerCase() !== name.toLowerCase())
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((agent) => `- ${agent.name}: ${agent.description}`)
    .join("\n");
}
