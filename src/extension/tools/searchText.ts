import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { secretGlob } from "../approvals/sensitive.ts";
import { ToolError } from "../common/userError.ts";
import { pathFilter } from "../workspace/search/walkSearch.ts";
import type { TextMatch, TextSearch } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { orRefusal } from "./refusal.ts";
import { SecretReads, searchAllowed } from "./secretReads.ts";

const defaultLimit = 100;
const maxMatches = 1_000;
const maxContext = 10;
const maxCharacters = 50_000;
const maxSecrets = 50;

const schema = z.object({
  query: z.string().describe("Text, or a regular expression with regex."),
  regex: z.boolean().optional().describe("query is a regular expression."),
  include: z.string().optional().describe("Glob of files to search, like src/**/*.ts."),
  exclude: z.string().optional().describe("Glob of files to leave out."),
  case_sensitive: z.boolean().optional(),
  context_lines: z.int().min(0).max(maxContext).optional().describe("Lines around each match."),
  limit: z
    .int()
    .min(1)
    .max(maxMatches)
    .optional()
    .describe(`How many matching lines at most. Default: ${defaultLimit}.`),
});

/** Lines that match, by file; they are reported as they are found. */
export const searchTextTool = defineEditorTool(
  { name: "search_text", access: "read", kind: "search" },
  (dependencies: ToolDependencies) => ({
    label: t("Search text"),
    description:
      "Searches files for a text or regular expression, unsaved changes included. Matches come by file as line number, colon, line; context lines with a dash. Leaves out what .gitignore names and files that may hold secrets.",
    schema,
    execute: (args, context) =>
      orRefusal(async () => {
        if (args.query === "") throw new ToolError("query is empty. Give the text to find.");
        const limit = args.limit ?? defaultLimit;
        const search: TextSearch = {
          query: args.query,
          regex: args.regex ?? false,
          caseSensitive: args.case_sensitive ?? false,
          contextLines: args.context_lines ?? 0,
          // One more than shown, to know whether there are more.
          limit: limit + 1,
          ...(args.include ? { include: args.include } : {}),
          ...(args.exclude ? { exclude: args.exclude } : {}),
        };
        const [found, left] = await Promise.all([
          collect(dependencies, search, limit, context),
          secretsLeftOut(dependencies, search, context),
        ]);
        return {
          content: [report(args.query, found, limit), ...left].join("\n"),
          details: { matches: found.matches, files: found.files.size },
        };
      }),
  }),
);

/**
 * What was not searched because its reading has to be asked for. It is the same whatever the search is for: otherwise
 * one could guess at what those files hold.
 */
async function secretsLeftOut(
  { workspace, secrets = new SecretReads() }: ToolDependencies,
  search: TextSearch,
  context: ToolContext,
): Promise<string[]> {
  const { paths } = await workspace.findFiles(secretGlob(), maxSecrets, context.signal);
  const isMeant = workspace.roots().length > 1 ? () => true : pathFilter(search);
  const left: string[] = [];
  for (const path of paths) if (isMeant(path) && !(await secrets.isOpen(path, context))) left.push(path);
  if (left.length === 0) return [];
  const named = left.length > 5 ? `${left.slice(0, 5).join(", ")} and others` : left.join(", ");
  return [`(Not searched, since they may hold secrets: ${named}. read_file asks the user.)`];
}

interface Found {
  files: Map<string, TextMatch[]>;
  matches: number;
  more: boolean;
}

async function collect(
  dependencies: ToolDependencies,
  search: TextSearch,
  limit: number,
  context: ToolContext,
): Promise<Found> {
  const found: Found = { files: new Map(), matches: 0, more: false };
  for await (const match of searchAllowed(dependencies, search, context)) {
    if (match.isMatch && found.matches === limit) {
      found.more = true;
      break;
    }
    if (match.isMatch) {
      found.matches++;
      context.output(`${match.path}:${match.line}: ${match.text}\n`);
    }
    const lines = found.files.get(match.path);
    if (lines) lines.push(match);
    else found.files.set(match.path, [match]);
  }
  return found;
}

function report(query: string, { files, matches, more }: Found, limit: number): string {
  if (matches === 0) return `Nothing matches ${JSON.stringify(query)}. Try other words, a wider include, or regex.`;
  const lines: string[] = [];
  let room = maxCharacters;
  let left = 0;
  for (const path of [...files.keys()].sort()) {
    for (const line of linesOf(path, files.get(path) ?? [])) {
      room -= line.length + 1;
      if (room >= 0) lines.push(line);
      else left++;
    }
  }
  if (left > 0) lines.push(`(${left} more lines do not fit: narrow the search with include.)`);
  if (more) lines.push(`(More than ${limit} lines match: narrow the search or raise limit.)`);
  return lines.join("\n");
}

/** A file's matches under its path; a gap between shown lines is marked where there is context. */
function linesOf(path: string, matches: readonly TextMatch[]): string[] {
  const lines = [path];
  const hasContext = matches.some((match) => !match.isMatch);
  let last = 0;
  for (const { line, text, isMatch } of [...matches].sort((one, other) => one.line - other.line)) {
    if (hasContext && last > 0 && line > last + 1) lines.push("  …");
    lines.push(`  ${line}${isMatch ? ":" : "-"} ${text}`);
    last = line;
  }
  return lines;
}
