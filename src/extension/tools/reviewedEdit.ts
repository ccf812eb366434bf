import type { ToolContext, ToolResult } from "../../agent/tools.ts";
import type { FileOutcome, ProposedChange } from "../review/review.ts";
import { versionOf } from "../workspace/version.ts";
import type { FileDiagnostic, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { diagnosticChange } from "./diagnosticText.ts";
import { editReport } from "./editReport.ts";

/** Hands a change to review, records what was written, and tells the model what became of it. */
export async function reviewedEdit(
  { workspace, review, reads, agentPath }: ToolDependencies,
  toolName: string,
  change: ProposedChange,
  context: ToolContext,
): Promise<ToolResult> {
  const { agent, callId, signal } = context;
  const path = agentPath(agent.id);
  const before = diagnosticsBefore(workspace, change);
  const proposal = { callId, toolName, agent, agentPath: path, changes: [change] };
  const outcome = (await review.review(proposal, signal)).files.find((file) => file.path === change.path);
  if (!outcome) throw new Error(`The review of ${change.path} ended without an outcome.`);
  // Where nothing was accepted, another text than before is the user's: the agent has not seen it.
  const written = outcome.hunks.length === 0 || outcome.hunks.some((hunk) => hunk.accepted);
  if (written && outcome.text !== undefined) {
    const version = versionOf(outcome.text);
    reads.stamp(agent.id, change.path, outcome.text, version);
    reads.wrote(change.path, version, path);
  }
  const diagnostics = written
    ? diagnosticChange(change.path, before.known, await workspace.diagnostics())
    : { appeared: [], vanished: [] };
  return { content: editReport(change, outcome, diagnostics), details: detailsOf(outcome) };
}

/**
 * The diagnostics as they are before the edit, once they are known. A server that is still starting takes seconds, in
 * which the proposal is already shown; when it is answered earlier, what there was before stays unknown.
 */
function diagnosticsBefore(
  workspace: Workspace,
  { path, before }: ProposedChange,
): { known?: readonly FileDiagnostic[] } {
  const result: { known?: readonly FileDiagnostic[] } = {};
  const ready = before === undefined ? Promise.resolve([]) : workspace.diagnostics(path);
  ready
    .then(() => workspace.diagnostics())
    .then(
      (list) => {
        result.known = list;
      },
      // A file that can't be asked about is reported as it is after the edit.
      () => undefined,
    );
  return result;
}

function detailsOf({ path, hunks, saved, changedByUser }: FileOutcome) {
  const accepted = hunks.filter((hunk) => hunk.accepted).length;
  return { path, accepted, rejected: hunks.length - accepted, saved, changedByUser };
}
