import { t } from "@vscode/l10n";
import type { Suggestion, SuggestionKind } from "../../../../protocol/suggestions.ts";
import { declarationMatches } from "../../../tools/wordSearch.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { AttachmentSources } from "../attach/sources.ts";
import { type FileIndex, foldersOf, rankPaths } from "./fileIndex.ts";

const maxShown = 30;
/** Shorter words are in too many lines. */
const shortestSearched = 3;

export interface SuggestionSources {
  workspace: Workspace;
  files: FileIndex;
  attachments: AttachmentSources;
  /** Paths that were shown in an editor, latest first. */
  recentFiles(): readonly string[];
  /** There is a git repository. */
  hasRepository(): boolean;
  problemCount(): number;
}

/**
 * What may be meant by what was typed after an `@`, best first. What is not there now is not offered. While the workspace
 * is listed, `offer` is called with what is known already.
 */
export async function suggest(
  kind: SuggestionKind,
  query: string,
  sources: SuggestionSources,
  signal: AbortSignal,
  offer?: (known: Suggestion[]) => void,
): Promise<Suggestion[]> {
  if (kind === "symbol") return suggestSymbols(query.trim(), sources, signal);
  const words = [...liveWords(sources), ...agents(sources), ...resources(query, sources)].filter(({ mention }) =>
    mention.toLowerCase().startsWith(query.toLowerCase()),
  );
  // With nothing typed yet the few words come first; then a word that was begun does, too.
  const withPlaces = (paths: Iterable<string>) => {
    const ranked = rankPaths(query, paths, { recent: sources.recentFiles(), limit: maxShown });
    return [...words, ...ranked.map(placeSuggestion)].slice(0, maxShown);
  };
  const isListed = sources.files.isListed(query);
  const listing = sources.files.paths(query, signal);
  if (offer !== undefined && !isListed) {
    // Below it is waited for, and its error thrown.
    listing.catch(() => {});
    const known = withPlaces(await recentPaths(sources));
    if (known.length > 0 && !signal.aborted) offer(known);
  }
  return withPlaces(await listing);
}

/** Files that were shown in an editor and are there, and their folders. */
async function recentPaths({ recentFiles, workspace }: SuggestionSources): Promise<Iterable<string>> {
  const paths = recentFiles();
  const stats = await Promise.all(paths.map((path) => workspace.stat(path).catch(() => undefined)));
  const files = paths.filter((_, index) => stats[index]?.kind === "file");
  return [...files, ...foldersOf(files)];
}

function liveWords({ attachments, hasRepository, problemCount }: SuggestionSources): Suggestion[] {
  const found: Suggestion[] = [];
  const selected = attachments.selection();
  if (selected !== undefined) {
    const { path, startLine, endLine } = selected;
    found.push({
      attachment: { kind: "selection", path, startLine, endLine },
      label: "selection",
      detail: `${path}:${startLine}-${endLine}`,
      mention: "selection",
    });
  }
  const problems = problemCount();
  if (problems > 0) {
    const detail = problems === 1 ? t("1 error or warning") : t("{0} errors and warnings", problems);
    found.push({ attachment: { kind: "problems" }, label: "problems", detail, mention: "problems" });
  }
  if (hasRepository()) {
    const detail = t("Changes since the last commit");
    found.push({ attachment: { kind: "diff" }, label: "diff", detail, mention: "diff" });
  }
  const terminal = attachments.terminal();
  if (terminal !== undefined) {
    const detail =
      terminal.command === "" ? t("Output of the last command") : t("Output of {0}", terminal.command.slice(0, 200));
    found.push({ attachment: { kind: "terminal" }, label: "terminal", detail, mention: "terminal" });
  }
  return found;
}

function agents({ attachments }: SuggestionSources): Suggestion[] {
  return attachments.agents().map(({ name, description }) => ({
    attachment: { kind: "agent", name },
    label: name,
    detail: description,
    mention: name,
  }));
}

/** A server may have hundreds: they come once something is typed. */
function resources(query: string, { attachments }: SuggestionSources): Suggestion[] {
  if (query === "") return [];
  return attachments.resources().map((attachment) => ({
    attachment,
    label: attachment.name,
    detail: `${attachment.server}: ${attachment.uri}`,
    mention: attachment.name,
  }));
}

function placeSuggestion(path: string): Suggestion {
  const isFolder = path.endsWith("/");
  const own = isFolder ? path.slice(0, -1) : path;
  const slash = own.lastIndexOf("/");
  return {
    attachment: { kind: isFolder ? "folder" : "file", path: own },
    label: own.slice(slash + 1),
    ...(slash >= 0 && { detail: own.slice(0, slash) }),
    mention: path,
  };
}

async function suggestSymbols(
  query: string,
  { workspace }: SuggestionSources,
  signal: AbortSignal,
): Promise<Suggestion[]> {
  if (query === "" || workspace.roots().length === 0) return [];
  const known = await workspace.workspaceSymbols(query, signal);
  if (known.length > 0) {
    return known.slice(0, maxShown).map(({ name: shown, kind, container, path, line }) => {
      // Some servers write a function with its parameters.
      const name = shown.replace(/(?<=.)\(.*\)$/, "");
      const where = `${kind}${container === undefined ? "" : ` in ${container}`} · ${path}:${line}`;
      return { attachment: { kind: "symbol", path, name, startLine: line }, label: name, detail: where, mention: name };
    });
  }
  if (query.length < shortestSearched) return [];
  const lines = await declarationMatches((search) => workspace.searchText(search, signal), {
    name: query,
    exact: false,
  });
  return lines.slice(0, maxShown).flatMap(({ path, line, text }) => {
    const name = declaredName(text, query);
    if (name === undefined) return [];
    return {
      attachment: { kind: "symbol", path, name, startLine: line },
      label: name,
      detail: `${path}:${line}`,
      mention: name,
    };
  });
}

/** The word of a line that contains what was asked for. */
function declaredName(line: string, query: string): string | undefined {
  return line.match(/[\w$]+/g)?.find((word) => word.toLowerCase().includes(query.toLowerCase()));
}
