import { t } from "@vscode/l10n";
import type { Skill } from "../../agent/context/skills.ts";
import type { Attachment, PlaceAttachment } from "../../protocol/attachments.ts";
import type { SlashCommand } from "../../protocol/suggestions.ts";
import { UserError } from "../common/userError.ts";
import type { CustomAgent } from "./agentFile.ts";
import { isTeam } from "./teamTools.ts";

/** What a slash and the name of a file mean. */
interface CustomCommand {
  name: string;
  /** On one line. */
  description: string;
  /** The file, as the user sees it. */
  path: string;
  /** What may be typed after the name. */
  argumentHint?: string;
  text: string;
}

/** A file whose text is sent in place of a command. */
export interface CustomPrompt extends CustomCommand {
  /** The agent that is to do it. */
  agent?: string;
}

export interface CustomSkill {
  skill: Skill & { description: string };
  path: string;
  argumentHint?: string;
  /** Whether agents are offered it. */
  isOffered: boolean;
  /** Whether it is a command too. */
  isCommand: boolean;
}

interface CustomCommands {
  agents: readonly CustomAgent[];
  skills: readonly CustomSkill[];
  prompts: readonly CustomPrompt[];
}

/** The commands that files add, as they are offered. */
export function listCustomCommands({ agents, skills, prompts }: CustomCommands): SlashCommand[] {
  const teams = agents.filter(isTeam).map(({ name }) => name);
  const entry =
    (group: "prompt" | "skill") =>
    ({ name, description, argumentHint = "" }: Omit<CustomCommand, "text" | "path">) => ({
      name: typedName(name),
      description: argumentHint === "" ? description : `${argumentHint} · ${description}`,
      ...{ takesText: true, group },
    });
  return [
    ...(teams.length > 0
      ? [{ name: teamCommand, description: t("Hand this to a team: {0}", teams.join(", ")), takesText: true }]
      : []),
    ...prompts.map(entry("prompt")),
    ...skills.filter(({ isCommand }) => isCommand).map((skill) => entry("skill")(commandOf(skill))),
  ];
}

const teamCommand = "team";

/** What `/team NAME` attaches. Throws a `UserError` where there is no such team. */
function teamAttachments(typed: string, agents: readonly CustomAgent[]): Attachment[] {
  const [wanted = ""] = wordsOf(typed);
  const teams = agents.filter(isTeam);
  const team = teams.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (team !== undefined) return [{ kind: "agent", name: team.name }];
  const names = teams.map(({ name }) => name).join(", ");
  if (names === "") throw new UserError(t("There is no team yet. A team is a file in .agents/teams."));
  throw new UserError(t("There is no team {0}. There are: {1}", wanted, names));
}

/** As it is typed: the composer knows small letters, digits and hyphens. */
export function typedName(name: string): string {
  return name.toLowerCase().replaceAll(".", "-");
}

function commandOf({ skill, ...rest }: CustomSkill): CustomCommand {
  const text = `${skill.content.trimEnd()}\n\nFiles that this skill mentions are in ${skill.dir}`;
  return { ...rest, name: skill.name, description: skill.description, text };
}

/** What the editor shows while a command is made a message of. */
export interface CommandContext {
  selection?: PlaceAttachment;
  activeFile?: string;
}

/** What a command attaches to the message that calls it; undefined where no file describes one of this name. */
export function attachmentsOfCommand(
  name: string,
  typed: string,
  { agents, skills, prompts }: CustomCommands,
  context: CommandContext,
): Attachment[] | undefined {
  if (name === teamCommand) return teamAttachments(typed, agents);
  const prompt = prompts.find((each) => typedName(each.name) === typedName(name));
  const skill = skills.find((each) => each.isCommand && typedName(each.skill.name) === typedName(name));
  const command = prompt ?? (skill && commandOf(skill));
  if (command === undefined) return undefined;
  const { text, usesSelection } = expandCommand(command.text, typed, context);
  const what = prompt === undefined ? `the skill ${name}` : `the prompt ${command.path}`;
  const lead = `The user calls ${what}${typed === "" ? "" : ` with: ${typed}`}\nDo what it says:`;
  return [
    { kind: "text", name: command.path, text: `${lead}\n\n${text}` },
    ...(usesSelection && context.selection !== undefined ? [context.selection] : []),
    ...(prompt?.agent === undefined ? [] : [{ kind: "agent" as const, name: prompt.agent }]),
  ];
}

const placeholders =
  /\$ARGUMENTS\[(\d{1,2})\]|\$ARGUMENTS\b|\$(\d)(?!\d)|\$\{input:([\w-]+)(?::([^}]*))?\}|\$\{(file|relativeFile|selection|selectedText)\}/g;

/**
 * The text of a command with what was typed after its name, in the spellings of Claude Code and VS Code. What is put in is
 * not looked through again. Where nothing takes what was typed, it is added at the end.
 */
function expandCommand(
  text: string,
  typed: string,
  { activeFile, selection }: CommandContext,
): { text: string; usesSelection: boolean } {
  const words = wordsOf(typed);
  const named = new Map(words.flatMap((word) => (/^[\w-]+=/.test(word) ? [splitOnce(word)] : [])));
  const unnamed = words.filter((word) => !/^[\w-]+=/.test(word));
  // Counted from 0 where somebody counts so.
  const first = /\$0(?!\d)/.test(text) ? 0 : 1;
  const inputs = [...new Set([...text.matchAll(/\$\{input:([\w-]+)/g)].map(([, name = ""]) => name))];
  const open = inputs.filter((name) => !named.has(name));
  let takesTyped = false;
  let usesSelection = false;
  const inputOf = (name: string, hint: string | undefined): string => {
    const given = named.get(name) ?? (open.length === 1 ? unnamed.join(" ") : unnamed[open.indexOf(name)]);
    return given === undefined || given === "" ? `(${hint ?? name}: not given)` : given;
  };
  const expanded = text.replace(placeholders, (_all, at, number, input, hint, variable) => {
    if (variable === "file" || variable === "relativeFile") return activeFile ?? "(no file is open)";
    if (variable !== undefined) {
      usesSelection = true;
      return selection === undefined ? "(nothing is selected)" : "(the attached selection)";
    }
    takesTyped = true;
    if (at !== undefined) return words[Number(at)] ?? "";
    if (number !== undefined) return words[Number(number) - first] ?? "";
    return input === undefined ? typed : inputOf(input, hint);
  });
  const rest = takesTyped || typed === "" ? "" : `\n\nArguments: ${typed}`;
  return { text: expanded.trimEnd() + rest, usesSelection };
}

/** Words between blanks; quotes hold several together. */
function wordsOf(typed: string): string[] {
  const words = typed.match(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double = "", single = "") => double + single));
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}
