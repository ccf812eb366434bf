import { ToolError } from "../../common/userError.ts";

/** As many as no pattern needs that was written by hand, and few enough for a search of each. */
const maxAlternatives = 1_000;

/**
 * The globs of a pattern, its alternatives by comma or braces written out. A glob without a slash matches at any depth,
 * one with a slash from the root, as in .gitignore. Throws where there are too many.
 */
export function expandGlobs(pattern: string): string[] {
  const globs: string[] = [];
  const pending = splitOutsideBraces(pattern)
    .map((part) => part.trim().replace(/^(?:\.\/+)+/, ""))
    .filter((part) => part !== "")
    .toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const alternatives = expandFirstBraces(next);
    if (alternatives === undefined) globs.push(next);
    else pending.push(...alternatives.toReversed());
    if (globs.length + pending.length > maxAlternatives) throw tooMany(pattern);
  }
  return globs;
}

function tooMany(pattern: string): ToolError {
  const shown = JSON.stringify(pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern);
  return new ToolError(`The glob ${shown} has more than 1,000 alternatives. Use fewer braces, or *.`);
}

/**
 * Whether a path matches one of the globs. One that ends in a name also means what is below a folder of that name; one
 * that ends in a wildcard means files alone, so that `*.js` is not all of a folder `three.js`.
 */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  return matcherOf(globs.map((glob) => ({ glob, alsoBelow: fileNameGlob(glob) === undefined })));
}

/** The same for what is left out: with a folder, all that is below it. */
export function excludingMatcher(globs: readonly string[]): (path: string) => boolean {
  return matcherOf(globs.map((glob) => ({ glob, alsoBelow: true })));
}

/** The glob for names of files that a glob ends in; absent where it may mean a folder. */
export function fileNameGlob(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /[*?[]/.test(name) && !name.includes("**") ? name : undefined;
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

/**
 * A pattern as it concerns one of several roots: globs that begin with a root's name concern that root alone, below it;
 * others concern all. Absent when nothing of it concerns this root.
 */
export function globsInRoot(pattern: string, root: string, rootNames: readonly string[]): string | undefined {
  if (rootNames.length < 2) return pattern;
  const globs = expandGlobs(pattern).flatMap((glob) => {
    const [first = "", ...rest] = glob.replace(/^\//, "").split("/");
    if (!rootNames.includes(first)) return [glob];
    if (first !== root) return [];
    return [rest.length === 0 || rest.join("") === "" ? "**" : `/${rest.join("/")}`];
  });
  return globs.length === 0 ? undefined : globs.join(",");
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

/** What the first pair of braces means, each with the rest of the pattern; an unmatched brace is a character. */
function expandFirstBraces(pattern: string): string[] | undefined {
  const open = pattern.indexOf("{");
  let depth = 0;
  for (let at = open; open >= 0 && at < pattern.length; at++) {
    if (pattern[at] === "{") depth++;
    if (pattern[at] !== "}" || --depth > 0) continue;
    const inner = splitOutsideBraces(pattern.slice(open + 1, at));
    return inner.map((part) => pattern.slice(0, open) + part + pattern.slice(at + 1));
  }
  return undefined;
}

interface PathGlob {
  glob: string;
  alsoBelow: boolean;
}

function matcherOf(globs: readonly PathGlob[]): (path: string) => boolean {
  const patterns = globs.map(parsePathGlob);
  return (path) => {
    const segments = path.split("/");
    return patterns.some((pattern) => matches(pattern, segments));
  };
}

/** One element of a pattern: a test of one element of what is matched, or any number of these. */
type Pattern = readonly (Test | { atLeast: 0 | 1 })[];
type Test = (element: string) => boolean;

function parsePathGlob({ glob, alsoBelow }: PathGlob): Pattern {
  const isAnchored = glob.replace(/\/$/, "").includes("/");
  const segments = glob.replace(/^\//, "").replace(/\/$/, "").split("/");
  const parts = segments.map((segment, index) => {
    if (segment !== "**") return segmentTest(segment);
    return { atLeast: index === segments.length - 1 ? 1 : 0 } as const;
  });
  const before = isAnchored || segments[0] === "**" ? [] : [{ atLeast: 0 } as const];
  return [...before, ...parts, ...(alsoBelow ? [{ atLeast: 0 } as const] : [])];
}

/**
 * Matches by going back to the latest wildcard only, so the time grows with the product of both lengths. A regular
 * expression of the same wildcards, also one made by a library, tries all combinations of all of them.
 */
function matches(pattern: Pattern, elements: ArrayLike<string>): boolean {
  let next = 0;
  let at = 0;
  let retryNext = -1;
  let retryAt = -1;
  for (;;) {
    const test = pattern[next];
    const element = elements[at];
    if (typeof test === "object") {
      if (at + test.atLeast > elements.length) return false;
      at += test.atLeast;
      next++;
      retryNext = next;
      retryAt = at;
    } else if (test !== undefined && element !== undefined && test(element)) {
      next++;
      at++;
    } else if (test === undefined && element === undefined) return true;
    else if (retryNext >= 0 && retryAt < elements.length) {
      next = retryNext;
      at = ++retryAt;
    } else return false;
  }
}

function segmentTest(segment: string): Test {
  if (!/[*?[\\]/.test(segment)) return (text) => text === segment;
  const suffix = segment.slice(1);
  if (segment.startsWith("*") && !/[*?[\\]/.test(suffix)) return (text) => text.endsWith(suffix);
  const pattern: (Test | { atLeast: 0 })[] = [];
  for (let at = 0; at < segment.length; at++) {
    let character = segment.charAt(at);
    const end = character === "[" ? segment.indexOf("]", at + 2) : -1;
    if (character === "*") pattern.push({ atLeast: 0 });
    else if (character === "?") pattern.push(() => true);
    else if (end >= 0) {
      pattern.push(classTest(segment.slice(at + 1, end)));
      at = end;
    } else {
      if (character === "\\" && at + 1 < segment.length) character = segment.charAt(++at);
      const expected = character;
      pattern.push((one) => one === expected);
    }
  }
  return (text) => matches(pattern, text);
}

/** A range that is upside down matches nothing instead of being no expression at all. */
function classTest(inner: string): Test {
  const isNegated = inner.startsWith("!") || inner.startsWith("^");
  const members = (isNegated ? inner.slice(1) : inner).replace(/[\\\]^]/g, "\\$&");
  try {
    const regex = new RegExp(isNegated ? `^[^${members}]$` : `^[${members}]$`, "s");
    return (character) => regex.test(character);
  } catch {
    return () => false;
  }
}
