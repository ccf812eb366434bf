import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { FileOutcome, ProposedChange } from "../changes/model/change.ts";
import { firstOf } from "../common/firstOf.ts";
import { unlessAborted } from "../common/unlessAborted.ts";
import type { DiagnosticSnapshot, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { diagnosticChange, type EditedFile } from "./diagnosticText.ts";
import { problemReport } from "./editReport.ts";
import { allowedDiagnostics } from "./secretReads.ts";

/** How long an edit waits to know what is wrong before it. A proposal that is shown meanwhile waits for its answer. */
const longestWaitMs = 3_000;

/** The diagnostics before an edit, where they were known before any of its files changed. */
export interface ProblemsBefore {
  known?: DiagnosticSnapshot;
}

/**
 * Looks for what is wrong before an edit is made: what it finds too late, because a server is still starting, counts
 * for nothing, so that nothing from before is taken for new.
 */
export async function problemsBefore(
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
    longestWaitMs,
  );
  return result;
}

/** What an edit brought and solved, for the model. None when the run is stopped meanwhile. */
export async function problemsSince(
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
