import { plainText } from "./conditions.ts";
import type { Target } from "./target.ts";

const named: readonly [RegExp, string][] = [
  [/^(?:an? )?(?:new )?empty (?:array|list)$/i, "[]"],
  [/^(?:an? )?(?:new )?empty string$/i, '""'],
  [/^(?:an? )?(?:new )?empty object$/i, "{}"],
  [/^(?:an? )?(?:new )?empty map$/i, "new Map()"],
  [/^(?:an? )?(?:new )?empty set$/i, "new Set()"],
  [/^zero$/i, "0"],
  [/^nothing$/i, "undefined"],
  [/^(undefined|null|true|false|NaN|Infinity)$/, "$1"],
  [/^(-?\d[\d_]*(?:\.\d+)?)$/, "$1"],
  [/^("[^"]*"|'[^']*')$/, "$1"],
  [/^(\[\]|\{\})$/, "$1"],
];

/** "an empty list" → `[]`; undefined where the rules can't tell. */
export function readValue(text: string, { parameters }: Target): string | undefined {
  const spoken = text
    .replaceAll("`", "")
    .replace(/[.;,!]+$/, "")
    .trim();
  for (const [pattern, code] of named) if (pattern.test(spoken)) return spoken.replace(pattern, code);
  const word = plainText(text);
  const isParameter = parameters.some(({ name }) => name === word);
  return isParameter || /^[A-Z][A-Z0-9_]+$/.test(word) ? word : undefined;
}

/** What a function gives back when it has nothing to give, by its return type; undefined for types that tell nothing. */
export function neutralValue(returnType: string): string | undefined {
  const type = returnType.replace(/^Promise<(.*)>$/, "$1").trim();
  if (/\bundefined\b/.test(type)) return "undefined";
  if (/\bnull\b/.test(type)) return "null";
  if (/\[\]$|^(Readonly)?Array</.test(type)) return "[]";
  if (type === "number") return "0";
  if (type === "string") return '""';
  if (type === "boolean") return "false";
  return type === "void" ? "" : undefined;
}
