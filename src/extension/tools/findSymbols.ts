import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import { ToolError } from "../common/userError.ts";
import type { CodeSymbol } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { readEditable } from "./openText.ts";
import { matchesText } from "./placeText.ts";
import { orRefusal } from "./refusal.ts";
import { searchAllowed } from "./secretReads.ts";
import { declarationMatches } from "./wordSearch.ts";

const maxSymbols = 200;

const schema = z.object({
  query: z.string().describe("Part of the name. Empty with a path: the file's outline."),
  path: z.string().optional().describe("A file. Default: the workspace."),
});

/** Symbols of a file or of the workspace, by the language server; by the look of lines where none answers. */
export const findSymbolsTool = defineEditorTool(
  { name: "find_symbols", access: "read", kind: "search" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Find symbols"),
      description:
        "Finds classes, functions and other symbols by part of their name, by the language server; without one, lines that look like declarations.",
      schema,
      execute: ({ query: asked, path: askedPath }, context) =>
        orRefusal(async () => {
          const { signal } = context;
          const query = asked.trim();
          const path = askedPath === undefined || askedPath === "" ? undefined : workspace.canonicalPath(askedPath);
          if (path === undefined && query === "") throw new ToolError("Give a query, or the path of a file.");
          if (path !== undefined) await readEditable(dependencies, path, { toolName: "find_symbols", context });
          const known =
            path === undefined
              ? await workspace.workspaceSymbols(query, signal)
              : await workspace.documentSymbols(path, signal);
          const found = known.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
          if (found.length > 0) return symbolsResult(found, path);
          if (path !== undefined && known.length > 0) {
            const names = [...new Set(known.map(({ name }) => name))].slice(0, 50).join(", ");
            return { content: `${path} has no symbol like ${query}. It has: ${names}.`, details: { symbols: 0 } };
          }
          const matches = await declarationMatches((search) => searchAllowed(dependencies, search, context), {
            name: query,
            exact: false,
            ...(path === undefined ? {} : { path }),
          });
          const lines =
            matches.length > 0
              ? `These lines look like declarations:\n${matchesText(matches)}`
              : "No line looks like a declaration of it either. Use search_text.";
          const content = `No language server knows ${path === undefined ? `a symbol like ${query}` : `symbols of ${path}`}.\n${lines}`;
          return { content, details: { symbols: 0, byText: true } };
        }),
    };
  },
);

function symbolsResult(found: readonly CodeSymbol[], file: string | undefined): ToolResult {
  const lines = found.slice(0, maxSymbols).map(({ name, kind, container, path, line }) => {
    const place = file === undefined ? `${path}:${line}` : `${line}`;
    return `${place}: ${kind} ${name}${container === undefined ? "" : ` (in ${container})`}`;
  });
  if (found.length > maxSymbols) lines.push(`(${found.length - maxSymbols} more: narrow the query.)`);
  return { content: lines.join("\n"), details: { symbols: found.length } };
}
