import { expandGlobs } from "./globs.ts";

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
