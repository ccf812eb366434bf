import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { withIgnored } from "./editReport.ts";
import { editedText, type StaleFile, staleFile, withOtherChanges } from "./freshness.ts";
import { readEditable } from "./openText.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";

const schema = z.object({
  path: z.string().describe("Path in the workspace."),
  edits: z
    .array(
      z.object({
        old_text: z.string().describe("Text to replace, as the file has it: few lines, but unique."),
        new_text: z.string().describe("What replaces it, complete."),
        replace_all: z.boolean().optional().describe("Replace it everywhere."),
      }),
    )
    .min(1)
    .describe("In order, each on the result of the one before. All or none."),
});

/** Replaces text in a file, after review. */
export const editFileTool = defineEditorTool(
  { name: "edit_file", access: "write", kind: "edit" },
  (dependencies: ToolDependencies) => {
    const { workspace, reads } = dependencies;
    return {
      label: t("Edit file"),
      description:
        "Replaces text in a file that you have read. The user may accept, change or reject each change; the result says what was kept.",
      schema,
      execute: ({ path: asked, edits }, context) =>
        orRefusal(async () => {
          const path = workspace.canonicalPath(asked);
          const wanted = edits.map(({ old_text, new_text, replace_all }) => ({
            oldText: old_text,
            newText: new_text,
            replaceAll: replace_all ?? false,
          }));
          const isEveryPlace = wanted.every(({ replaceAll }) => replaceAll);
          let ignored: readonly string[] = [];
          let stale: StaleFile | undefined;
          const changes = async () => {
            // They are needed by edits alone, and are much code.
            const [{ fencedText, isFenced }, { applyEdits }] = await Promise.all([
              import("./text/mismatch.ts"),
              import("./text/replace.ts"),
            ]);
            const edit = (text: string) => {
              if (wanted.some(({ newText }) => isFenced(path, newText, text))) throw fencedText("new_text");
              const edited = applyEdits(text, wanted);
              ignored = edited.ignored ?? [];
              return edited.text;
            };
            const content = await readEditable(dependencies, path, { toolName: "edit_file", context });
            stale = staleFile(reads, context.agent.id, path, content);
            const after = stale === undefined ? edit(content.text) : editedText(stale, edit, isEveryPlace);
            return [{ path, before: content.text, after }];
          };
          const result = await reviewedInTurn(dependencies, { toolName: "edit_file", paths: [path], changes }, context);
          return withOtherChanges(withIgnored(result, ignored), stale === undefined ? [] : [stale]);
        }),
    };
  },
);
