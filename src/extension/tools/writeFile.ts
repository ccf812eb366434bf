import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { ProposedChange } from "../changes/model/change.ts";
import { ToolError } from "../common/userError.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { mergedText, type StaleFile, staleFile, withOtherChanges } from "./freshness.ts";
import { readEditable } from "./openText.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";
import { EditError } from "./text/editError.ts";
import { keepLineEnds, majorityLineEnd } from "./text/keepLineEnds.ts";
import { normalizeLineEnds, withoutByteOrderMark } from "./text/normalizedText.ts";
import { placeholderLines } from "./text/placeholders.ts";

const schema = z.object({
  path: z.string().describe("Path in the workspace. Folders are made as needed."),
  content: z.string().describe("The whole text."),
});

/** Writes a whole file, new or in place of one that the agent has read, after review. */
export const writeFileTool = defineEditorTool(
  { name: "write_file", access: "write", kind: "write" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Write file"),
      description:
        "Writes a whole file: a new one, or one that you have read. To change parts of a file, edit it instead. The user may accept, change or reject each change.",
      schema,
      execute: ({ path: asked, content }, context) =>
        orRefusal(async () => {
          const path = workspace.canonicalPath(asked);
          let stale: StaleFile | undefined;
          const changes = async () => {
            const exists = (await workspace.stat(path)) !== undefined;
            const { change, ...found } = exists
              ? await overwriting(dependencies, path, content, context)
              : { change: { path, after: withoutByteOrderMark(content).text }, stale: undefined };
            stale = found.stale;
            refusePlaceholders(change);
            const { fencedText, isFenced } = await import("./text/mismatch.ts");
            if (isFenced(path, content, change.before ?? "")) throw fencedText("content");
            return [change];
          };
          const result = await reviewedInTurn(
            dependencies,
            { toolName: "write_file", paths: [path], changes },
            context,
          );
          return withOtherChanges(result, stale === undefined ? [] : [stale]);
        }),
    };
  },
);

async function overwriting(
  dependencies: ToolDependencies,
  path: string,
  content: string,
  context: ToolContext,
): Promise<{ change: ProposedChange; stale: StaleFile | undefined }> {
  const { reads } = dependencies;
  const { agent } = context;
  const current = await readEditable(dependencies, path, { toolName: "write_file", context });
  if (!reads.seen(agent.id, path)) {
    throw new ToolError(
      `${path} already exists. Read it before you overwrite it, or change parts of it with edit_file.`,
    );
  }
  const stale = staleFile(reads, agent.id, path, current);
  const wanted = normalizeLineEnds(withoutByteOrderMark(content).text);
  const write = (before: string) => keepLineEnds(before, wanted, majorityLineEnd(before) ?? "\n");
  const after = stale === undefined ? write(current.text) : mergedText(stale, write);
  if (after === current.text) throw new EditError("no-change", `${path} already has this content: nothing to write.`);
  return { change: { path, before: current.text, after }, stale };
}

function refusePlaceholders({ before = "", after = "" }: ProposedChange): void {
  const [line] = placeholderLines(after, before);
  if (line === undefined) return;
  throw new EditError(
    "placeholder",
    `content contains "${line}", which stands for code left out. Write the whole file, or change parts of it with edit_file.`,
  );
}
