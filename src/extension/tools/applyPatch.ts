import { t } from "@vscode/l10n";
import * as z from "zod";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { ProposedChange } from "../changes/model/change.ts";
import { ToolError } from "../common/userError.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { withIgnored } from "./editReport.ts";
import { editedText, mergedText, type StaleFile, staleError, staleFile, withOtherChanges } from "./freshness.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";
import { readForEdit } from "./secretReads.ts";
import { EditError } from "./text/editError.ts";
import { type PatchSection, parsePatch } from "./text/parsePatch.ts";
import { applyPatch, type FileChange, patchText } from "./text/patch.ts";

const schema = z.object({
  patch: z
    .string()
    .describe(
      "*** Begin Patch, sections *** Add File: PATH (lines with +), *** Update File: PATH (optionally *** Move to: PATH; then @@ and lines with blank, - or +) or *** Delete File: PATH, *** End Patch.",
    ),
});

/** The format that the parameter describes, for models that write patches as free text. */
const grammar = `start: begin section+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
section: added | deleted | updated
added: "*** Add File: " path LF (/\\+.*/ LF)+
deleted: "*** Delete File: " path LF
updated: "*** Update File: " path LF moved? change
moved: "*** Move to: " path LF
change: (anchor | line)+ ("*** End of File" LF)?
anchor: /@@( .*)?/ LF
line: /[-+ ].*/ LF
path: /.+/
%import common.LF
`;

/** Changes several files by a patch, after review: all of the patch fits, or nothing is proposed. */
export const applyPatchTool = defineEditorTool(
  { name: "apply_patch", access: "write", kind: "edit" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Apply patch"),
      description:
        "Adds, changes, moves and deletes files by a patch. Read the files first. Give three lines around each change, and @@ with the function or class where they are not unique. The user may accept, change or reject each change; the result says what was kept.",
      schema,
      freeText: { argument: "patch", grammar },
      execute: ({ patch }, context) =>
        orRefusal(async () => {
          const paths = parsePatch(patch).flatMap((section) =>
            section.kind === "update" && section.movedTo ? [section.path, section.movedTo] : [section.path],
          );
          const own = paths.map((path) => workspace.canonicalPath(path));
          let stale: StaleFile[] = [];
          let ignored: string[] = [];
          let isOverwriting = false;
          const changes = async () => {
            const texts = await readTexts(dependencies, own, context);
            stale = own.flatMap((path) => texts.get(path)?.stale ?? []);
            const read = async (path: string) => texts.get(workspace.canonicalPath(path))?.text;
            const all: ProposedChange[] = [];
            const patched = await rebasedPatch(patch, texts, (path) => workspace.canonicalPath(path));
            ignored = [...new Set(patched.flatMap((change) => change.ignored ?? []))];
            isOverwriting = patched.some(({ overwrites }) => overwrites);
            for (const change of patched) {
              all.push(...(await proposed(workspace, change, read)));
            }
            return all;
          };
          const result = await reviewedInTurn(
            dependencies,
            { toolName: "apply_patch", paths: own, changes, mustAsk: () => (isOverwriting ? "overwrites" : undefined) },
            context,
          );
          return withOtherChanges(withIgnored(result, ignored), stale);
        }),
    };
  },
);

interface PatchedText {
  text: string;
  /** It changed since the agent saw it. */
  stale: StaleFile | undefined;
}

/** The texts that a patch is for, by canonical path; of those that exist. */
async function readTexts(
  dependencies: ToolDependencies,
  paths: readonly string[],
  context: ToolContext,
): Promise<Map<string, PatchedText>> {
  const { workspace, reads } = dependencies;
  const texts = new Map<string, PatchedText>();
  for (const path of paths) {
    if ((await workspace.stat(path))?.kind !== "file") continue;
    const content = await readForEdit(dependencies, path, { toolName: "apply_patch", context });
    if (content.kind !== "text") throw new ToolError(`${path} is an image: it can't be patched.`);
    texts.set(path, { text: content.text, stale: staleFile(reads, context.agent.id, path, content) });
  }
  return texts;
}

/** What the patch makes of the texts as they are now, where the agent made it for older ones. */
async function rebasedPatch(
  patch: string,
  texts: ReadonlyMap<string, PatchedText>,
  canonical: (path: string) => string,
): Promise<FileChange[]> {
  const staleOf = (path: string) => texts.get(canonical(path))?.stale;
  const [first] = [...texts.values()].flatMap(({ stale }) => stale ?? []);
  if (first === undefined) return applyPatch(patch, async (path) => texts.get(canonical(path))?.text);
  const sections = parsePatch(patch);
  try {
    const changes = await applyPatch(patch, async (path) => staleOf(path)?.seen ?? texts.get(canonical(path))?.text);
    return changes.map((change, index) => {
      const target = change.movedTo === undefined ? undefined : staleOf(change.movedTo);
      if (target !== undefined) throw staleError(target);
      const [section, stale] = [sections[index], staleOf(change.path)];
      return section === undefined || stale === undefined ? change : rebasedChange(section, change, stale);
    });
  } catch (error) {
    // It does not even fit what the agent saw: that it changed since is the likelier reason.
    throw error instanceof EditError && error.kind === "no-match" ? staleError(first) : error;
  }
}

function rebasedChange(section: PatchSection, change: FileChange, stale: StaleFile): FileChange {
  const before = stale.current;
  switch (section.kind) {
    case "add":
      return { ...change, before, after: mergedText(stale, () => change.after ?? "") };
    case "delete":
      throw staleError(stale);
    case "update":
      return { ...change, before, after: editedText(stale, (text) => patchText(section, text).text) };
    default:
      return assertNever(section);
  }
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
