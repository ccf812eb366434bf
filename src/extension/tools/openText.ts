import { ToolError } from "../common/userError.ts";
import type { FileContent, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { type Reading, readAllowed, readForEdit } from "./secretReads.ts";

export type TextContent = Extract<FileContent, { kind: "text" }>;

/** What a file holds; a missing path and a folder are errors that say what to do instead. */
export async function readExisting(
  dependencies: ToolDependencies,
  path: string,
  reading: Reading,
  read = readAllowed,
): Promise<FileContent> {
  const { workspace } = dependencies;
  const stat = await workspace.stat(path);
  if (!stat) throw await missingPath(workspace, path, reading.context.signal);
  if (stat.kind === "directory") throw new ToolError(`${path} is a folder. Use list_files to see what is in it.`);
  return read(dependencies, path, reading);
}

/** The text of a file that is to be edited. */
export async function readEditable(
  dependencies: ToolDependencies,
  path: string,
  reading: Reading,
): Promise<TextContent> {
  const content = await readExisting(dependencies, path, reading, readForEdit);
  if (content.kind === "text") return content;
  throw new ToolError(`${path} is an image (${content.mimeType}): it can't be edited as text.`);
}

const maxShown = 5;
const maxSiblings = 500;

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
    workspace.findFiles(`**/${literal(name)}`, maxShown, signal),
    workspace.findFiles(`**/${literal(stem)}.*`, maxShown, signal),
    siblingsOf(workspace, parent, signal),
  ]);
  const spelled = closest(name, [...siblings.keys()], 3).map((sibling) => siblings.get(sibling) ?? sibling);
  return [...new Set([...same.paths, ...spelled, ...alike.paths])].slice(0, maxShown);
}

/** What the parent folder holds, by name; the workspace's top when there is no such folder. */
async function siblingsOf(workspace: Workspace, parent: string, signal: AbortSignal): Promise<Map<string, string>> {
  const folder = (await workspace.stat(parent))?.kind === "directory" ? parent : "";
  const { entries } = await workspace.list(folder, { depth: 1, limit: maxSiblings }, signal);
  return new Map(entries.map(({ path }) => [path.slice(path.lastIndexOf("/") + 1), path]));
}

/** A name as a glob: what a glob gives a meaning to matches any character. */
function literal(name: string): string {
  return name.replace(/[*?[\]{}!,\\#]/g, "?");
}

/** Those of `candidates` whose spelling is near `wanted`, the nearest first. */
function closest(wanted: string, candidates: readonly string[], max: number): string[] {
  const tolerance = Math.max(2, Math.floor(wanted.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= tolerance)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** How many characters must be added, removed or changed. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
