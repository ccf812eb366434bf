import type { Workspace } from "../../../workspace/workspace.ts";

/** More files than this are not held; those that are not are searched for by name. */
const maxFiles = 20_000;
const maxByName = 200;

/** Files and folders of the workspace while a mention is typed. */
export interface FileIndex {
  /** Paths that may answer a query; folders end in a slash. */
  paths(query: string, signal: AbortSignal): Promise<Iterable<string>>;
  /** Whether they are known, so that the workspace need not be listed first. */
  isListed(query: string): boolean;
}

interface Listing {
  /** What was typed when it was last asked. */
  query: string;
  found: Promise<{ files: readonly string[]; folders: ReadonlySet<string>; truncated: boolean }>;
  stop: AbortController;
  isDone: boolean;
}

/** Lists the workspace once for each mention, however quickly letters are added to it or taken from it. */
export function createFileIndex(workspace: Pick<Workspace, "findFiles" | "roots">): FileIndex {
  let current: Listing | undefined;

  function list(query: string): Listing["found"] {
    if (current !== undefined && continues(current.query, query)) {
      current.query = query;
      return current.found;
    }
    current?.stop.abort();
    const stop = new AbortController();
    const found = workspace.findFiles("**/*", maxFiles, stop.signal).then(({ paths, truncated }) => ({
      files: paths,
      folders: foldersOf(paths),
      truncated,
    }));
    const listing: Listing = { query, found, stop, isDone: false };
    current = listing;
    found.then(
      () => {
        listing.isDone = true;
      },
      () => {
        // Its callers get the error; the next one tries again.
        if (current === listing) current = undefined;
      },
    );
    return found;
  }

  return {
    isListed: (query) => current?.isDone === true && continues(current.query, query),
    async paths(query, signal) {
      signal.throwIfAborted();
      if (workspace.roots().length === 0) return [];
      const { files, folders, truncated } = await list(query);
      signal.throwIfAborted();
      const named =
        truncated && query !== "" ? await workspace.findFiles(nameGlob(query), maxByName, signal) : undefined;
      return new Set([...files, ...(named?.paths ?? []), ...folders]);
    },
  };
}

/** The same mention goes on: with nothing typed, or with the same again, another one has begun. */
function continues(before: string, now: string): boolean {
  return now !== "" && now !== before && (now.startsWith(before) || before.startsWith(now));
}

/** Files whose name contains the text, whatever its case; what a glob gives a meaning to matches any character. */
function nameGlob(text: string): string {
  const name = text.slice(text.lastIndexOf("/") + 1);
  const letters = [...name].map((letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (/[*?[\]{}!,\\#^-]/.test(letter)) return "?";
    return lower === upper ? letter : `[${lower}${upper}]`;
  });
  return `**/*${letters.join("")}*`;
}

/**
 * How well a path answers what was typed; undefined when it does not. The letters have to be in the path in their
 * order; together, at the start of words, and in the name itself they count more. Higher is better.
 */
export function scorePath(query: string, path: string): number | undefined {
  if (query === "") return 0;
  const name = path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);
  const inName = query.includes("/") ? undefined : scoreText(query, name);
  if (inName !== undefined) return inName + 100 - name.length / 100;
  const inPath = scoreText(query, path);
  return inPath === undefined ? undefined : inPath - path.length / 100;
}

/** `query` is lower case. */
function scoreText(query: string, text: string): number | undefined {
  const lower = text.toLowerCase();
  const whole = lower.indexOf(query);
  if (whole >= 0) return query.length * 4 + (isWordStart(text, whole) ? 20 : 0) + (whole === 0 ? 20 : 0);
  let score = 0;
  let at = -1;
  for (const letter of query) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    if (next === at + 1) score += 2;
    if (isWordStart(text, next)) score += 3;
    at = next;
  }
  return score;
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const [before = "", here = ""] = [text.charAt(at - 1), text.charAt(at)];
  return /[^\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(here));
}

const recentBonus = 30;

/** The best of the paths, best first; `recent` ones, latest first, before others that are as good. */
export function rankPaths(
  query: string,
  paths: Iterable<string>,
  { recent, limit }: { recent: readonly string[]; limit: number },
): string[] {
  const wanted = query.toLowerCase();
  const places = new Map(recent.map((path, index) => [path, recent.length - index]));
  const found: { path: string; score: number; order: number }[] = [];
  let order = 0;
  for (const path of paths) {
    const score = scorePath(wanted, path);
    const place = places.get(path);
    const bonus = place === undefined ? 0 : recentBonus + place / recent.length;
    if (score !== undefined) found.push({ path, score: score + bonus, order: order++ });
  }
  found.sort((a, b) => b.score - a.score || a.order - b.order);
  return found.slice(0, limit).map(({ path }) => path);
}

/** The folders that hold the files, each once, with a slash at the end. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
