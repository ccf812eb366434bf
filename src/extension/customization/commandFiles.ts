import { t } from "@vscode/l10n";
import * as z from "zod";
import { baseName, maxDescription, namePattern, onOneLine, plainName, unusableName } from "./agentFile.ts";
import { type CustomPrompt, type CustomSkill, typedName } from "./customCommands.ts";
import { type CustomFileSources, customFolders, fileStart, namesIn, readCustomFile } from "./customFiles.ts";
import {
  type Field,
  flagField,
  listField,
  nearest,
  type Problems,
  readFields,
  replacement,
  textField,
} from "./fields.ts";
import { type Mistake, parseFrontMatter, type TextSpan } from "./frontMatter.ts";
import { hiddenTextIn } from "./hiddenText.ts";

const skillFolders = [".agents/skills", ".claude/skills", ".github/skills"] as const;
/** With how the names of their files end. */
const promptFolders: Readonly<Record<string, RegExp>> = {
  ".agents/prompts": /\.md$/i,
  ".claude/commands": /\.md$/i,
  ".github/prompts": /\.prompt\.md$/i,
};

/** Says something to others that nothing here depends on. */
const remark: Field = { schema: z.unknown(), expected: () => "" };
/** Hints are often written as a list: in brackets. */
const hint: Field<string> = {
  schema: z.union([textField.schema, z.array(z.string()).transform((names) => `[${names.join(", ")}]`)]),
  expected: textField.expected,
  description: () => t("What to type after the name of the command."),
};

export const skillFields = {
  name: { ...textField, description: () => t("The skill's name. Default: its folder's name.") },
  description: { ...textField, description: () => t("What the skill does and when to load it.") },
  when_to_use: textField,
  "argument-hint": hint,
  "disable-model-invocation": {
    ...flagField,
    description: () => t("If true, agents don't load it on their own: only you can run it, as a command."),
  },
  "user-invocable": { ...flagField, description: () => t("If false, it is not among the commands.") },
  ...{ license: remark, compatibility: remark, metadata: remark, version: remark },
} satisfies Record<string, Field>;

export const promptFields = {
  name: { ...textField, description: () => t("The command's name. Default: the file's name.") },
  description: { ...textField, description: () => t("What the command does.") },
  "argument-hint": hint,
  agent: { ...textField, description: () => t("The agent that is to do it.") },
  mode: textField,
  tools: { ...listField },
  model: { ...listField },
} satisfies Record<string, Field>;

interface CommandContext {
  builtInCommands: readonly string[];
}

/** A file as far as it is the same for skills and prompts. */
interface Described {
  name: string;
  description: string;
  body: string;
  nameSpan: TextSpan;
}

/** Reads the skills: folders with a SKILL.md, whose other files it mentions. */
export async function loadCustomSkills(
  sources: CustomFileSources,
  { builtInCommands }: CommandContext,
  problems: Problems,
): Promise<CustomSkill[]> {
  const skills = new Map<string, CustomSkill>();
  for (const folder of customFolders(sources, skillFolders)) {
    for (const folderName of await namesIn(sources, folder)) {
      const dir = `${folder}/${folderName}`;
      const path = `${dir}/SKILL.md`;
      const file = await readCustomFile(sources, path);
      if (file === undefined) continue;
      if ("problem" in file) {
        const message = t("{0} is not used as a skill: {1}", path, file.problem);
        problems.add(path, "", { span: fileStart, severity: "error", message });
        continue;
      }
      const { described, values, mistakes } = describe(file.text, folderName, skillFields);
      const add = (mistake: Mistake) => problems.add(path, file.text, mistake);
      mistakes.forEach(add);
      if (described === undefined) continue;
      const { name, description, body, nameSpan: span } = described;
      const other = skills.get(name.toLowerCase());
      if (other !== undefined) {
        const message = t("The skill {0} is described in {1} already. That one counts.", name, other.path);
        add({ span, severity: "warning", message });
        continue;
      }
      const isHidden = builtInCommands.includes(typedName(name));
      if (isHidden) add({ span, severity: "information", message: builtIn(name) });
      const argumentHint = values["argument-hint"];
      skills.set(name.toLowerCase(), {
        ...{ path, skill: { name, description, content: body, dir } },
        ...(argumentHint !== undefined && { argumentHint }),
        isOffered: values["disable-model-invocation"] !== true,
        isCommand: !isHidden && values["user-invocable"] !== false,
      });
    }
  }
  return [...skills.values()];
}

