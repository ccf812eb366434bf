import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentMeta } from "../../../agent/types.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { userAgentId } from "../../../protocol/userAgent.ts";
import type { EditReview, ProposedChange } from "../../changes/model/change.ts";
import { UserError } from "../../common/userError.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { placeCode } from "./placeCode.ts";

export interface ApplyCodeDependencies {
  workspace: Pick<Workspace, "canonicalPath" | "stat" | "read">;
  review: EditReview;
  isTrusted(): boolean;
  /** The file that the user works in. */
  activeFile(): string | undefined;
  signal: AbortSignal;
}

/** Whoever clicks, not an agent. */
const userMeta: AgentMeta = { id: userAgentId, name: "You", prefix: "", depth: 0 };

/** Code of an answer becomes an edit that the user reviews like any other: of the file it names, or of the open one. */
export async function applyCode(
  intent: Pick<Extract<Intent, { type: "applyCode" }>, "text" | "path">,
  dependencies: ApplyCodeDependencies,
): Promise<void> {
  const { review, signal } = dependencies;
  if (!dependencies.isTrusted()) {
    throw new UserError(t("Files are not edited in Restricted Mode. Trust the workspace, or copy the code."));
  }
  const change = await changeFor(intent, dependencies);
  const proposal = { callId: randomUUID(), toolName: "apply_code", agent: userMeta, agentPath: ["You"] };
  await review.review({ ...proposal, changes: [change] }, signal);
}

async function changeFor(
  { text, path: named }: { text: string; path?: string },
  { workspace, activeFile, signal }: ApplyCodeDependencies,
): Promise<ProposedChange> {
  const given = named ?? activeFile();
  if (given === undefined) {
    throw new UserError(t("The code names no file. Open the file that it is for, and apply it again."));
  }
  const path = workspace.canonicalPath(given);
  const stat = await workspace.stat(path);
  if (stat === undefined) return { path, after: text.endsWith("\n") ? text : `${text}\n` };
  if (stat.kind === "directory") throw new UserError(t("{0} is a folder: code goes into a file.", path));
  const content = await workspace.read(path, signal);
  if (content.kind !== "text") throw new UserError(t("{0} is an image: there is no place for code in it.", path));
  const placed = placeCode(content.text, text);
  if ("problem" in placed) throw new UserError(problemText(placed.problem, path));
  if (placed.after === content.text) throw new UserError(t("{0} has this code already.", path));
  return { path, before: content.text, after: placed.after };
}

function problemText(problem: "leavesOut" | "nowhere" | "ambiguous", path: string): string {
  switch (problem) {
    case "leavesOut":
      return t("The code leaves parts of {0} out. Ask the agent to edit the file itself.", path);
    case "nowhere":
      return t(
        "Where this code belongs in {0} is not clear: its first and last lines are not there. Put the cursor in place and use Insert at cursor, or ask the agent to edit the file.",
        path,
      );
    case "ambiguous":
      return t(
        "This code fits more than one place in {0}. Put the cursor in place and use Insert at cursor, or ask the agent to edit the file.",
        path,
      );
    default:
      return problem satisfies never;
  }
}
