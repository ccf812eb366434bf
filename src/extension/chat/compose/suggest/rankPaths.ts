/**
 * How well a path answers what was typed; undefined when it does not. The letters have to stand in the path in their
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
