import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { ProposedChange } from "../changes/model/change.ts";
import { ToolError } from "../common/userError.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { refuseStale } from "./freshness.ts";
import { missingPath, readEditable } from "./openText.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";

const schema = z.object({
  path: z.string().describe("Path in the workspace."),
  to: z.string().describe("Its new path. Folders are made as needed."),
});

/** Moves or renames a file after review, as the editor does, so that language servers update imports. */
export const moveFileTool = defineEditorTool(
  { name: "move_file", access: "write", kind: "move" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Move file"),
      description:
        "Moves or renames one file. Imports in scripts are updated with it, in other languages where the language server can; the result names the files that followed. The user may reject it.",
      schema,
      execute: (args, context) =>
        orRefusal(async () => {
          const path = workspace.canonicalPath(args.path);
          const to = workspace.canonicalPath(args.to);
          let isOverwriting = false;
          const changes = async (): Promise<readonly ProposedChange[]> => {
            await refuseOther(dependencies, path, to, context.signal);
            isOverwriting = (await workspace.stat(to)) !== undefined;
            if (isOverwriting) return overwriting(dependencies, path, to, context);
            const { importEdits } = await import("./importEdits.ts");
            return [{ path, movedTo: to }, ...(await importEdits(dependencies, { from: path, to }, context))];
          };
          const paths = [to, ...(await changes()).map((change) => change.path)];
          // Asked again in turn, because another agent may have written while this one waited for the files.
          const current = async () => {
            const edits = await changes();
            if (edits.every((edit) => paths.includes(edit.path))) return edits;
            throw new ToolError(`Another file came to import ${path} meanwhile. Ask for the move again.`);
          };
          const result = await reviewedInTurn(
            dependencies,
            {
              toolName: "move_file",
              paths,
              changes: current,
              mustAsk: () => (isOverwriting ? "overwrites" : undefined),
            },
            context,
          );
          if (!isOverwriting) return result;
          const note = `${to} exists, so this was proposed as an overwrite and a deletion: imports of ${path} are not updated.`;
          return { ...result, content: `${result.content}\n${note}` };
        }),
    };
  },
);

async function refuseOther({ workspace }: ToolDependencies, path: string, to: string, signal: AbortSignal) {
  const stat = await workspace.stat(path);
  if (!stat) throw await missingPath(workspace, path, signal);
  if (stat.kind === "directory") {
    throw new ToolError(`${path} is a folder: move_file moves single files. Move the files in it one by one.`);
  }
  if (path === to) throw new ToolError(`${path} is where it shall be already: nothing to move.`);
  if ((await workspace.stat(to))?.kind === "directory") {
    throw new ToolError(`${to} is a folder. Give the whole path, like ${to}/${path.slice(path.lastIndexOf("/") + 1)}.`);
  }
}

/** What is lost there is what the user has to see, so both files are reviewed as the edits they are. */
async function overwriting(
  dependencies: ToolDependencies,
  path: string,
  to: string,
  context: ToolContext,
): Promise<ProposedChange[]> {
  const { reads } = dependencies;
  const reading = { toolName: "move_file", context };
  const [source, target] = [
    await readEditable(dependencies, path, reading),
    await readEditable(dependencies, to, reading),
  ];
  refuseStale(reads, context.agent.id, path, source);
  refuseStale(reads, context.agent.id, to, target);
  return [
    { path: to, before: target.text, after: source.text },
    { path, before: source.text },
  ];
}
