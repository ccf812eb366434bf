import { t } from "@vscode/l10n";
import * as z from "zod";
import type { AgentTool } from "../../agent/tools.ts";
import type { ProposedChange } from "../review/review.ts";
import { UserError } from "../userError.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { refuseStale } from "./freshness.ts";
import { readEditable } from "./openText.ts";
import { orRefusal } from "./refusal.ts";
import { reviewedInTurn } from "./reviewedEdit.ts";
import { EditError } from "./text/editError.ts";
import { keepLineEnds, majorityLineEnd } from "./text/keepLineEnds.ts";
import { normalizeLineEnds, withoutByteOrderMark } from "./text/normalizedText.ts";
import { placeholderLines } from "./text/placeholders.ts";

const schema = z.object({
  path: z.string().describe("Path of the file, relative to the workspace. Folders are made as needed."),
  content: z.string().describe("The whole text of the file."),
});

/** Writes a whole file, new or in place of one that the agent has read, after review. */
export function writeFileTool(dependencies: ToolDependencies): AgentTool<typeof schema> {
  const { workspace } = dependencies;
  return {
    name: "write_file",
    label: t("Write file"),
    description:
      "Writes a whole file of the workspace: a new one, or one that you have read. To change parts of a file use edit_file. The user may accept, change or reject each change; the result says what was kept.",
    schema,
    execute: ({ path: asked, content }, context) =>
      orRefusal(async () => {
        const path = workspace.canonicalPath(asked);
        const changes = async () => {
          const exists = (await workspace.stat(path)) !== undefined;
          const change = exists
            ? await overwriting(dependencies, path, content, context)
            : { path, after: withoutByteOrderMark(content).text };
          refusePlaceholders(change);
          return [change];
        };
        return reviewedInTurn(dependencies, { toolName: "write_file", paths: [path], changes }, context);
      }),
  };
}

async function overwriting(
  { workspace, reads }: ToolDependencies,
  path: string,
  content: string,
  { agent, signal }: { agent: { id: string }; signal: AbortSignal },
): Promise<ProposedChange> {
  const current = await readEditable(workspace, path, signal);
  if (!reads.seen(agent.id, path)) {
    throw new UserError(
      `${path} already exists. Read it before you overwrite it, or change parts of it with edit_file.`,
    );
  }
  refuseStale(reads, agent.id, path, current);
  const wanted = normalizeLineEnds(withoutByteOrderMark(content).text);
  const after = keepLineEnds(current.text, wanted, majorityLineEnd(current.text) ?? "\n");
  if (after === current.text) throw new EditError("no-change", `${path} already has this content: nothing to write.`);
  return { path, before: current.text, after };
}

function refusePlaceholders({ before = "", after = "" }: ProposedChange): void {
  const [line] = placeholderLines(after, before);
  if (line === undefined) return;
  throw new EditError(
    "placeholder",
    `content contains "${line}", which stands for code left out. Write the whole file, or change parts of it with edit_file.`,
  );
}
