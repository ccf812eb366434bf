import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import type { FileContent, Workspace } from "../workspace/workspace.ts";

/** What a review does with the workspace. */
export type ReviewedWorkspace = Pick<Workspace, "stat" | "read" | "replace" | "create" | "remove" | "move">;

/** What the file holds now; undefined when it does not exist. */
export async function currentText(
  workspace: ReviewedWorkspace,
  path: string,
): Promise<Extract<FileContent, { kind: "text" }> | undefined> {
  if ((await workspace.stat(path)) === undefined) return undefined;
  // Reading one file is not worth stopping: what was accepted has to be reported even after an abort.
  const content = await workspace.read(path, new AbortController().signal);
  if (content.kind === "text") return content;
  throw new UserError(t("{0} is an image now, so no text can be changed in it. Reject the edit.", path));
}
