import type { ToolContext, ToolResult } from "../../agent/tools.ts";
import type { EditProposal, FileOutcome, ProposedChange } from "../review/review.ts";
import { versionOf } from "../workspace/version.ts";
import type { FileDiagnostic, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { diagnosticChange } from "./diagnosticText.ts";
import { editReport, problemReport } from "./editReport.ts";
import { exclusivelyAll, type Turn } from "./pathQueue.ts";
import { recordMove } from "./recordMove.ts";

/** Edits of one call. */
export interface CallEdits {
  toolName: string;
  paths: readonly string[];
  /** Works out what would change, as the files are now. Throws where it is refused. */
  changes(): Promise<readonly ProposedChange[]>;
}

/**
 * Has the files to itself, works out the changes and sees them through the review. Who wants the very same as an agent
 * of the chat whose question is shown already waits for that answer with it, rather than to ask once more afterwards.
 */
export function reviewedInTurn(
  dependencies: ToolDependencies,
  { toolName, paths, changes }: CallEdits,
  context: ToolContext,
): Promise<EditResult> {
  const { reads, review } = dependencies;
  const wishOf = (what: readonly ProposedChange[]) => ({ of: review.chat ?? review, what });
  let wished: readonly ProposedChange[] | undefined;
  const work = async (turn: Turn) => {
    // Nothing was written since: the question that is shared is still open.
    const current = turn.isShared && wished !== undefined ? wished : await changes();
    const asked = () => turn.share(wishOf(current));
    return reviewedEdit(dependencies, { toolName, changes: current, asked, answered: turn.unshare }, context);
  };
  const wish = async () => {
    wished = await changes();
    return wishOf(wished);
  };
  return exclusivelyAll(reads.exclusively, { paths, work, wish }, context.signal);
}

type EditResult = ToolResult & { content: string };

/** Hands the changes of one call to review, records what was written, and tells the model what became of them. */
async function reviewedEdit(
  { workspace, review, reads, agentPath }: ToolDependencies,
  { toolName, changes, asked, answered }: Pick<EditProposal, "toolName" | "changes" | "asked"> & { answered(): void },
  { agent, callId, signal }: ToolContext,
): Promise<EditResult> {
  const path = agentPath(agent.id);
  const before = diagnosticsBefore(workspace, changes);
  const proposal: EditProposal = { callId, toolName, agent, agentPath: path, changes, ...(asked && { asked }) };
  const { files } = await review.review(proposal, signal);
  answered();
  const outcomes = changes.map((change) => ({ change, outcome: outcomeOf(files, change.path) }));
  const written = outcomes.filter(({ outcome }) => isWritten(outcome));
  for (const { change, outcome } of written) {
    if (change.movedTo !== undefined) {
      const move = { from: change.path, to: change.movedTo, followed: outcome.followed ?? [] };
      await recordMove({ workspace, reads }, move, { id: agent.id, path });
    }
    if (outcome.text === undefined) continue;
    const version = versionOf(outcome.text);
    reads.stamp(agent.id, change.path, { text: outcome.text, version });
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
