import { globSource } from "./globSource.ts";

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

/**
 * Whether a path matches one of the globs. One that ends in a name also means what is below a folder of that name; one
 * that ends in a wildcard means files alone, so that `*.js` is not all of a folder `three.js`.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  return matcherOf(globs.map((glob) => `${globSource(glob)}${fileNameGlob(glob) === undefined ? "(?:/.*)?" : ""}`));
}

/** The same for what is left out: with a folder, all that is below it. */
export function excludingMatcher(globs: readonly string[]): (path: string) => boolean {
  return matcherOf(globs.map((glob) => `${globSource(glob)}(?:/.*)?`));
}

/** The glob for names of files that a glob ends in; absent where it may mean a folder. */
export function fileNameGlob(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /[*?[]/.test(name) && !name.includes("**") ? name : undefined;
}

function matcherOf(sources: readonly string[]): (path: string) => boolean {
  if (sources.length === 0) return () => false;
  const regex = new RegExp(`^(?:${sources.join("|")})$`, "s");
  return (path) => regex.test(path);
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
