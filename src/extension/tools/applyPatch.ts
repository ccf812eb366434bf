import { t } from "@vscode/l10n";
import * as z from "zod";
import { assertNever } from "../../agent/errors.ts";
import type { AgentTool, ToolContext } from "../../agent/tools.ts";
import type { ProposedChange } from "../review/review.ts";
import { UserError } from "../userError.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { refuseStale } from "./freshness.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";
import { parsePatch } from "./text/parsePatch.ts";
import { applyPatch, type FileChange } from "./text/patch.ts";

const schema = z.object({
  patch: z
    .string()
    .describe(
      "A patch: *** Begin Patch, then sections *** Add File: PATH (lines with +), *** Update File: PATH (optionally *** Move to: PATH, then @@ and lines with blank, - or +) or *** Delete File: PATH, then *** End Patch.",
    ),
});

/** Changes several files by a patch, after review: all of the patch fits, or nothing is proposed. */
export function applyPatchTool(dependencies: ToolDependencies): AgentTool<typeof schema> {
  const { workspace } = dependencies;
  return {
    name: "apply_patch",
    label: t("Apply patch"),
    description:
      "Adds, changes, moves and deletes files of the workspace by a patch. Give three lines around each change, and @@ with the function or class where they are not unique. Read the files first. The user may accept, change or reject each change; the result says what was kept.",
    schema,
    execute: ({ patch }, context) =>
      orRefusal(async () => {
        const paths = parsePatch(patch).flatMap((section) =>
          section.kind === "update" && section.movedTo ? [section.path, section.movedTo] : [section.path],
        );
        const own = paths.map((path) => workspace.canonicalPath(path));
        const changes = async () => {
          const read = (path: string) => readFor(dependencies, path, context);
          const all: ProposedChange[] = [];
          for (const change of await applyPatch(patch, read)) all.push(...(await proposed(workspace, change, read)));
          return all;
        };
        return reviewedInTurn(dependencies, { toolName: "apply_patch", paths: own, changes }, context);
      }),
  };
}

/** The text a patch is for; absent where there is no file. A stale one is refused. */
async function readFor({ workspace, reads }: ToolDependencies, asked: string, { agent, signal }: ToolContext) {
  const path = workspace.canonicalPath(asked);
  if ((await workspace.stat(path))?.kind !== "file") return undefined;
  const content = await workspace.read(path, signal);
  if (content.kind !== "text") throw new UserError(`${path} is an image: it can't be patched.`);
  refuseStale(reads, agent.id, path, content);
  return content.text;
}

/** A move is the file written there and gone here, so that both are reviewed; what it overwrites is seen as changed. */
async function proposed(
  workspace: Workspace,
  change: FileChange,
  read: (path: string) => Promise<string | undefined>,
): Promise<ProposedChange[]> {
  const path = workspace.canonicalPath(change.path);
  const { kind, before = "", after = "", movedTo } = change;
  switch (kind) {
    case "add":
      return [{ path, after, ...(change.overwrites ? { before } : {}) }];
    case "delete":
      return [{ path, before }];
    case "update": {
      if (movedTo === undefined) return [{ path, before, after }];
      const target = change.overwrites ? await read(movedTo) : undefined;
      const there = { path: workspace.canonicalPath(movedTo), after };
      return [target === undefined ? there : { ...there, before: target }, { path, before }];
    }
    default:
      return assertNever(kind);
  }
}
