import * as z from "zod";
import type { Skill } from "../context/skills.ts";
import { Toolbox } from "../vocabulary/toolbox.ts";
import { type AgentTool, defineTool } from "../vocabulary/tools.ts";

/** `load_skill`, and `list_skills` where it is asked for: the system prompt lists the skills already. */
export function skillTools(skills: Skill[], options: { list?: boolean } = {}): Toolbox {
  const tools = [loadSkillTool(skills)];
  if (options.list === true) tools.push(listSkillsTool(skills));
  return new Toolbox("skills", tools);
}

function loadSkillTool(skills: readonly Skill[]): AgentTool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return defineTool({
    name: "load_skill",
    description: "Loads the instructions of a skill by its name.",
    label: "Load skill",
    schema: z.object({ name: z.string() }),
    execute({ name }) {
      const skill = byName.get(name);
      if (skill === undefined) {
        const known = [...byName.keys()].toSorted().join(", ");
        return { content: `Unknown skill "${name}". Available: ${known}`, isError: true };
      }
      return `${skill.content.trimEnd()}\n\nFiles that this skill mentions are in ${skill.dir}`;
    },
  });
}

function listSkillsTool(skills: readonly Skill[]): AgentTool {
  return defineTool({
    name: "list_skills",
    description: "Lists the skills by name and description.",
    label: "List skills",
    schema: z.object({}),
    execute: () => JSON.stringify(skills.map(({ name, description = "" }) => ({ name, description }))),
  });
}
