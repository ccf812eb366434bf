import { t } from "@vscode/l10n";
import { isMap, isNode, isScalar, type Node, parseDocument } from "yaml";
import * as z from "zod";
import {
  type AgentFileContext,
  type CustomAgent,
  maxDescription,
  namePattern,
  onOneLine,
  plainName,
  readTools,
  reservedNames,
  unusableName,
} from "./agentFile.ts";
import { type CustomFileSources, customFolders, fileStart, namesIn, readCustomFile } from "./customFiles.ts";
import { nearest, type Problems, replacement } from "./fields.ts";
import type { Mistake, TextSpan } from "./frontMatter.ts";
import { hiddenTextIn } from "./hiddenText.ts";
import type { CustomTeam } from "./teamTools.ts";

const maxMembers = 16;
const text = z.string().trim().min(1);

/** The library's format, where the model may be left out: it is then that of the agent that delegates. */
const memberSchema = z.strictObject({
  type: text,
  name: text.exactOptional(),
  description: z.string().exactOptional(),
  provider: text.exactOptional(),
  model_id: text.exactOptional(),
  base_url: z.string().exactOptional(),
  system_prompt: text.exactOptional(),
  tools: z.array(z.string()).exactOptional(),
});
const teamSchema = z.strictObject({
  name: text.exactOptional(),
  description: z.string().exactOptional(),
  members: z.array(memberSchema).min(1).max(maxMembers),
});
type Member = z.infer<typeof memberSchema>;

/** The fields of a team file and of its members, with what they do. */
export const teamFields: Readonly<Record<string, () => string>> = {
  name: () => t("The team's name. Default: the file's name."),
  description: () => t("When to use it."),
  members: () => t("Its agents: one of the type orchestrator, who leads it, and the others."),
};
export const memberFields: Readonly<Record<string, () => string>> = {
  type: () => t("What it is for; orchestrator for the one who leads."),
  name: () => t("Its name for the other members. Default: its type."),
  description: () => t("When to use it."),
  provider: () => t("Whose model it has. Default: the model of the agent that delegates."),
  model_id: () => t("The model, as its provider calls it."),
  base_url: () => t("Arbor does not use {0}.", "base_url"),
  system_prompt: () => t("Its instructions, or a Markdown file with them. Default: members/<name>.md."),
  tools: () => t("The tools it has. Default: none."),
};

/** Reads the team files. A team of which something is missing is not used, and takes nothing from others. */
export async function loadTeams(
  sources: CustomFileSources,
  context: AgentFileContext,
  problems: Problems,
): Promise<{ team: CustomTeam; nameSpan: TextSpan; text: string }[]> {
  const teams: { team: CustomTeam; nameSpan: TextSpan; text: string }[] = [];
  for (const folder of customFolders(sources, [".agents/teams"])) {
    for (const name of await namesIn(sources, folder)) {
      if (!/\.(?:ya?ml|json)$/i.test(name)) continue;
      const path = `${folder}/${name}`;
      const file = await readCustomFile(sources, path);
      if (file === undefined) continue;
      if ("problem" in file) {
        const message = t("{0} is not used as a team: {1}", path, file.problem);
        problems.add(path, "", { span: fileStart, severity: "error", message });
        continue;
      }
      const readPrompt = async (prompt: string) => {
        const promptPath = `${folder}/${prompt}`;
        if (prompt.startsWith("/") || prompt.split("/").includes("..")) {
          return { problem: t("it is not below the folder of the team file") };
        }
        const found = await readCustomFile(sources, promptPath);
        if (found === undefined) return { problem: t("{0} does not exist", promptPath) };
        if ("text" in found)
          for (const mistake of hiddenTextIn(found.text)) problems.add(promptPath, found.text, mistake);
        return found;
      };
      const { team, mistakes, nameSpan } = await parseTeamFile(path, file.text, { ...context, readPrompt });
      for (const mistake of [...mistakes, ...hiddenTextIn(file.text)]) problems.add(path, file.text, mistake);
      if (team !== undefined) teams.push({ team, nameSpan, text: file.text });
    }
  }
  return teams;
}

interface TeamContext extends AgentFileContext {
  readPrompt(path: string): Promise<{ text: string } | { problem: string }>;
}

