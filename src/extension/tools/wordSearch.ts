import type { TextMatch, TextSearch, Workspace } from "../workspace/workspace.ts";

const mostMatches = 200;

/** Words that stand before a name where most languages declare it. */
const declaring =
  "class|interface|type|enum|struct|trait|union|record|object|module|namespace|package|protocol|extension|impl|function|func|fun|fn|def|sub|proc|macro|const|let|var|val|static|public|private|protected|internal|readonly|abstract|final|async|export|default";

/** Lines that have the name as a whole word, in order of path; where no language server helps. */
export function wordMatches(workspace: Workspace, name: string, signal: AbortSignal): Promise<TextMatch[]> {
  return collect(workspace, { ...search, query: `(?:^|[^\\w$])${escaped(name)}(?:[^\\w$]|$)` }, signal);
}

/** Lines that look like the declaration of a name which contains the text. */
export function declarationMatches(
  workspace: Workspace,
  { name, exact, path }: { name: string; exact: boolean; path?: string },
  signal: AbortSignal,
): Promise<TextMatch[]> {
  const word = exact ? `${escaped(name)}(?:[^\\w$]|$)` : `[\\w$]*${escaped(name)}`;
  const query = `(?:^|[^\\w$])(?:${declaring})[\\s*&]+${word}`;
  const include = path === undefined ? {} : { include: `/${path.replace(/[*?[\]{},!\\#]/g, "?")}` };
  return collect(workspace, { ...search, caseSensitive: exact, query, ...include }, signal);
}

const search: TextSearch = { query: "", regex: true, caseSensitive: true, contextLines: 0, limit: mostMatches };

async function collect(workspace: Workspace, asked: TextSearch, signal: AbortSignal): Promise<TextMatch[]> {
  const found: TextMatch[] = [];
  for await (const match of workspace.searchText(asked, signal)) if (match.isMatch) found.push(match);
  return found.sort((one, other) => (one.path === other.path ? one.line - other.line : one.path < other.path ? -1 : 1));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, "\\$&");
}
