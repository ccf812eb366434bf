import { t } from "@vscode/l10n";
import * as z from "zod";
import { ToolError } from "../common/userError.ts";
import { pathsDownTo } from "../workspace/search/fileTree.ts";
import type { Listing } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { missingPath } from "./openText.ts";
import { orRefusal } from "./refusal.ts";

const defaultDepth = 3;
const maxDepth = 20;
const maxEntries = 500;

const schema = z.object({
  path: z.string().optional().describe("Folder. Default: the workspace's top."),
  depth: z.int().min(1).max(maxDepth).optional().describe(`How many levels down. Default: ${defaultDepth}.`),
});

/** A tree of what lies below a folder, without what .gitignore leaves out. */
export const listFilesTool = defineEditorTool(
  { name: "list_files", access: "read", kind: "search" },
  ({ workspace }: ToolDependencies) => ({
    label: t("List files"),
    description: `Lists a folder as a tree, folders first and ended by a slash. What .gitignore names is left out. At most ${maxEntries} entries.`,
    schema,
    execute: (args, context) =>
      orRefusal(async () => {
        const asked = (args.path ?? "").replace(/^\.\/?$/, "");
        const path = asked === "" ? "" : workspace.canonicalPath(asked);
        await refuseNoFolder(workspace, path, context.signal);
        const depth = args.depth ?? defaultDepth;
        const listing = await workspace.list(path, { depth, limit: maxEntries }, context.signal);
        return { content: treeText(path, listing), details: { path, entries: listing.entries.length } };
      }),
  }),
);

async function refuseNoFolder(workspace: ToolDependencies["workspace"], path: string, signal: AbortSignal) {
  if (path === "") return;
  const stat = await workspace.stat(path);
  if (!stat) throw await missingPath(workspace, path, signal);
  if (stat.kind === "file") throw new ToolError(`${path} is a file. Use read_file to see what is in it.`);
}

function treeText(path: string, { entries, omitted }: Listing): string {
  if (entries.length === 0) return `${path === "" ? "The workspace" : path} has no files.`;
  const above = path === "" ? 0 : pathsDownTo(path).length;
  const lines = entries.map((entry) => {
    const parts = entry.path.split("/");
    return `${"  ".repeat(parts.length - above - 1)}${parts.at(-1)}${entry.kind === "directory" ? "/" : ""}`;
  });
  if (omitted > 0) lines.push(`(${omitted} more entries are left out: list a folder below, or a smaller depth.)`);
  return lines.join("\n");
}
