import * as z from "zod";
import { nodeFiles, type SkillFiles } from "../context/projectFiles.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { Model, StreamFn } from "../vocabulary/model.ts";
import { onFirstUse } from "../vocabulary/onFirstUse.ts";
import { folderOf, pathIn } from "../vocabulary/platform.ts";
import type { AgentTool } from "../vocabulary/tools.ts";
import { findModel, orchestratorTools } from "./orchestratorTools.ts";
import { Team } from "./team.ts";

const teamSchema = onFirstUse(() => {
  const memberSchema = z.object({
    type: z.string().min(1),
    /** The type by default. */
    name: z.string().min(1).optional(),
    description: z.string().default(""),
    provider: z.string(),
    model_id: z.string(),
    base_url: z.string().optional(),
    /** A Markdown file, from the team file's folder, or the prompt itself. By default `members/<name>.md`. */
    system_prompt: z.string().optional(),
    tools: z.array(z.string()).default([]),
  });
  return z.object({ members: z.array(memberSchema).min(1) });
});

type TeamEntry = z.infer<ReturnType<typeof teamSchema>>;
type MemberEntry = TeamEntry["members"][number];

export interface LoadTeamOptions {
  streamFn: StreamFn;
  models: Model[];
  /** Members get those they name; the orchestrator can grant them. */
  tools: AgentTool[];
  files?: SkillFiles;
}

/**
 * Builds a team from a JSON file: `{ "members": [{ type, name?, description?, provider, model_id, base_url?,
 * system_prompt?, tools? }] }`, one of them of type "orchestrator". `path` is that file, or a folder with a TEAM.json.
 * Throws an AgentError that says what is wrong.
 */
export async function loadTeam(path: string, options: LoadTeamOptions): Promise<Team> {
  const files = options.files ?? nodeFiles;
  const { file, text } = await findTeamFile(path, files);
  const { members } = parseTeam(text, file);
  const leaders = members.filter((member) => member.type === "orchestrator");
  const [leader] = leaders;
  if (leader === undefined || leaders.length > 1) {
    throw refused(file, `exactly one member must be of type "orchestrator", there are ${leaders.length}`);
  }
  const duplicate = members.map(nameOf).find((name, at, names) => names.indexOf(name) !== at);
  if (duplicate !== undefined) throw refused(file, `two members are named "${duplicate}"`);

  const specs = new Map<MemberEntry, Awaited<ReturnType<typeof specOf>>>();
  for (const member of members) specs.set(member, await specOf(member, file, { ...options, files }));
  const team = new Team({ streamFn: options.streamFn });
  const { models, tools } = options;
  const leading = orchestratorTools(team, { grantableTools: tools, grantableSkills: [], models }).list();
  let delegatorId: string | undefined;
  for (const [member, spec] of [...specs].toSorted(([a], [b]) => Number(b === leader) - Number(a === leader))) {
    if (member === leader) delegatorId = team.spawn({ ...spec, tools: [...spec.tools, ...leading] }).id;
    else team.spawn(delegatorId === undefined ? spec : { ...spec, delegatorId });
  }
  return team;
}

async function findTeamFile(path: string, files: SkillFiles): Promise<{ file: string; text: string }> {
  for (const file of [path, pathIn(path, "TEAM.json")]) {
    const text = await files.readText(file);
    if (text !== undefined) return { file, text };
  }
  throw refused(path, "there is no such file");
}

function parseTeam(text: string, path: string): TeamEntry {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw refused(path, `it is not JSON: ${errorText(cause)}`);
  }
  const parsed = teamSchema().safeParse(json);
  if (!parsed.success) throw refused(path, z.prettifyError(parsed.error));
  return parsed.data;
}

function nameOf(member: MemberEntry): string {
  return member.name ?? member.type;
}

async function specOf(member: MemberEntry, path: string, options: LoadTeamOptions & { files: SkillFiles }) {
  const model = findModel(options.models, member.provider, member.model_id);
  return {
    type: member.type,
    name: nameOf(member),
    description: member.description,
    systemPrompt: await promptOf(member, path, options.files),
    model: member.base_url === undefined ? model : { ...model, baseUrl: member.base_url },
    tools: options.tools.filter((tool) => member.tools.includes(tool.name)),
  };
}

async function promptOf(member: MemberEntry, path: string, files: SkillFiles): Promise<string> {
  const { system_prompt: prompt = `members/${nameOf(member)}.md` } = member;
  if (!prompt.endsWith(".md")) return prompt;
  const text = await files.readText(pathIn(folderOf(path), prompt));
  if (text === undefined) throw refused(path, `the prompt ${prompt} of "${nameOf(member)}" is missing`);
  return text;
}

function refused(path: string, why: string): AgentError {
  return new AgentError("bad_input", `The team file ${path} cannot be used: ${why}`);
}
