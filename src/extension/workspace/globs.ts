import ignore from "ignore";

/**
 * The globs of a pattern: alternatives by comma or braces are written out, and a pattern also means what lies below a
 * folder of that name. A glob without a slash matches at any depth, one with a slash from the root, as in .gitignore.
 */
export function expandGlobs(pattern: string): string[] {
  return splitOutsideBraces(pattern)
    .map((part) => part.trim().replace(/^(?:\.\/+)+/, ""))
    .filter((part) => part !== "")
    .flatMap(expandBraces);
}

/** Whether a path matches one of the globs. */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: false }).add(globs.map((glob) => glob.replace(/^[!#]/, "\\$&")));
  return (path) => rules.ignores(path);
}

/** The folder a glob starts from, free of wildcards, and whether everything below it matches. */
export function globBase(glob: string): { base: string; everything: boolean } {
  const segments = glob.replace(/^\//, "").split("/");
  const wild = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  if (wild < 0) return { base: "", everything: false };
  const base = segments.slice(0, wild).join("/");
  const rest = segments.slice(wild).join("/");
  return { base, everything: rest === "**" || rest === "**/*" || (rest === "*" && base === "") };
}

function splitOutsideBraces(pattern: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of pattern) {
    if (character === "{") depth++;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part];
}

/** Writes out the first pair of braces and what remains after it; an unmatched brace is a character. */
function expandBraces(pattern: string): string[] {
  const open = pattern.indexOf("{");
  if (open < 0) return [pattern];
  let depth = 0;
  for (let at = open; at < pattern.length; at++) {
    if (pattern[at] === "{") depth++;
    if (pattern[at] !== "}" || --depth > 0) continue;
    const inner = splitOutsideBraces(pattern.slice(open + 1, at));
    return inner.flatMap((part) => expandBraces(pattern.slice(0, open) + part + pattern.slice(at + 1)));
  }
  return [pattern];
}
