import { UserError } from "../userError.ts";
import type { FileContent, Workspace } from "../workspace/workspace.ts";
import { missingPath } from "./nearPaths.ts";

export type TextContent = Extract<FileContent, { kind: "text" }>;

/** What a file holds; a missing path and a folder are errors that say what to do instead. */
export async function readExisting(workspace: Workspace, path: string, signal: AbortSignal): Promise<FileContent> {
  const stat = await workspace.stat(path);
  if (!stat) throw await missingPath(workspace, path, signal);
  if (stat.kind === "directory") throw new UserError(`${path} is a folder. Use list_files to see what is in it.`);
  return workspace.read(path, signal);
}

/** The text of a file that is to be edited. */
export async function readEditable(workspace: Workspace, path: string, signal: AbortSignal): Promise<TextContent> {
  const content = await readExisting(workspace, path, signal);
  if (content.kind === "text") return content;
  throw new UserError(`${path} is an image (${content.mimeType}): it can't be edited as text.`);
}
