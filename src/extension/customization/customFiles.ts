import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import { decodeText } from "../workspace/documents/encoding.ts";
import { locate, type Root, refuseLinksOutside } from "../workspace/paths.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TextSpan } from "./frontMatter.ts";
import { readInstructions } from "./projectInstructions.ts";

/** What custom files are read through: the workspace with its checks, or the user's own folder. */
export type FileSource = Pick<Workspace, "stat" | "list" | "read">;

export interface CustomFileSources {
  workspace: FileSource & Pick<Workspace, "roots">;
  /** The user's own files, whose paths begin with `~/`; absent where there is no home folder. */
  home?: FileSource;
}

/** A custom file that could be read. */
export interface CustomFile {
  path: string;
  text: string;
}

/** One that could not, and why. */
export interface UnreadableFile {
  path: string;
  problem: string;
}

/** Where a mistake is that is none of a certain line. */
export const fileStart: TextSpan = { start: 0, end: 0 };

/** More files than this in one folder are not read. */
const maxFiles = 200;
const maxListMs = 3_000;

/** Of which workspace folders and of the user: each folder of these, in the order in which they count. */
export function customFolders({ workspace, home }: CustomFileSources, folders: readonly string[]): string[] {
  const roots = workspace.roots();
  const prefixes = roots.length === 1 ? [""] : roots.map((root) => `${root}/`);
  const own = home === undefined ? [] : folders.filter((folder) => folder.split("/")[0] === ".agents");
  return [
    ...prefixes.flatMap((prefix) => folders.map((folder) => prefix + folder)),
    ...own.map((folder) => `~/${folder}`),
  ];
}

/** The source that a path belongs to. */
function sourceOf({ workspace, home }: CustomFileSources, path: string): FileSource {
  return path.startsWith("~/") && home !== undefined ? home : workspace;
}

/** Names in a folder, sorted; none where there is no such folder or it can't be listed. */
export async function namesIn(sources: CustomFileSources, folder: string): Promise<string[]> {
  const source = sourceOf(sources, folder);
  try {
    if ((await source.stat(folder))?.kind !== "directory") return [];
    const options = { depth: 1, limit: maxFiles, includesIgnored: true };
    const { entries } = await source.list(folder, options, AbortSignal.timeout(maxListMs));
    return entries.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)).sort();
  } catch {
    // A folder that leads out of the workspace or can't be listed has nothing for agents, and takes nothing from others.
    return [];
  }
}

/** Reads a file as instructions are read; undefined where there is none, or nothing in it. */
export async function readCustomFile(
  sources: CustomFileSources,
  path: string,
): Promise<CustomFile | UnreadableFile | undefined> {
  const read = await readInstructions(sourceOf(sources, path), path);
  if (read === undefined) return undefined;
  return "text" in read ? { path, text: read.text } : { path, problem: read.problem };
}

/** The user's folder `.agents`, read with the checks of a workspace: no link leads out of it. */
export function homeFiles(home: string): FileSource {
  const root: Root = { name: "~", path: join(home, ".agents").replaceAll("\\", "/") };
  const resolve = async (path: string): Promise<string> => {
    const location = locate(path.replace(/^~\/\.agents(?:\/|$)/, ""), [root], process.platform);
    await refuseLinksOutside(location);
    return join(root.path, location.relative);
  };
  const statOf = async (path: string) => {
    try {
      // Without the folder nothing can be judged, and nothing is wrong.
      await stat(root.path);
      const found = await stat(await resolve(path));
      const kind = found.isDirectory() ? ("directory" as const) : ("file" as const);
      return { kind, size: found.size, modifiedAt: found.mtimeMs };
    } catch (error) {
      if (error instanceof UserError) throw error;
      // What can't be looked at is taken for not there: such a folder is optional.
      return undefined;
    }
  };
  return {
    stat: statOf,
    async list(path, { limit }) {
      const names = await readdir(await resolve(path));
      const entries = names.slice(0, limit).map((name) => ({ path: `${path}/${name}`, kind: "file" as const }));
      return { entries, omitted: Math.max(0, names.length - limit) };
    },
    async read(path, signal) {
      const text = decodeText(await readFile(await resolve(path), { signal }))?.text;
      if (text === undefined || text.includes("\0"))
        throw new UserError(t("{0} is a binary file: it has no text.", path));
      return { kind: "text", text, version: "", unsaved: false, languageId: "markdown" };
    },
  };
}