async function parseTeamFile(
  path: string,
  source: string,
  context: TeamContext,
): Promise<{ team?: CustomTeam; mistakes: Mistake[]; nameSpan: TextSpan }> {
  const document = parseDocument(source, { logLevel: "silent", prettyErrors: false });
  const spanAt = (at: readonly PropertyKey[]): TextSpan => {
    for (let length = at.length; length > 0; length--) {
      const node: unknown = document.getIn(at.slice(0, length), true);
      if (isNode(node)) return rangeOf(node);
    }
    return fileStart;
  };
  /** Of the name of a field, not of what it holds. */
  const keySpanAt = (at: readonly PropertyKey[], name: string): TextSpan => {
    const map: unknown = at.length === 0 ? document.contents : document.getIn(at, true);
    const pairs = isMap(map) ? map.items : [];
    const key = pairs.map((pair) => pair.key).find((each) => isScalar(each) && each.value === name);
    return isNode(key) ? rangeOf(key) : spanAt([...at, name]);
  };
  const mistakes: Mistake[] = document.errors.map(({ pos: [start, end], message }) => ({
    ...{ span: { start, end }, severity: "error", message: t("The team can't be read: {0}", message) },
  }));
  const nameSpan = spanAt(["name"]);
  if (mistakes.length > 0) return { mistakes, nameSpan };
  const parsed = teamSchema.safeParse(plainOf(document));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) mistakes.push(...shapeMistakes(issue, { spanAt, keySpanAt }));
    return { mistakes, nameSpan };
  }
  const { members, name: given, description } = parsed.data;
  const add = (at: readonly PropertyKey[], severity: Mistake["severity"], message: string, fix?: Mistake["fix"]) =>
    mistakes.push({ span: spanAt(at), severity, message, ...(fix && { fix }) });
  const name = plainName(given ?? path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, ""));
  if (!namePattern.test(name)) mistakes.push(unusableName(name, nameSpan, given !== undefined));
  else if (reservedNames.includes(name.toLowerCase())) {
    add(["name"], "error", t("{0} means something else. Choose another name.", name));
  }
  const leaders = members.filter(({ type }) => type === "orchestrator");
  if (leaders.length !== 1) {
    const meant = leaders.length === 0 ? members.findIndex(({ type }) => nearest(type, ["orchestrator"])) : -1;
    const at = meant < 0 ? ["members"] : ["members", meant, "type"];
    const fix = meant < 0 ? undefined : replacement(spanAt(at), "orchestrator");
    add(at, "error", t("One member must have the type orchestrator. Here there are {0}.", leaders.length), fix);
  }
  const agents: CustomAgent[] = [];
  for (const [at, member] of members.entries()) {
    const isDuplicate = members.slice(0, at).some((other) => nameOf(other) === nameOf(member));
    if (isDuplicate) add(["members", at, "name"], "error", t("Two members are called {0}.", nameOf(member)));
    agents.push(await readMember(at, member));
  }
  const leader = agents.find((_agent, at) => members[at] === leaders[0]);
  const isUsed = leader !== undefined && mistakes.every(({ severity }) => severity !== "error");
  if (!isUsed) return { mistakes, nameSpan };
  const workers = agents.filter((agent) => agent !== leader);
  const described = onOneLine(description ?? leader.description).slice(0, maxDescription);
  const team: CustomTeam = {
    ...leader,
    ...{ name, workers, isMentioned: true },
    description: described || t("A team of {0}", workers.map((worker) => worker.name).join(", ")),
  };
  return { team, mistakes, nameSpan };

  async function readMember(at: number, member: Member): Promise<CustomAgent> {
    const ownName = nameOf(member);
    if (!namePattern.test(ownName)) {
      const span = spanAt(["members", at, member.name === undefined ? "type" : "name"]);
      mistakes.push(unusableName(ownName, span, true));
    }
    const entry = { key: "tools", keySpan: fileStart, value: [], valueSpan: spanAt(["members", at, "tools"]) };
    const items = (member.tools ?? []).map((value, item) => ({ value, span: spanAt(["members", at, "tools", item]) }));
    const tools = readTools(member.tools ?? [], { ...entry, items }, context);
    mistakes.push(...(tools?.mistakes ?? []));
    if (member.base_url !== undefined) {
      add(["members", at, "base_url"], "information", t("Arbor does not use {0}.", "base_url"));
    }
    return {
      name: ownName,
      description: onOneLine(member.description ?? "").slice(0, maxDescription),
      instructions: await instructionsOf(at, member),
      path,
      ...(tools !== undefined && { tools: tools.names }),
      ...{ deniedTools: [], agents: [], limits: {}, isOffered: false, isMentioned: false },
      models: modelsOf(at, member),
    };
  }

  async function instructionsOf(at: number, member: Member): Promise<string> {
    const { system_prompt: prompt = `members/${nameOf(member)}.md` } = member;
    if (!/\.md$/i.test(prompt) || /\s/.test(prompt)) return prompt;
    const read = await context.readPrompt(prompt);
    if ("text" in read) return read.text.trim();
    const key = member.system_prompt === undefined ? [] : ["system_prompt"];
    add(
      ["members", at, ...key],
      "error",
      t("The instructions of {0} can't be read: {1}", nameOf(member), read.problem),
    );
    return "";
  }

  function modelsOf(at: number, { provider, model_id: id }: Member): string[] {
    if (provider === undefined && id === undefined) return [];
    if (provider === undefined || id === undefined) {
      add(["members", at], "warning", t("provider and model_id belong together: this member has another one's model."));
      return [];
    }
    const problem = context.modelProblem(`${provider}/${id}`, path.startsWith("~/") ? "user" : "workspace");
    if (problem === undefined) return [`${provider}/${id}`];
    add(["members", at, "model_id"], "warning", problem);
    return [];
  }
}

function nameOf({ name, type }: Member): string {
  return plainName(name ?? type);
}

function plainOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 10 });
  } catch {
    // Aliases of aliases.
    return undefined;
  }
}

function rangeOf(node: Node): TextSpan {
  const [start = 0, end = 0] = node.range ?? [];
  return { start, end };
}

interface Spans {
  spanAt(at: readonly PropertyKey[]): TextSpan;
  keySpanAt(at: readonly PropertyKey[], name: string): TextSpan;
}

function shapeMistakes(issue: z.core.$ZodIssue, { spanAt, keySpanAt }: Spans): Mistake[] {
  const where = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") {
    const message = t("The team can't be read: {0}", where === "" ? issue.message : `${where}: ${issue.message}`);
    return [{ span: spanAt(issue.path), severity: "error", message }];
  }
  const known = Object.keys(issue.path.length === 0 ? teamFields : memberFields);
  return issue.keys.map((key) => {
    const span = keySpanAt(issue.path, key);
    const near = nearest(key, known);
    const message = t("A team has no field {0}.", [...issue.path.map(String), key].join("."));
    const hint = near === undefined ? message : `${message} ${t("Is {0} meant?", near)}`;
    return { span, severity: "error", message: hint, ...(near !== undefined && { fix: replacement(span, near) }) };
  });
}