/** Reads the prompt files, which are commands. A name that is one already stays what it is. */
export async function loadCustomPrompts(
  sources: CustomFileSources,
  { builtInCommands, skills, agents }: CommandContext & { skills: readonly CustomSkill[]; agents: readonly string[] },
  problems: Problems,
): Promise<CustomPrompt[]> {
  const prompts = new Map<string, CustomPrompt>();
  for (const path of await promptPaths(sources)) {
    const file = await readCustomFile(sources, path);
    if (file === undefined) continue;
    if ("problem" in file) {
      const message = t("{0} is not used as a command: {1}", path, file.problem);
      problems.add(path, "", { span: fileStart, severity: "error", message });
      continue;
    }
    const { described, values, mistakes, spanOf } = describe(file.text, baseName(path), promptFields);
    const add = (mistake: Mistake) => problems.add(path, file.text, mistake);
    mistakes.forEach(add);
    if (described === undefined) continue;
    const { name, description, body, nameSpan: span } = described;
    const skill = skills.find((each) => typedName(each.skill.name) === typedName(name) && each.isCommand);
    const other = prompts.get(typedName(name)) ?? skill;
    if (builtInCommands.includes(typedName(name))) add({ span, severity: "warning", message: builtIn(name) });
    else if (other !== undefined) {
      const message = t("The command {0} is described in {1} already. That one counts.", name, other.path);
      add({ span, severity: "warning", message });
    } else {
      const argumentHint = values["argument-hint"];
      // The agents of other programs' panels are no agents here.
      const named = plainName(values.agent ?? "");
      const isOfOthers = /^(?:ask|edit|agent|plan)$/i.test(named) || (named === "build" && !agents.includes(named));
      const agent = named === "" || isOfOthers ? undefined : named;
      if (agent !== undefined) unknownAgent(agent, spanOf("agent"), agents).forEach(add);
      prompts.set(typedName(name), {
        ...{ name, description, path, text: body },
        ...(argumentHint !== undefined && { argumentHint }),
        ...(agent !== undefined && { agent }),
      });
    }
  }
  return [...prompts.values()];
}

/** It is addressed all the same: it may be there when the command is used. */
function unknownAgent(name: string, span: TextSpan, known: readonly string[]): Mistake[] {
  if (known.some((each) => each.toLowerCase() === name.toLowerCase())) return [];
  const near = nearest(name, known);
  const fix = near === undefined ? {} : { fix: replacement(span, near) };
  return [{ span, severity: "warning", message: t("There is no agent {0}.", name), ...fix }];
}

function builtIn(name: string): string {
  return t("/{0} is a command of Arbor. Give this one another name to use it as a command.", name);
}

/** Files in the folders for prompts, and in folders one level below. */
async function promptPaths(sources: CustomFileSources): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of customFolders(sources, Object.keys(promptFolders))) {
    const [, ending = /\.md$/i] = Object.entries(promptFolders).find(([known]) => folder.endsWith(known)) ?? [];
    for (const name of await namesIn(sources, folder)) {
      const path = `${folder}/${name}`;
      if (ending.test(name)) paths.push(path);
      else if (!name.includes(".")) {
        const below = await namesIn(sources, path);
        paths.push(...below.filter((each) => ending.test(each)).map((each) => `${path}/${each}`));
      }
    }
  }
  return paths;
}

/** Without a description, a file is described by the first line of its text. */
function describe<F extends typeof skillFields | typeof promptFields>(text: string, fileName: string, fields: F) {
  const front = parseFrontMatter(text) ?? { entries: [], mistakes: [], body: text };
  const { values, mistakes: fieldMistakes } = readFields(front, fields);
  const mistakes = [...front.mistakes, ...fieldMistakes];
  const entryOf = (name: string) => front.entries.find(({ key }) => key === name);
  const spanOf = (name: string) => entryOf(name)?.valueSpan ?? fileStart;
  const nameSpan = spanOf("name");
  const name = plainName(values.name ?? fileName);
  if (!namePattern.test(name)) mistakes.push(unusableName(name, nameSpan, entryOf("name") !== undefined));
  mistakes.push(...hiddenTextIn(text));
  const body = front.body.trim();
  const firstLine = body.split(/[\r\n]/, 1)[0]?.replace(/^#+\s*/, "") ?? "";
  const { description: given = firstLine } = values;
  const whenToUse = "when_to_use" in values ? values.when_to_use : undefined;
  const whole = whenToUse === undefined ? given : `${given} ${whenToUse}`;
  const description = onOneLine(whole).slice(0, maxDescription);
  const isUsed = body !== "" && !mistakes.some(({ severity }) => severity === "error");
  const described: Described | undefined = isUsed ? { name, description, body, nameSpan } : undefined;
  return { described, values, mistakes, spanOf };
}
