import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { clipHunks, type EditedHunk, type FileEdit } from "../../protocol/fileEdits.ts";
import type { EditProposal, FileOutcome, HunkOutcome, ProposedChange } from "../changes/model/change.ts";
import { unlessAborted } from "../common/abort.ts";
import { firstOf } from "../common/deadline.ts";
import { UserStop } from "../common/userError.ts";
import { versionOf } from "../workspace/documents/version.ts";
import type { DiagnosticSnapshot, Workspace } from "../workspace/workspace.ts";
import { watchCollisions } from "./collisions.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { diagnosticChange, type EditedFile } from "./diagnosticText.ts";
import { editReport, hiddenHunks, problemReport } from "./editReport.ts";
import { exclusivelyAll, type PathTurn } from "./pathQueue.ts";
import { allowedDiagnostics, SecretReads } from "./secretReads.ts";
import { outcomeOrStopped } from "./stillSaving.ts";

/** Edits of one call. */
export interface CallEdits {
  toolName: string;
  paths: readonly string[];
  /** Why it is asked for whatever the mode says, once `changes` has worked it out; undefined where it is not. */
  mustAsk?(): EditProposal["mustAsk"];
  /** Works out what would change, as the files are now. Throws where it is refused. */
  changes(): Promise<readonly ProposedChange[]>;
}

/**
 * Has the files to itself, works out the changes and sees them through the review. Who wants the very same as an agent
 * of the chat whose question is shown already waits for that answer with it, rather than to ask once more afterwards.
 */
export function reviewedInTurn(
  dependencies: ToolDependencies,
  { toolName, paths, changes, mustAsk }: CallEdits,
  context: ToolContext,
): Promise<EditResult> {
  const { reads, review } = dependencies;
  const editRequestOf = (what: readonly ProposedChange[]) => ({ of: review.chat ?? review, what });
  let requested: readonly ProposedChange[] | undefined;
  const work = async (turn: PathTurn) => {
    // Nothing was written since: the question that is shared is still open.
    const current = turn.isShared && requested !== undefined ? requested : await changes();
    const asked = () => turn.share(editRequestOf(current));
    const why = mustAsk?.();
    const proposed = { toolName, changes: current, asked, ...(why !== undefined && { mustAsk: why }) };
    return reviewedEdit(dependencies, { ...proposed, answered: turn.unshare }, context);
  };
  const request = async () => {
    requested = await changes();
    return editRequestOf(requested);
  };
  return exclusivelyAll(reads.exclusively, { paths, work, request }, context.signal);
}

type EditResult = ToolResult & { content: string };

/** Hands the changes of one call to review, records what was written, and reports to the model what became of them. */
async function reviewedEdit(
  dependencies: ToolDependencies,
  { answered, ...proposed }: Pick<EditProposal, "toolName" | "changes" | "asked" | "mustAsk"> & { answered(): void },
  context: ToolContext,
): Promise<EditResult> {
  const { workspace, review, reads, agentPath } = dependencies;
  const { changes } = proposed;
  const { agent, callId, signal } = context;
  const path = agentPath(agent.id);
  const before = await problemsBefore(workspace, changes, signal);
  const proposal: EditProposal = { callId, agent, agentPath: path, ...proposed };
  const collisions = watchCollisions(dependencies, changes, context);
  const reviewed = outcomeOrStopped(workspace, review.review(proposal, signal), { changes, signal });
  const { files } = await reviewed.finally(() => collisions.dispose());
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
      await recordMove({ workspace, reads }, move, { id: agent.id, agentPath: path });
    }
    if (outcome.text === undefined) continue;
    const version = versionOf(outcome.text);
    reads.wrote(change.path, version, { id: agent.id, agentPath: path });
    // Later than the write, which is no change to the agent that made it.
    if (!isHidden) reads.stamp(agent.id, change.path, { text: outcome.text, version });
  }
  const stop = signal.reason instanceof UserStop ? "the user stopped the run" : "the run was stopped";
  const report = [
    ...outcomes.map(({ change, outcome, isHidden }) =>
      editReport(change, outcome, { stop, ...(isHidden && { show: hiddenHunks }) }),
    ),
    ...collisions.notes(written.flatMap(({ change }) => pathsOf(change))),
    ...(await problemsSince(dependencies, before, written, context)),
  ];
  return { content: report.join("\n"), details: { files: outcomes.map(fileEdit) } };
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

interface DecidedFile {
  change: ProposedChange;
  outcome: FileOutcome;
  /** Its lines are not for the agent, and not stored with its conversation. */
  isHidden: boolean;
}

/** For people; the model gets a report. */
function fileEdit({ change, outcome, isHidden }: DecidedFile): FileEdit & Pick<FileOutcome, "saved" | "changedByUser"> {
  const { path, hunks, saved, changedByUser } = outcome;
  const { before, after, movedTo } = change;
  const kept = hunks.filter(({ accepted }) => accepted);
  return {
    path,
    change: movedTo !== undefined ? "move" : before === undefined ? "add" : after === undefined ? "delete" : "update",
    ...(movedTo !== undefined && { movedTo }),
    accepted: kept.length,
    rejected: hunks.length - kept.length,
    added: kept.reduce((sum, { hunk }) => sum + hunk.newLines.length, 0),
    removed: kept.reduce((sum, { hunk }) => sum + hunk.oldLines.length, 0),
    ...(!isHidden && clipHunks(hunks.map(editedHunk))),
    ...{ saved, changedByUser },
  };
}

