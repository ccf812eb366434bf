import { t } from "@vscode/l10n";
import * as z from "zod";
import type { FileDiagnostic } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { diagnosticText, severities } from "./diagnosticText.ts";
import { defineEditorTool } from "./editorTool.ts";
import { missingPath } from "./openText.ts";
import { orRefusal } from "./refusal.ts";
import { allowedDiagnostics } from "./secretReads.ts";

const maxShown = 100;

const schema = z.object({
  path: z.string().optional().describe("File or folder, relative to the workspace. Default: everything."),
  severity: z.enum(severities).optional().describe("The mildest severity to include. Default: warning."),
});

/** Errors and warnings as the Problems panel has them. */
export const getDiagnosticsTool = defineEditorTool(
  { name: "get_diagnostics", access: "read", kind: "search" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Get diagnostics"),
      description: "Errors and warnings of the language servers and linters, as the editor's Problems panel has them.",
      schema,
      execute: (args, context) =>
        orRefusal(async () => {
          const asked = args.path === undefined || /^(?:\.\/?)?$/.test(args.path) ? undefined : args.path;
          const path = asked === undefined ? undefined : workspace.canonicalPath(asked);
          if (path !== undefined && !(await workspace.stat(path)))
            throw await missingPath(workspace, path, context.signal);
          const mildest = severities.indexOf(args.severity ?? "warning");
          const known = (await workspace.diagnostics(path)).filter(
            (each) => severities.indexOf(each.severity) <= mildest,
          );
          // Only a file that is asked for by its name is a question.
          const isFile = path !== undefined && known.some((each) => each.path === path);
          if (isFile) await dependencies.secrets?.allow(path, "get_diagnostics", context);
          const { shown: found, left } = await allowedDiagnostics(dependencies, known, context);
          const note = left.length === 0 ? "" : `\n(Left out, since these files may hold secrets: ${left.join(", ")}.)`;
          const where = path === undefined ? "the workspace" : path;
          if (found.length === 0) {
            const content = `The editor shows no problems in ${where}. Language servers may check open files only.${note}`;
            return { content, details: { problems: 0 } };
          }
          return { content: `${report(found)}${note}`, details: { problems: found.length } };
        }),
    };
  },
);

function report(found: readonly FileDiagnostic[]): string {
  const sorted = [...found].sort(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line),
  );
  const lines = sorted.slice(0, maxShown).map((each) => `${each.path}:${diagnosticText(each)}`);
  if (sorted.length > maxShown) lines.push(`(${sorted.length - maxShown} more are left out: give a path.)`);
  return lines.join("\n");
}
