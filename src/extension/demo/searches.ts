import type { Query, Term } from "./words.ts";

/** From which side an explorer looks. */
export type Angle = "names" | "files" | "text";

export interface Search {
  query: string;
  regex: boolean;
  limit: number;
}

const limit = 120;
const declaring =
  "function|class|interface|type|enum|struct|trait|def|fn|fun|func|const|let|var|val|static|public|private|protected|async";

/** Searches in the syntax that ripgrep and JavaScript share; case is ignored. */
export function searches(angle: Exclude<Angle, "files">, query: Query): Search[] {
  const found = angle === "names" ? nameSearches(query) : textSearches(query);
  const seen = new Set<string>();
  return found.filter((search) => search.query !== "" && !seen.has(search.query) && seen.add(search.query));
}

/** Globs for files and folders that are named after what is asked for. */
export function fileGlobs(query: Query): string[] {
  const stems = query.terms.flatMap((term) => (term.exact === undefined ? [ownStem(term)] : [term.exact]));
  return [...new Set(stems)]
    .filter((stem) => /^[\p{L}\p{N}_.-]{3,}$/u.test(stem))
    .slice(0, 4)
    .flatMap((stem) => [`**/*${anyCase(stem)}*`, `**/*${anyCase(stem)}*/**`]);
}

function nameSearches({ terms }: Query): Search[] {
  const patterns = terms.map(patternOf);
  return [
    ...pairs(patterns).map(([a, b]) => pattern(`(${a})\\w*(${b})|(${b})\\w*(${a})`)),
    ...patterns.map((one) => pattern(`\\b(${declaring})\\s.*(${one})`)),
    // Methods: a name with parameters that opens a body.
    ...patterns.slice(0, 3).map((one) => pattern(`^\\s*[\\w\\s]*(${one})\\w*\\s*\\(.*\\{\\s*$`)),
  ];
}

function textSearches({ terms }: Query): Search[] {
  const patterns = terms.map(patternOf);
  return [
    ...pairs(patterns).map(([a, b]) => pattern(`(${a}).*(${b})|(${b}).*(${a})`)),
    ...terms.map((term) =>
      term.exact === undefined ? pattern(escapeRegex(ownStem(term))) : { query: term.exact, regex: false, limit },
    ),
    ...patterns.slice(0, 3).map(pattern),
  ];
}

function pattern(query: string): Search {
  return { query, regex: true, limit };
}

/** All that means the term. Short companions would match everything. */
function patternOf(term: Term): string {
  if (term.exact !== undefined) return escapeRegex(term.exact);
  const stems = term.forms.map((form) => form.stem);
  return stems
    .filter((stem, index) => index === 0 || stem.length >= 4)
    .map(escapeRegex)
    .join("|");
}

function ownStem(term: Term): string {
  return term.forms[0]?.stem ?? "";
}

/** The first few pairs: questions with many terms are rare, and each pair is a search. */
function pairs(patterns: readonly string[]): [string, string][] {
  const all = patterns.flatMap((a, index) => patterns.slice(index + 1).map((b): [string, string] => [a, b]));
  return all.slice(0, 3);
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, (character) => (/[/-]/.test(character) ? character : `\\${character}`));
}

/** Globs know case; names of files come in either. */
function anyCase(stem: string): string {
  const [first = "", ...rest] = stem;
  const upper = first.toUpperCase();
  return upper === first.toLowerCase() ? stem : `[${first.toLowerCase()}${upper}]${rest.join("")}`;
}
