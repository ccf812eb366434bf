import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { ToolError, UserError } from "../common/userError.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { refuseStale } from "./freshness.ts";
import type { TextContent } from "./openText.ts";
import { missingPath } from "./openText.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";
import { readForEdit } from "./secretReads.ts";

const schema = z.object({ path: z.string().describe("Path in the workspace.") });

/** Deletes a text file after review. */
export const deleteFileTool = defineEditorTool(
  { name: "delete_file", access: "write", kind: "delete" },
  (dependencies: ToolDependencies) => {
    const { workspace, reads } = dependencies;
    return {
      label: t("Delete file"),
      description:
        "Deletes one text file. Nothing else is changed: remove what refers to it first. The user may reject it.",
      schema,
      execute: ({ path: asked }, context) =>
        orRefusal(async () => {
          const path = workspace.canonicalPath(asked);
          const changes = async () => {
            const content = await deletable(dependencies, path, context);
            refuseStale(reads, context.agent.id, path, content);
            return [{ path, before: content.text }];
          };
          return reviewedInTurn(dependencies, { toolName: "delete_file", paths: [path], changes }, context);
        }),
    };
  },
);

/** What is deleted is shown first, so it has to be a text. */
async function deletable(dependencies: ToolDependencies, path: string, context: ToolContext): Promise<TextContent> {
  const { workspace, reads } = dependencies;
  const stat = await workspace.stat(path);
  if (!stat) throw await missingPath(workspace, path, context.signal);
  if (stat.kind === "directory") {
    throw new ToolError(`${path} is a folder: delete_file deletes single files. Delete the files in it one by one.`);
  }
  const advice = "delete_file deletes text files only: ask the user to delete it.";
  try {
    // What it never read is not shown to it, so that is no question; what changed since then is.
    const content = reads.seen(context.agent.id, path)
      ? await readForEdit(dependencies, path, { toolName: "delete_file", context })
      : await workspace.read(path, context.signal);
    if (content.kind === "text") return content;
  } catch (error) {
    throw error instanceof UserError ? new ToolError(`${error.forModel} ${advice}`) : error;
  }
  throw new ToolError(`${path} is an image. ${advice}`);
}
