import { ToolError } from "../common/userError.ts";
import type { FileContent } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { missingPath } from "./nearPaths.ts";
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
