import * as z from "zod";
import { errorText } from "../vocabulary/errors.ts";
import { onFirstUse } from "../vocabulary/onFirstUse.ts";
import { nameOfPath, pathIn } from "../vocabulary/platform.ts";
import { nodeFiles, type SkillFiles } from "./projectFiles.ts";

/** Instructions kept in a folder with a SKILL.md; with a description, the model loads them when it needs them. */
export interface Skill {
  name: string;
  description?: string;
  /** SKILL.md without its front matter. */
  content: string;
  /** Where files that the content mentions are found. */
  dir: string;
}

export interface LoadSkillsOptions {
  /** Throws on a bad SKILL.md instead of skipping it with a warning. */
  strict?: boolean;
  files?: SkillFiles;
  onWarning?(message: string): void;
}

const skillFile = "SKILL.md";
const frontMatterSchema = onFirstUse(() =>
  z.looseObject({ name: z.string().optional(), description: z.string().optional() }).nullish(),
);

/**
 * Loads the skills in the subfolders of `dirs`, and of a folder that is a skill itself. Folders that are missing or
 * hold no SKILL.md are passed over silently; of several skills with one name the first wins.
 */
export async function loadSkills(dirs: string[], options: LoadSkillsOptions = {}): Promise<Skill[]> {
  const files = options.files ?? nodeFiles;
  const skills = new Map<string, Skill>();
  for (const dir of dirs) {
    for (const folder of [dir, ...(await subfolders(dir, files))]) {
      const skill = await loadSkill(folder, files, options);
      if (skill === undefined) continue;
      const first = skills.get(skill.name);
      if (first === undefined) skills.set(skill.name, skill);
      else options.onWarning?.(`Skill "${skill.name}" in ${folder} is hidden by the one in ${first.dir}.`);
    }
  }
  return [...skills.values()];
}

async function subfolders(dir: string, files: SkillFiles): Promise<string[]> {
  try {
    return (await files.readDir(dir)).toSorted().map((name) => pathIn(dir, name));
  } catch {
    // A folder that is not there is the usual case, not a fault: skills are optional everywhere.
    return [];
  }
}

async function loadSkill(dir: string, files: SkillFiles, options: LoadSkillsOptions): Promise<Skill | undefined> {
  const path = pathIn(dir, skillFile);
  try {
    const text = await files.readText(path);
    return text === undefined ? undefined : await parseSkill(text, dir);
  } catch (error) {
    const message = `Skill ${path} was not loaded: ${errorText(error)}`;
    if (options.strict === true) throw new Error(message, { cause: error });
    options.onWarning?.(message);
    return undefined;
  }
}

async function parseSkill(text: string, dir: string): Promise<Skill> {
  const { data, body } = await parseFrontMatter(text);
  const parsed = frontMatterSchema().safeParse(data);
  if (!parsed.success) throw new Error(`invalid front matter: ${z.prettifyError(parsed.error)}`);
  const skill: Skill = { name: parsed.data?.name?.trim() || nameOfPath(dir), content: body, dir };
  const description = parsed.data?.description?.trim();
  return description ? { ...skill, description } : skill;
}

/** A Markdown file, taken apart. `data` is whatever the YAML says; the caller validates it. */
interface FrontMatter {
  data: unknown;
  body: string;
}

const delimiter = "---";

/**
 * Splits YAML front matter from the text below it. Without a closing line everything is body. Throws on invalid YAML.
 * The parser is loaded when the first file has front matter: most sessions never need it.
 */
async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines[0] === delimiter ? lines.indexOf(delimiter, 1) : -1;
  if (end < 0) return { data: undefined, body: lines.join("\n") };
  const { parse } = await import("yaml");
  return { data: parse(lines.slice(1, end).join("\n")), body: lines.slice(end + 1).join("\n") };
}
