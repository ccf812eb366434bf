import { t } from "@vscode/l10n";
import * as z from "zod";
import { ToolError } from "../common/userError.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { orRefusal } from "./refusal.ts";

const defaultLimit = 100;
const maxFiles = 1_000;

const schema = z.object({
  pattern: z
    .string()
    .describe("Glob, like *.ts, src/**/*.{ts,tsx} or **/README.md. Without a slash it matches at any depth."),
  limit: z.int().min(1).max(maxFiles).optional().describe(`How many files at most. Default: ${defaultLimit}.`),
});

/** Files that match a glob, the newest first. */
export const findFilesTool = defineEditorTool(
  { name: "find_files", access: "read", kind: "search" },
  ({ workspace }: ToolDependencies) => ({
    label: t("Find files"),
    description: "Finds files by a glob, the last changed first. What .gitignore names is left out.",
    schema,
    execute: (args, context) =>
      orRefusal(async () => {
        const pattern = args.pattern.trim();
        if (pattern === "") throw new ToolError("pattern is empty. Give a glob, like *.ts or src/**.");
        const limit = args.limit ?? defaultLimit;
        const { paths, truncated } = await workspace.findFiles(pattern, limit, context.signal);
        const lines = [...paths];
        if (paths.length === 0) {
          const wider =
            pattern.includes("/") && !pattern.startsWith("**/") ? ` Try **/${pattern.replace(/^\/+/, "")}.` : "";
          lines.push(`No file matches ${pattern}.${wider}`);
        }
        if (truncated) lines.push(`(More than ${limit} files match: narrow the pattern or raise limit.)`);
        return { content: lines.join("\n"), details: { pattern, files: paths.length, truncated } };
      }),
  }),
);
