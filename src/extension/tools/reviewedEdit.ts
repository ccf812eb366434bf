import type { ToolContext, ToolResult } from "../../agent/tools.ts";
import type { FileOutcome, ProposedChange } from "../review/review.ts";
import { versionOf } from "../workspace/version.ts";
import type { FileDiagnostic, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { diagnosticChange } from "./diagnosticText.ts";
import { editReport, problemReport } from "./editReport.ts";
import { recordMove } from "./recordMove.ts";

/** Hands the changes of one call to review, records what was written, and tells the model what became of them. */
export async function reviewedEdit(
  { workspace, review, reads, agentPath }: ToolDependencies,
  toolName: string,
  changes: readonly ProposedChange[],
  { agent, callId, signal }: ToolContext,
): Promise<ToolResult & { content: string }> {
  const path = agentPath(agent.id);
  const before = diagnosticsBefore(workspace, changes);
  const { files } = await review.review({ callId, toolName, agent, agentPath: path, changes }, signal);
  const outcomes = changes.map((change) => ({ change, outcome: outcomeOf(files, change.path) }));
  const written = outcomes.filter(({ outcome }) => isWritten(outcome));
  for (const { change, outcome } of written) {
    if (change.movedTo !== undefined) {
      const move = { from: change.path, to: change.movedTo, followed: outcome.followed ?? [] };
      await recordMove({ workspace, reads }, move, { id: agent.id, path });
    }
    if (outcome.text === undefined) continue;
    const version = versionOf(outcome.text);
    reads.stamp(agent.id, change.path, outcome.text, version);
    reads.wrote(change.path, version, path);
  }
  const known = before.known;
  const after = written.length > 0 ? await workspace.diagnostics() : (known ?? []);
  const paths = written.map(({ change }) => change.movedTo ?? change.path);
  const report = [
    ...outcomes.map(({ change, outcome }) => editReport(change, outcome)),
    ...(written.length > 0 ? problemReport(diagnosticChange(paths, known, after), paths) : []),
  ];
  return { content: report.join("\n"), details: detailsOf(outcomes.map(({ outcome }) => outcome)) };
}

function outcomeOf(files: readonly FileOutcome[], path: string): FileOutcome {
  const outcome = files.find((file) => file.path === path);
  if (!outcome) throw new Error(`The review of ${path} ended without an outcome.`);
  return outcome;
}

/** Where nothing was accepted, another text than before is the user's: the agent has not seen it. */
function isWritten({ hunks }: FileOutcome): boolean {
  return hunks.length === 0 || hunks.some((hunk) => hunk.accepted);
}

/**
 * The diagnostics as they are before the edit, once they are known. A server that is still starting takes seconds, in
 * which the proposal is already shown; when it is answered earlier, what there was before stays unknown.
 */
function diagnosticsBefore(
  workspace: Workspace,
  changes: readonly ProposedChange[],
): { known?: readonly FileDiagnostic[] } {
  const result: { known?: readonly FileDiagnostic[] } = {};
  const existing = changes.filter((change) => change.before !== undefined);
  Promise.all(existing.map((change) => workspace.diagnostics(change.path)))
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

function detailsOf(outcomes: readonly FileOutcome[]) {
  return {
    files: outcomes.map(({ path, hunks, saved, changedByUser }) => {
      const accepted = hunks.filter((hunk) => hunk.accepted).length;
      return { path, accepted, rejected: hunks.length - accepted, saved, changedByUser };
    }),
  };
}
