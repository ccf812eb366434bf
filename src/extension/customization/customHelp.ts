import { agentFields } from "./agentFile.ts";
import { promptFields, skillFields } from "./commandFiles.ts";
import type { Field } from "./fields.ts";
import { memberFields, teamFields } from "./teamFile.ts";
import { editorToolChoices } from "./toolNames.ts";

/** What can be named in a front matter, beside what is always there. */
export interface KnownNames {
  agents: readonly string[];
  skills: readonly string[];
  models: readonly string[];
}

export interface FieldHelp {
  label: string;
  detail?: string;
  /** What is written for it. */
  insert: string;
}

/** The fields of a custom file, by the folder that it lies in; undefined where it is none. */
function fieldsOf(path: string): Readonly<Record<string, Field>> | undefined {
  if (/(?:^|\/)agents\/[^/]+\.md$/i.test(path)) return agentFields;
  if (/(?:^|\/)skills\/[^/]+\/SKILL\.md$/.test(path)) return skillFields;
  return /(?:^|\/)(?:prompts|commands)\/.*\.md$/i.test(path) ? promptFields : undefined;
}

/** What may be written at a position of a front matter; lines and characters count from 0. */
export function completeField(
  path: string,
  text: string,
  { line, character }: { line: number; character: number },
  names: KnownNames,
): FieldHelp[] {
  if (isTeamFile(path)) return completeTeam(text, { line, character }, names);
  const fields = fieldsOf(path);
  const lines = frontMatterLines(text);
  const before = lines?.[line - 1]?.slice(0, character);
  if (fields === undefined || lines === undefined || before === undefined) return [];
  if (/^[\w-]*$/.test(before)) {
    const written = new Set(lines.flatMap((each, index) => (index === line - 1 ? [] : (keyOf(each) ?? []))));
    return described(fields)
      .filter(([name]) => !written.has(name))
      .map(([name, { description }]) => ({ label: name, detail: description(), insert: `${name}: ` }));
  }
  const key = keyAt(lines, line - 1);
  const field = key !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (key === undefined || field === undefined) return [];
  return valuesOf(key, field, names).map((value) => ({ label: value, insert: value }));
}

/** What a field does; undefined where the position is not on its name. */
export function explainField(
  path: string,
  text: string,
  { line, character }: { line: number; character: number },
): string | undefined {
  if (isTeamFile(path)) return explainTeam(text.split(/\r\n|\r|\n/)[line] ?? "", character);
  const written = frontMatterLines(text)?.[line - 1] ?? "";
  const key = keyOf(written);
  const fields = fieldsOf(path);
  if (key === undefined || character > key.length || fields === undefined || !Object.hasOwn(fields, key))
    return undefined;
  return fields[key]?.description?.();
}

function isTeamFile(path: string): boolean {
  return /(?:^|\/)teams\/[^/]+\.ya?ml$/i.test(path);
}

/** A line of a team file: where its field begins, and its name as far as it is written. */
const teamLine = /^(\s*(?:-\s+)?)([\w-]*)(\s*:)?/;

function completeTeam(
  text: string,
  { line, character }: { line: number; character: number },
  { models }: KnownNames,
): FieldHelp[] {
  const lines = text.split(/\r\n|\r|\n/);
  const before = (lines[line] ?? "").slice(0, character);
  const [, indent = "", key = "", colon] = teamLine.exec(before) ?? [];
  if (colon === undefined) {
    const fields = indent === "" ? teamFields : memberFields;
    // Those of the team are there once; a member begins with each hyphen.
    const written = new Set(indent === "" ? lines.flatMap((each) => keyOf(each) ?? []) : []);
    return Object.entries(fields)
      .filter(([name]) => name === key || !written.has(name))
      .map(([label, detail]) => ({ label, detail: detail(), insert: `${label}: ` }));
  }
  const values: Readonly<Record<string, readonly string[]>> = {
    type: ["orchestrator"],
    tools: editorToolChoices,
    provider: [...new Set(models.map((name) => name.split("/")[0] ?? ""))],
    model_id: models.map((name) => name.slice(name.indexOf("/") + 1)),
  };
  return (values[key] ?? []).map((value) => ({ label: value, insert: value }));
}

function explainTeam(line: string, character: number): string | undefined {
  const [, indent = "", key = "", colon] = teamLine.exec(line) ?? [];
  const isOnKey = character >= indent.length && character <= indent.length + key.length;
  const fields = indent === "" ? teamFields : memberFields;
  return colon === undefined || !isOnKey || !Object.hasOwn(fields, key) ? undefined : fields[key]?.();
}

function described(fields: Readonly<Record<string, Field>>): [string, Required<Pick<Field, "description">>][] {
  return Object.entries(fields).flatMap(([name, { description }]) =>
    description === undefined ? [] : [[name, { description }]],
  );
}

function valuesOf(key: string, { values = [] }: Field, { agents, skills, models }: KnownNames): readonly string[] {
  switch (key) {
    case "tools":
    case "disallowedTools":
      return editorToolChoices;
    case "agents":
    case "agent":
      return agents;
    case "skills":
      return skills;
    case "model":
      return ["inherit", ...models];
    default:
      return values;
  }
}

/** The lines between the two that bound the front matter; the second may not be written yet. */
function frontMatterLines(text: string): string[] | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  return lines.slice(1, end < 0 ? undefined : end);
}

function keyOf(line: string): string | undefined {
  return /^([A-Za-z_][\w.-]*)[ \t]*:/.exec(line)?.[1];
}

/** The field that a line belongs to: its own, or the one above it. */
function keyAt(lines: readonly string[], at: number): string | undefined {
  for (let index = at; index >= 0; index--) {
    const key = keyOf(lines[index] ?? "");
    if (key !== undefined) return key;
  }
  return undefined;
}

/** A new agent file, to be filled in. */
export function agentTemplate(name: string): string {
  return `---
name: ${name}
description: Say here when to use this agent. Other agents choose it by this.
tools: [read_file, list_files, find_files, search_text, get_diagnostics]
---

You …

- Say what to look at first, what to do, and what to leave alone.
- Say what to report.
`;
}
