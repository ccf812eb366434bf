import { escapeRegex } from "../common/escapeRegex.ts";
import type { TextMatch, TextSearch } from "../workspace/workspace.ts";

const maxMatches = 200;

/** Words before a name where most languages declare it. */
const declaring =
  "class|interface|type|enum|struct|trait|union|record|object|module|namespace|package|protocol|extension|impl|function|func|fun|fn|def|sub|proc|macro|const|let|var|val|static|public|private|protected|internal|readonly|abstract|final|async|export|default";

/** Runs a search where the caller may look. */
type Search = (search: TextSearch) => AsyncIterable<TextMatch>;

/** Lines that have the name as a whole word, in order of path; where no language server helps. */
export function wordMatches(search: Search, name: string): Promise<TextMatch[]> {
  return collect(search({ ...forWords, query: `(?:^|[^\\w$])${escapeRegex(name)}(?:[^\\w$]|$)` }));
}

/** Lines that look like the declaration of a name which contains the text. */
export function declarationMatches(
  search: Search,
  { name, exact, path }: { name: string; exact: boolean; path?: string },
): Promise<TextMatch[]> {
  const word = exact ? `${escapeRegex(name)}(?:[^\\w$]|$)` : `[\\w$]*${escapeRegex(name)}`;
  const query = `(?:^|[^\\w$])(?:${declaring})[\\s*&]+${word}`;
  const include = path === undefined ? {} : { include: `/${path.replace(/[*?[\]{},!\\#]/g, "?")}` };
  return collect(search({ ...forWords, caseSensitive: exact, query, ...include }));
}

const forWords: TextSearch = { query: "", regex: true, caseSensitive: true, contextLines: 0, limit: maxMatches };

async function collect(matches: AsyncIterable<TextMatch>): Promise<TextMatch[]> {
  const found: TextMatch[] = [];
  for await (const match of matches) if (match.isMatch) found.push(match);
  return found.sort((one, other) => (one.path === other.path ? one.line - other.line : one.path < other.path ? -1 : 1));
}
