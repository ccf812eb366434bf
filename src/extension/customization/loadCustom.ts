import { t } from "@vscode/l10n";
import { type AgentFileContext, type CustomAgent, type ParsedAgentFile, parseAgentFile } from "./agentFile.ts";
import { loadCustomPrompts, loadCustomSkills } from "./commandFiles.ts";
import { type CustomFileSources, customFolders, fileStart, namesIn, readCustomFile } from "./customFiles.ts";
import type { Custom } from "./customization.ts";
import { nearest, Problems, replacement, spanOfItem } from "./fields.ts";
import type { Entry, Mistake } from "./frontMatter.ts";
import { loadHooks } from "./hookFiles.ts";
import { loadTeams } from "./teamFile.ts";
import { knownToolNames } from "./toolNames.ts";

/** Where agents are described, the first that describes a name counting. */
const agentFolders = [".agents/agents", ".claude/agents", ".github/agents"] as const;

export interface LoadContext extends Pick<AgentFileContext, "modelProblem"> {
  /** Names of the agents that there are without any file. */
  builtInAgents: readonly string[];
  /** Names of agents of other programs that work can be delegated to. Default: none. */
  foreignAgents?(): readonly string[];
  /** What a slash means without any file. */
  builtInCommands: readonly string[];
}

/** Reads all custom files. One that can't be used is named with its mistakes and takes nothing from the others. */
export async function loadCustom(sources: CustomFileSources, context: LoadContext): Promise<Custom> {
  const problems = new Problems();
  const skills = await loadCustomSkills(sources, context, problems);
  const agents = await loadAgents(sources, { ...context, skills: skills.map(({ skill }) => skill.name) }, problems);
  const known = [...context.builtInAgents, ...(context.foreignAgents?.() ?? []), ...agents.map(({ name }) => name)];
  const prompts = await loadCustomPrompts(sources, { ...context, skills, agents: known }, problems);
  const hooks = await loadHooks(sources, problems);
  return { agents, skills, prompts, hooks, problems: problems.list };
}

interface LoadedAgent extends ParsedAgentFile {
  path: string;
  text: string;
}

async function loadAgents(
  sources: CustomFileSources,
  context: LoadContext & { skills: readonly string[] },
  problems: Problems,
): Promise<readonly CustomAgent[]> {
  const loaded: LoadedAgent[] = [];
  const agentContext = { toolNames: knownToolNames(), modelProblem: context.modelProblem };
  for (const folder of customFolders(sources, agentFolders)) {
    for (const name of await namesIn(sources, folder)) {
      if (!/\.md$/i.test(name) || /^(?:readme|agents)\.md$/i.test(name)) continue;
      const path = `${folder}/${name}`;
      const file = await readCustomFile(sources, path);
      if (file === undefined) continue;
      if ("problem" in file) {
        const message = t("{0} is not used as an agent: {1}", path, file.problem);
        problems.add(path, "", { span: fileStart, severity: "error", message });
      } else loaded.push({ ...file, ...parseAgentFile(path, file.text, agentContext) });
    }
  }
  for (const { team, nameSpan, text } of await loadTeams(sources, agentContext, problems)) {
    const spans = { name: nameSpan, agents: undefined, skills: undefined };
    loaded.push({ path: team.path, text, agent: team, mistakes: [], spans });
  }
  const agents = withoutDuplicates(loaded, context, problems);
  const known = [...new Set([...context.builtInAgents, ...(context.foreignAgents?.() ?? []), ...agents.keys()])];
  for (const { path, text, mistakes, spans, agent } of loaded) {
    for (const mistake of mistakes) problems.add(path, text, mistake);
    if (agent === undefined) continue;
    const { agents: named } = agent;
    const noAgent = (name: string) => t("There is no agent {0}.", name);
    const noSkill = (name: string) => t("There is no skill {0}.", name);
    const unknown = [
      ...unknownNames(named === "*" ? [] : named, { entry: spans.agents, known, message: noAgent }),
      ...unknownNames(agent.skills ?? [], { entry: spans.skills, known: context.skills, message: noSkill }),
    ];
    for (const mistake of unknown) problems.add(path, text, mistake);
    const cycle = cycleFrom(agent, agents);
    if (cycle === undefined || spans.agents === undefined) continue;
    const message = t("{0} is a cycle: an agent that is at work is not called again from below.", cycle.join(" → "));
    problems.add(path, text, { span: spans.agents.valueSpan, severity: "warning", message });
  }
  return [...agents.values()];
}

/** By name, without regard to letter case. */
function withoutDuplicates(
  loaded: readonly LoadedAgent[],
  { builtInAgents }: LoadContext,
  problems: Problems,
): Map<string, CustomAgent> {
  const first = new Map<string, CustomAgent>();
  for (const { agent, spans, path, text } of loaded) {
    if (agent === undefined) continue;
    const other = first.get(agent.name.toLowerCase());
    const builtIn = builtInAgents.find((name) => name.toLowerCase() === agent.name.toLowerCase());
    if (other !== undefined) {
      const message = t("The agent {0} is described in {1} already. That one counts.", agent.name, other.path);
      problems.add(path, text, { span: spans.name, severity: "warning", message });
      continue;
    }
    if (builtIn !== undefined) {
      const message = t("This agent takes the place of the built-in agent {0}.", builtIn);
      problems.add(path, text, { span: spans.name, severity: "information", message });
    }
    first.set(agent.name.toLowerCase(), builtIn === undefined ? agent : { ...agent, name: builtIn });
  }
  return new Map([...first.values()].map((agent) => [agent.name, agent]));
}

function unknownNames(
  names: readonly string[],
  o: { entry: Entry | undefined; known: readonly string[]; message(name: string): string },
): Mistake[] {
  const missing = names.filter((name) => !o.known.some((each) => each.toLowerCase() === name.toLowerCase()));
  return missing.map((name) => {
    const span = spanOfItem(o.entry, name);
    const near = nearest(name, o.known);
    const fix = near === undefined ? {} : { fix: replacement(span, near) };
    return { span, severity: "warning", message: o.message(name), ...fix };
  });
}

/** The way from an agent back to itself, by the agents that each names; undefined where there is none. */
function cycleFrom({ name }: CustomAgent, agents: ReadonlyMap<string, CustomAgent>): string[] | undefined {
  const seen = new Set<string>();
  const ways = [[name]];
  for (const way of ways) {
    const named = agents.get(way.at(-1) ?? "")?.agents ?? [];
    for (const next of named === "*" ? [] : named) {
      if (next === name) return [...way, name];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
