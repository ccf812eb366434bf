const longestLanguage = 30;
const longestPath = 500;
const keys: ReadonlySet<string> = new Set(["path", "file", "filename", "title"]);

/** What stands behind the opening of a fence: the language, and perhaps the file that the code is for. */
export function fenceInfo(info: string | undefined): { language: string; path?: string } {
  // Some write ```{.ts file=src/a.ts}```.
  const words = info?.trim().replace(/^\{\s*\.?/, "") ?? "";
  if (/^[\w+#-]*$/.test(words)) return { language: words.slice(0, longestLanguage) };
  const path = pathIn(words);
  const first = words.split(/[\s,{:=]/)[0] ?? "";
  if (path === undefined) return { language: first.slice(0, longestLanguage) };
  // A path alone names no language but its ending.
  const isNamed = !words.startsWith(path) && !keys.has(first);
  return { language: (isNamed ? first : endingOf(path)).slice(0, longestLanguage), path };
}

/** ```ts src/a.ts```, ```ts:src/a.ts```, ```src/a.ts```, ```ts path=src/a.ts``` or ```ts title="src/a.ts"```. */
function pathIn(words: string): string | undefined {
  const named = /(?:^|[\s,{])(?:path|file|filename|title)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s,}]+))/.exec(words);
  const candidates = named === null ? words.split(/[\s,]+/).map(afterLanguage) : named.slice(1);
  const path = candidates.find((candidate) => candidate !== undefined && isPath(candidate));
  return path === undefined || path.length > longestPath ? undefined : path;
}

/** `ts:src/a.ts` is a language and a path; `C:\a.ts` is none of ours. */
function afterLanguage(word: string): string {
  const colon = word.indexOf(":");
  return colon > 1 ? word.slice(colon + 1) : word;
}

function isPath(word: string): boolean {
  return /^[^<>:"|?*{}=]+$/.test(word) && (/\.[a-z][\w-]*$/i.test(word) || /^[^/\s]+\/\S*[^/\s]$/.test(word));
}

function endingOf(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? "" : path.slice(dot + 1);
}
