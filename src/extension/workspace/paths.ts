import { realpath } from "node:fs/promises";
import { t } from "@vscode/l10n";
import { realPathOf, textProblem } from "../approvals/paths.ts";
import { UserError } from "../common/userError.ts";

/** An open folder: its name in paths, and where it lies (absolute, forward slashes, no slash at the end). */
export interface Root {
  name: string;
  path: string;
}

/** A path in the workspace: `relative` is below the root, empty for the root itself. */
export interface Location {
  root: Root;
  relative: string;
  /** The way there as it was asked for, which may pass through `..`. */
  segments: readonly string[];
}

/** Names for open folders that differ: a second "app" is "app (2)". */
export function rootNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/**
 * Where a path of the model points, judged by its text alone; throws a `UserError` for one that leaves the workspace
 * or that no file system should be asked for. The empty path is the root where there is one.
 */
export function locate(path: string, roots: readonly Root[], platform: NodeJS.Platform): Location {
  const [first] = roots;
  if (!first)
    throw new UserError(
      t("No folder is open. Open a folder to let the agent work with files."),
      "No folder is open. Open a folder to let the agent work with files.",
    );
  const slashed = platform === "win32" ? path.replaceAll("\\", "/") : path;
  refuseStrange(path, platform);
  const { root, rest } = splitRoot(slashed, roots, platform) ?? { root: first, rest: slashed };
  const segments = rest.split("/").filter((segment) => segment !== "" && segment !== ".");
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment !== "..") kept.push(segment);
    else if (kept.pop() === undefined) throw outside(path);
  }
  return { root, relative: kept.join("/"), segments };
}

/**
 * Refuses a location whose real path leaves its root: through a link, one that dangles, one below which a file is to be
 * made, or `link/..`, which the system and the text read differently. What can't be judged is refused.
 */
export async function refuseLinksOutside({ root, relative, segments }: Location): Promise<void> {
  if (relative === "" && segments.length === 0) return;
  const asked = [root.path, ...segments].join("/");
  const realRoot = realpath(root.path).catch(() => undefined);
  const real = await realPathOf(
    asked,
    `${root.path}/${relative}`,
    [root.path],
    realRoot.then((found) => [found ?? root.path]),
  );
  // In a folder that is gone nothing can be judged: everything would look like a file that is still to be made.
  if ((await realRoot) === undefined || real.kind === "refused") throw outside(relative);
}

/** The path as the model sees it. */
export function pathOf(root: Root, relative: string, roots: readonly Root[]): string {
  if (roots.length === 1) return relative;
  return relative === "" ? root.name : `${root.name}/${relative}`;
}

export function outside(path: string): UserError {
  const shown = JSON.stringify(path);
  return new UserError(
    t("{0} is outside the workspace.", shown),
    `${shown} is outside the workspace. Use a path inside it.`,
  );
}

function splitRoot(path: string, roots: readonly Root[], platform: NodeJS.Platform) {
  const absolute = platform === "win32" ? /^[a-z]:\//i.test(path) || path.startsWith("/") : path.startsWith("/");
  if (absolute) {
    const fold = (text: string) => (platform === "win32" ? text.toLowerCase() : text);
    const root = roots.find(({ path: own }) => fold(path) === fold(own) || fold(path).startsWith(`${fold(own)}/`));
    if (!root) throw outside(path);
    return { root, rest: path.slice(root.path.length) };
  }
  if (roots.length === 1) return undefined;
  const bare = path.replace(/^(?:\.\/+)+/, "");
  const root = roots.find(({ name }) => bare === name || bare.startsWith(`${name}/`));
  if (root) return { root, rest: bare.slice(root.name.length) };
  const names = roots.map(({ name }) => `${name}/`).join(", ");
  const shown = JSON.stringify(path);
  throw new UserError(
    t("Several folders are open: begin the path {0} with one of {1}.", shown, names),
    `Several folders are open: begin the path ${shown} with one of ${names}.`,
  );
}

/** Refuses by the text alone what must not reach the file system. */
function refuseStrange(path: string, platform: NodeJS.Platform): void {
  if (path === "" || textProblem(path, platform) === undefined) return;
  const shown = JSON.stringify(path);
  throw new UserError(
    t("{0} is not a path that can be used.", shown),
    `${shown} is not a path that can be used. Use a plain path inside the workspace.`,
  );
}
