import { t } from "@vscode/l10n";
import * as z from "zod";
import { ToolError } from "../common/userError.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";
import { symbolAt, symbolFields } from "./symbolAt.ts";

const schema = z.object({ ...symbolFields, new_name: z.string().describe("Its new name.") });

/** Renames a symbol wherever it is used, as the language server sees it, after review. */
export const renameSymbolTool = defineEditorTool(
  { name: "rename_symbol", access: "write", kind: "write" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Rename symbol"),
      description:
        "Renames a symbol in all files that use it, by the language server. Point at its definition. The user may accept or reject each change.",
      schema,
      execute: ({ new_name, ...args }, context) =>
        orRefusal(async () => {
          const newName = new_name.trim();
          if (newName === "") throw new ToolError("new_name is empty. Give the name it shall have.");
          const changes = async () => {
            const { path, name, at } = await symbolAt(dependencies, args, { toolName: "rename_symbol", context });
            if (name === newName) throw new ToolError(`${name} has this name already: nothing to rename.`);
            const edits = await workspace.renameEdits(path, at, newName, context.signal);
            for (const edit of edits) await dependencies.secrets?.allow(edit.path, "rename_symbol", context);
            if (edits.length > 0) return edits;
            throw new ToolError(
              `No language server can rename ${name} in ${path}. Find its uses with search_text and change them with the edit tool.`,
            );
          };
          const paths = (await changes()).map(({ path }) => path);
          // Asked again in turn, because another agent may have written while this one waited for the files.
          const current = async () => {
            const edits = await changes();
            if (edits.every(({ path }) => paths.includes(path))) return edits;
            throw new ToolError("Another file came to use the symbol meanwhile. Ask for the rename again.");
          };
          return reviewedInTurn(dependencies, { toolName: "rename_symbol", paths, changes: current }, context);
        }),
    };
  },
);