function editedHunk({ hunk, accepted, conflicted, unanswered, reason }: HunkOutcome): EditedHunk {
  const { oldStart: line, oldLines, newLines } = hunk;
  if (accepted) return { line, oldLines, newLines };
  const left = conflicted ? "conflicted" : unanswered ? "unanswered" : "rejected";
  return { line, oldLines, newLines, left, ...(reason !== undefined && reason !== "" && { reason }) };
}

interface Move {
  from: string;
  to: string;
  /** Files in which the editor followed. */
  followed: readonly string[];
}

/** What the agent has seen of a file goes with it; what the editor wrote for the move counts as the agent's writing. */
async function recordMove(
  { workspace, reads }: Pick<ToolDependencies, "workspace" | "reads">,
  { from, to, followed }: Move,
  agent: { id: string; agentPath: readonly string[] },
): Promise<void> {
  const seen = reads.seen(agent.id, from);
  if (seen?.text !== undefined) reads.stamp(agent.id, to, { text: seen.text, version: seen.version });
  const { signal } = new AbortController();
  for (const path of followed) {
    const content = (await workspace.stat(path)) && (await workspace.read(path, signal));
    if (content?.kind === "text") reads.wrote(path, versionOf(content.text), agent);
  }
}

/** How long an edit waits to know what is wrong before it. A proposal that is shown meanwhile waits for its answer. */
const maxWaitMs = 3_000;

/** The diagnostics before an edit, where they were known before any of its files changed. */
interface ProblemsBefore {
  known?: DiagnosticSnapshot;
}

/**
 * Looks for what is wrong before an edit is made: what it finds too late, because a server is still starting, counts
 * for nothing, so that nothing from before is taken for new.
 */
async function problemsBefore(
  workspace: Workspace,
  changes: readonly ProposedChange[],
  signal: AbortSignal,
): Promise<ProblemsBefore> {
  const result: ProblemsBefore = {};
  const own = new Set(changes.flatMap(pathsOf));
  const looking = snapshotOf(workspace, changes.flatMap(pathsOf), signal).then(
    (snapshot) => {
      if (changedIn(workspace, snapshot).some((path) => own.has(path))) return;
      result.known = asMoved(snapshot, changes);
    },
    // A file that can't be asked about is reported as it is after the edit.
    () => undefined,
  );
  await firstOf(
    unlessAborted(looking, signal).catch(() => undefined),
    maxWaitMs,
  );
  return result;
}

/** What an edit brought and solved, for the model. None when the run is stopped meanwhile. */
async function problemsSince(
  dependencies: ToolDependencies,
  before: ProblemsBefore,
  written: readonly { change: ProposedChange; outcome: FileOutcome }[],
  context: ToolContext,
): Promise<string[]> {
  const { workspace } = dependencies;
  const { signal } = context;
  if (written.length === 0 || signal.aborted) return [];
  const { known } = before;
  const paths = [...new Set(written.map(({ change }) => change.movedTo ?? change.path))];
  let after: DiagnosticSnapshot;
  try {
    after = await unlessAborted(snapshotOf(workspace, paths, signal), signal);
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
  const own = new Set(written.flatMap(({ change, outcome }) => [...pathsOf(change), ...(outcome.followed ?? [])]));
  const others = known === undefined ? [] : changedIn(workspace, known).filter((path) => !own.has(path));
  const allowed = async (snapshot: DiagnosticSnapshot): Promise<DiagnosticSnapshot> => ({
    ...snapshot,
    list: (await allowedDiagnostics(dependencies, snapshot.list, context)).shown,
  });
  const files = written.flatMap(({ change, outcome }): EditedFile[] => {
    if (change.movedTo !== undefined) return [];
    const { path, before: old } = change;
    return [
      { path, ...(old !== undefined && { before: old }), ...(outcome.text !== undefined && { after: outcome.text }) },
    ];
  });
  const moved = paths.filter((path) => !files.some((file) => file.path === path)).map((path) => ({ path }));
  const change = diagnosticChange([...files, ...moved], known && (await allowed(known)), await allowed(after), others);
  return problemReport(change, paths);
}

async function snapshotOf(workspace: Workspace, paths: readonly string[], signal: AbortSignal) {
  if (workspace.diagnosticSnapshot !== undefined) return workspace.diagnosticSnapshot(paths, signal);
  return { list: await workspace.diagnostics(), known: { has: () => true }, at: 0 };
}

function changedIn(workspace: Workspace, snapshot: DiagnosticSnapshot): readonly string[] {
  return workspace.changedSince?.(snapshot) ?? [];
}

function pathsOf({ path, movedTo }: ProposedChange): string[] {
  return movedTo === undefined ? [path] : [path, movedTo];
}

/** What is wrong in a file that is moved was wrong before, under its old name. */
function asMoved(snapshot: DiagnosticSnapshot, changes: readonly ProposedChange[]): DiagnosticSnapshot {
  const moves = new Map(
    changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [] : [[path, movedTo] as const])),
  );
  const list = snapshot.list.map((each) => ({ ...each, path: moves.get(each.path) ?? each.path }));
  return { ...snapshot, list };
}
