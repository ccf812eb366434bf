import type { ToolContext, ToolResult } from "../../agent/tools.ts";
import type { FileOutcome, ProposedChange } from "../review/review.ts";
import { versionOf } from "../workspace/version.ts";
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
  const diagnosticsBefore = await workspace.diagnostics();
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
    ? diagnosticChange(change.path, diagnosticsBefore, await workspace.diagnostics())
    : { appeared: [], vanished: [] };
  return { content: editReport(change, outcome, diagnostics), details: detailsOf(outcome) };
}

function detailsOf({ path, hunks, saved, changedByUser }: FileOutcome) {
  const accepted = hunks.filter((hunk) => hunk.accepted).length;
  return { path, accepted, rejected: hunks.length - accepted, saved, changedByUser };
}
