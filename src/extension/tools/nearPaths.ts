import { ToolError } from "../common/userError.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { closest } from "./closest.ts";

const mostShown = 5;
const mostSiblings = 500;

/** The error for a path that does not exist: it names files of that name elsewhere and names spelled alike. */
export async function missingPath(workspace: Workspace, path: string, signal: AbortSignal): Promise<ToolError> {
  const near = await nearPaths(workspace, path, signal);
  const hint = near.length > 0 ? `Did you mean ${near.join(", ")}?` : "Use find_files or list_files to find it.";
  return new ToolError(`${path} does not exist. ${hint}`);
}

async function nearPaths(workspace: Workspace, path: string, signal: AbortSignal): Promise<string[]> {
  const parts = path.split("/").filter((part) => part !== "");
  const name = parts.at(-1) ?? "";
  if (name === "") return [];
  const stem = name.replace(/\.[^.]+$/, "");
  const parent = parts.slice(0, -1).join("/");
  const [same, alike, siblings] = await Promise.all([
    workspace.findFiles(`**/${literal(name)}`, mostShown, signal),
    workspace.findFiles(`**/${literal(stem)}.*`, mostShown, signal),
    siblingsOf(workspace, parent, signal),
  ]);
  const spelled = closest(name, [...siblings.keys()], 3).map((sibling) => siblings.get(sibling) ?? sibling);
  return [...new Set([...same.paths, ...spelled, ...alike.paths])].slice(0, mostShown);
}

/** What the parent folder holds, by name; the workspace's top when there is no such folder. */
async function siblingsOf(workspace: Workspace, parent: string, signal: AbortSignal): Promise<Map<string, string>> {
  const folder = (await workspace.stat(parent))?.kind === "directory" ? parent : "";
  const { entries } = await workspace.list(folder, { depth: 1, limit: mostSiblings }, signal);
  return new Map(entries.map(({ path }) => [path.slice(path.lastIndexOf("/") + 1), path]));
}

/** A name as a glob: what a glob gives a meaning to matches any character. */
function literal(name: string): string {
  return name.replace(/[*?[\]{}!,\\#]/g, "?");
}
