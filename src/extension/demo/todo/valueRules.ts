import { findSubject } from "./conditions.ts";
import type { TodoRule } from "./todoRule.ts";
import { readValue } from "./values.ts";

const understood = /\.([cm]?[jt]sx?)$/;
const places: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4 };

/** "round to two decimals": what the function returns last. */
export const roundRule: TodoRule = ({ path, lines, todo, target }) => {
  const match =
    /\bround(?:ed)?\b.*?\bto (?:(?:the )?nearest (integer|whole number|cent)|(\d|one|two|three|four) (?:decimals?|decimal places|digits|places))/i.exec(
      todo.text,
    );
  if (match === null || target === undefined || !understood.test(path)) return undefined;
  const digits = match[1] === undefined ? (places[match[2] ?? ""] ?? Number(match[2])) : match[1] === "cent" ? 2 : 0;
  const index = lines.slice(0, target.endLine).findLastIndex((text) => /^\s*return .+;\s*$/.test(text)) + 1;
  const [, indent, value] = /^(\s*)return (.+);\s*$/.exec(lines[index - 1] ?? "") ?? [];
  if (index <= target.openLine || indent === undefined || value === undefined) return undefined;
  const factor = 10 ** digits;
  const rounded = digits === 0 ? `Math.round(${value})` : `Math.round((${value}) * ${factor}) / ${factor}`;
  return {
    changes: [{ start: index, end: index, lines: [`${indent}return ${rounded};`] }],
    note: "rounds what is returned last",
  };
};

/** "default quantity to 1", "add a default of 10 for limit". */
export const defaultRule: TodoRule = ({ path, lines, todo, target }) => {
  if (target === undefined || !understood.test(path)) return undefined;
  const spoken =
    /\b(?:let )?(?:the )?(\S+) default(?:s)? to (.+)$/i.exec(todo.text) ??
    /\bdefault (?:the )?(\S+) to (.+)$/i.exec(todo.text);
  const turned = /\bdefault(?: value)? (?:of )?(\S+) (?:for|to) (?:the )?(\S+?)[.!]?$/i.exec(todo.text);
  const [name, valueText] = spoken ? [spoken[1], spoken[2]] : [turned?.[2], turned?.[1]];
  const parameter = findSubject(name ?? "", target)?.parameter;
  const value = readValue(valueText ?? "", target);
  if (parameter === undefined || value === undefined) return undefined;
  const type =
    parameter.type === "" ? "" : String.raw`(\s*:\s*${parameter.type.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")})`;
  const pattern = new RegExp(
    String.raw`\b${parameter.name.replaceAll("$", "\\$")}\??${type === "" ? "()" : type}(?=\s*[,)]|\s*$)`,
  );
  const index = lines.slice(target.line - 1, target.openLine).findIndex((text) => pattern.test(text));
  if (index < 0) return undefined;
  const line = target.line + index;
  const text = (lines[line - 1] ?? "").replace(
    pattern,
    (_match, kept: string) => `${parameter.name}${kept} = ${value}`,
  );
  return {
    changes: [{ start: line, end: line, lines: [text] }],
    note: `${parameter.name} is ${value} when it is not given`,
  };
};
