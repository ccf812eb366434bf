import type { ToolContext, ToolResult } from "../../agent/vocabulary/tools.ts";
import type { EditProposal, FileOutcome, ProposedChange } from "../changes/model/change.ts";
import { UserStop } from "../common/userError.ts";
import { versionOf } from "../workspace/version.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { problemsBefore, problemsSince } from "./editProblems.ts";
import { editReport } from "./editReport.ts";
import { hiddenHunks } from "./hunkText.ts";
import { exclusivelyAll, type Turn } from "./pathQueue.ts";
import { recordMove } from "./recordMove.ts";
import { SecretReads } from "./secretReads.ts";

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
  dependencies: ToolDependencies,
  { toolName, changes, asked, answered }: Pick<EditProposal, "toolName" | "changes" | "asked"> & { answered(): void },
  context: ToolContext,
): Promise<EditResult> {
  const { workspace, review, reads, agentPath } = dependencies;
  const { agent, callId, signal } = context;
  const path = agentPath(agent.id);
  const before = await problemsBefore(workspace, changes, signal);
  const proposal: EditProposal = { callId, toolName, agent, agentPath: path, changes, ...(asked && { asked }) };
  const { files } = await review.review(proposal, signal);
  answered();
  const outcomes = await Promise.all(
    changes.map(async (change) => {
      const outcome = outcomeOf(files, change.path);
      return { change, outcome, isHidden: await holdsUnseen(dependencies, { change, outcome }, context) };
    }),
  );
  const written = outcomes.filter(({ outcome }) => isWritten(outcome));
  for (const moved of outcomes) {
    const changedWith = written.flatMap(({ change }) => (change.follows === moved.change.path ? [change.path] : []));
    if (changedWith.length > 0) moved.outcome = { ...moved.outcome, changedWith };
  }
  for (const { change, outcome, isHidden } of written) {
    if (change.movedTo !== undefined) {
      const move = { from: change.path, to: change.movedTo, followed: outcome.followed ?? [] };
      await recordMove({ workspace, reads }, move, { id: agent.id, path });
    }
    if (outcome.text === undefined) continue;
    const version = versionOf(outcome.text);
    reads.wrote(change.path, version, path);
    // Later than the write, which is no change to the agent that made it.
    if (!isHidden) reads.stamp(agent.id, change.path, { text: outcome.text, version });
  }
  const stop = signal.reason instanceof UserStop ? "the user stopped the run" : "the run was stopped";
  const report = [
    ...outcomes.map(({ change, outcome, isHidden }) =>
      editReport(change, outcome, { stop, ...(isHidden && { show: hiddenHunks }) }),
    ),
    ...(await problemsSince(dependencies, before, written, context)),
  ];
  return { content: report.join("\n"), details: detailsOf(outcomes.map(({ outcome }) => outcome)) };
}

/** A file with secrets came to hold what the agent neither wrote nor was allowed to read: the user's words in its proposal. */
async function holdsUnseen(
  { reads, secrets = new SecretReads() }: ToolDependencies,
  { change, outcome }: { change: ProposedChange; outcome: FileOutcome },
  context: ToolContext,
): Promise<boolean> {
  const { path, before, after } = change;
  const isOwn = outcome.text === undefined || outcome.text === after;
  const isSeen = before === undefined || reads.seen(context.agent.id, path)?.version === versionOf(before);
  return !(isOwn && isSeen) && !(await secrets.isOpen(path, context));
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

function detailsOf(outcomes: readonly FileOutcome[]) {
  return {
    files: outcomes.map(({ path, hunks, saved, changedByUser }) => {
      const accepted = hunks.filter((hunk) => hunk.accepted).length;
      return { path, accepted, rejected: hunks.length - accepted, saved, changedByUser };
    }),
  };
}
