import { splitIdentifier, stemOf } from "../words.ts";
import type { Parameter, Target } from "./target.ts";

/** English about parameters as TypeScript; undefined where the rules can't tell. */

const states: readonly { pattern: RegExp; code(subject: string, parameter: Parameter | undefined): string }[] = [
  {
    pattern: /^(?:null or undefined|undefined or null|nullish|null\/undefined)$/,
    code: (subject) => `${subject} == null`,
  },
  {
    pattern: /^(?:undefined|missing|absent|not given|not set|unset|not defined|not provided)$/,
    code: (subject) => `${subject} === undefined`,
  },
  { pattern: /^null$/, code: (subject) => `${subject} === null` },
  { pattern: /^(?:empty|without items|blank)$/, code: emptiness },
  { pattern: /^not empty$/, code: (subject, parameter) => emptiness(subject, parameter).replace("===", ">") },
  { pattern: /^negative$/, code: (subject) => `${subject} < 0` },
  { pattern: /^(?:zero|0)$/, code: (subject) => `${subject} === 0` },
  { pattern: /^positive$/, code: (subject) => `${subject} > 0` },
  { pattern: /^not positive$/, code: (subject) => `${subject} <= 0` },
  { pattern: /^not negative$/, code: (subject) => `${subject} >= 0` },
  { pattern: /^(?:nan|not a number)$/i, code: (subject) => `Number.isNaN(${subject})` },
  { pattern: /^(?:a )?finite(?: number)?$/, code: (subject) => `Number.isFinite(${subject})` },
  { pattern: /^not (?:a )?finite(?: number)?$/, code: (subject) => `!Number.isFinite(${subject})` },
  { pattern: /^(?:an integer|a whole number|whole)$/, code: (subject) => `Number.isInteger(${subject})` },
  { pattern: /^not (?:an integer|a whole number|whole)$/, code: (subject) => `!Number.isInteger(${subject})` },
  { pattern: /^true$/, code: (subject) => subject },
  { pattern: /^false$/, code: (subject) => `!${subject}` },
];

const comparisons: readonly [RegExp, string][] = [
  [/^(?:is |are )?(?:less|smaller|lower) than (.+)$|^(?:is |are )?(?:below|under) (.+)$/, "<"],
  [/^(?:is |are )?(?:greater|more|larger|higher|bigger) than (.+)$|^(?:is |are )?(?:above|over) (.+)$/, ">"],
  [/^(?:is |are )?at least (.+)$/, ">="],
  [/^(?:is |are )?at most (.+)$/, "<="],
  [/^(?:is |are )?equal(?:s)?(?: to)? (.+)$|^equals (.+)$/, "==="],
];

/** "the list is empty" → `list.length === 0`. */
export function readCondition(text: string, target: Target): string | undefined {
  const plain = plainText(text);
  if (/^!?[\p{L}_$][\w.$]*(\([^()]*\))?\s*(===?|!==?|<=?|>=?)\s*[\w.$"'-]+$/u.test(plain)) return plain;
  const none = /^(?:there (?:are|is) )?no (.+?)(?: (?:is|are) (?:given|left|there))?$/i.exec(plain);
  if (none !== null) return stateOf(none[1] ?? "", "empty", target);
  const [, subject, rest] = /^(.+?) ((?:is|are|equals?|has|have)\b.*)$/i.exec(plain) ?? [];
  if (subject === undefined || rest === undefined) return undefined;
  const state = rest.replace(/^(?:is|are|has|have)\s+/i, "").replace(/^isn't /, "not ");
  return stateOf(subject, state, target) ?? comparisonOf(subject, rest, target);
}

/** A state of a subject, each in words: "empty" of "the list". */
export function stateOf(subject: string, state: string, target: Target): string | undefined {
  const found = findSubject(subject, target);
  const rule = states.find(({ pattern }) => pattern.test(state.toLowerCase().trim()));
  return found === undefined ? undefined : rule?.code(found.code, found.parameter);
}

/** The parameter that a phrase means: by its name, by a word of it, or as the only one of its kind. */
export function findSubject(
  phrase: string,
  { parameters }: Target,
): { code: string; parameter?: Parameter } | undefined {
  const plain = plainText(phrase);
  const dotted = /^([\p{L}_$][\w$]*)((?:\.[\w$]+)+)$/u.exec(plain);
  if (dotted !== null && parameters.some(({ name }) => name === dotted[1])) return { code: plain };
  const words = splitIdentifier(plain);
  const byName =
    parameters.find(({ name }) => name.toLowerCase() === plain.toLowerCase()) ??
    parameters.find(({ name }) =>
      splitIdentifier(name).some((part) => words.some((word) => stemOf(word) === stemOf(part))),
    );
  if (byName !== undefined) return { code: byName.name, parameter: byName };
  const kind = kinds.find(({ nouns }) => nouns.test(words.at(-1) ?? ""));
  const ofKind = kind === undefined ? [] : parameters.filter(({ type }) => kind.types.test(type));
  const only =
    ofKind.length === 1 ? ofKind[0] : parameters.length === 1 && kind !== undefined ? parameters[0] : undefined;
  return only === undefined ? undefined : { code: only.name, parameter: only };
}

const kinds: readonly { nouns: RegExp; types: RegExp }[] = [
  { nouns: /^(list|array|items?|elements?|collection|entries)$/, types: /\[\]|Array|Set|Map/ },
  { nouns: /^(string|text|name|word)$/, types: /^string/ },
  { nouns: /^(number|amount|count|quantity|value)$/, types: /^number/ },
  { nouns: /^(it|input|argument|parameter|value|this)$/, types: /^/ },
];

function comparisonOf(subject: string, rest: string, target: Target): string | undefined {
  const found = findSubject(subject, target);
  if (found === undefined) return undefined;
  for (const [pattern, operator] of comparisons) {
    const limit = pattern
      .exec(rest)
      ?.slice(1)
      .find((group) => group !== undefined);
    if (limit !== undefined && /^-?[\w.$]+$/.test(limit)) return `${found.code} ${operator} ${limit}`;
  }
  return undefined;
}

function emptiness(subject: string, parameter: Parameter | undefined): string {
  const type = parameter?.type ?? "";
  if (/^(Readonly)?(Map|Set)\b/.test(type)) return `${subject}.size === 0`;
  if (/^(Readonly<)?(Record|\{)/.test(type)) return `Object.keys(${subject}).length === 0`;
  return `${subject}.length === 0`;
}

/** Without articles, code marks and the full stop. */
export function plainText(text: string): string {
  return text
    .replaceAll("`", "")
    .replace(/^(?:the|an?|its|given)\s+/i, "")
    .replace(/[.;,!]+$/, "")
    .trim();
}
