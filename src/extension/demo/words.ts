import { irregular, signsOfAction, stopWords, synonyms, useWords } from "./vocabulary.ts";

/** One thing that a question asks about. */
export interface Term {
  /** As the user wrote it. */
  word: string;
  /** Beginnings of words that mean it: its own first, with full weight. Lower case. */
  forms: { stem: string; weight: number }[];
  /** An identifier or a quoted text, to be found as it stands. */
  exact?: string;
  /** For something that is done: what the body of a function that does it tends to hold. */
  sign?: RegExp;
}

/** A question in terms that can be searched for. */
export interface Query {
  text: string;
  terms: Term[];
  /** It asks where something is used, not where it is made. */
  wantsUses: boolean;
}

const synonymWeight = 0.55;
/** What was pasted below a question is not the question. */
const longestQuestion = 600;
/** Each term is a few searches. */
const mostTerms = 6;

export function readQuery(question: string): Query {
  const text = question.trim().slice(0, longestQuestion);
  const terms: Term[] = [];
  const rest = text.replace(/`([^`]+)`|"([^"]+)"|“([^”]+)”|'([^'\n]{3,})'(?!\w)/g, (_match, ...groups: unknown[]) => {
    const quoted = groups.find((group) => typeof group === "string");
    if (typeof quoted === "string") terms.push(exactTerm(quoted.trim()));
    return " ";
  });
  const words = rest.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*[\p{L}\p{N}_$]|[\p{L}\p{N}]/gu) ?? [];
  for (const word of words) {
    if (isIdentifier(word)) terms.push(exactTerm(word));
    else terms.push(...word.split(/[.-]/).filter(isTelling).map(plainTerm));
  }
  return {
    text,
    terms: terms
      .filter((term, index) => terms.findIndex((other) => sameTerm(other, term)) === index)
      .slice(0, mostTerms),
    wantsUses: words.some((word) => useWords.has(word.toLowerCase())),
  };
}

/** The words of an identifier or a path: `parseHTTPHeader` is parse, http, header. Lower case. */
export function splitIdentifier(text: string): string[] {
  return text
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** The root of an English word, roughly: enough to bring computed, computes and computing together. */
export function stemOf(word: string): string {
  const regular = irregular[word] ?? word;
  for (const suffix of suffixes) {
    if (!regular.endsWith(suffix) || regular.length - suffix.length < 3) continue;
    const root = regular.slice(0, -suffix.length);
    if (suffix === "s" && /[su]$/.test(root)) continue;
    return undouble(root);
  }
  return regular;
}

const suffixes = ["izations", "ization", "ations", "ation", "ating", "ated", "ates", "ator", "ate"].concat([
  "ings",
  "ing",
  "ions",
  "ion",
  "ies",
  "ied",
  "ers",
  "er",
  "ors",
  "or",
  "ed",
  "es",
  "e",
  "y",
  "s",
]);

/** stopped → stopp → stop */
function undouble(root: string): string {
  return /([b-df-hj-km-np-rtv-z])\1$/.test(root) ? root.slice(0, -1) : root;
}

/** Whether a word (lower case) is a form of the word with this stem. */
export function isFormOf(word: string, stem: string): boolean {
  if (stemOf(word) === stem) return true;
  return stem.length >= 4 && word.startsWith(stem) && word.length - stem.length <= 5;
}

/** camelCase, snake_case, a call, or a name with digits: nothing that one writes in a sentence. */
function isIdentifier(word: string): boolean {
  return /[_$]|\p{Ll}\p{Lu}|\p{L}\p{N}|\w\.\w/u.test(word);
}

function isTelling(word: string): boolean {
  const lower = word.toLowerCase();
  return lower.length > 1 && !stopWords.has(lower) && !useWords.has(lower);
}

function plainTerm(word: string): Term {
  const stem = stemOf(word.toLowerCase());
  const companions = synonyms
    .filter((group) => group.some((entry) => stemOf(entry) === stem))
    .flatMap((group) => group.map(stemOf))
    .filter((other) => other !== stem);
  const sign = signsOfAction.find(({ words }) => words.some((entry) => stemOf(entry) === stem))?.sign;
  return {
    word,
    ...(sign === undefined ? {} : { sign }),
    forms: [{ stem, weight: 1 }, ...[...new Set(companions)].map((other) => ({ stem: other, weight: synonymWeight }))],
  };
}

function exactTerm(text: string): Term {
  const parts = splitIdentifier(text).filter((part) => part.length > 2 && !stopWords.has(part));
  // Its parts are only what is left to go by when the whole is nowhere to be found.
  return { word: text, exact: text, forms: parts.map((part) => ({ stem: stemOf(part), weight: 0.25 })) };
}

function sameTerm(a: Term, b: Term): boolean {
  return a.exact === b.exact && a.forms[0]?.stem === b.forms[0]?.stem && (a.exact !== undefined || a.word !== "");
}
