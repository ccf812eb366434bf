import { release, type } from "node:os";
import { firstOf } from "../common/deadline.ts";
import type { EditorState, Environment, GitState } from "../prompts/contextBlocks.ts";
import { shellText } from "../terminal/shell.ts";
import type { Workspace } from "../workspace/workspace.ts";

const maxEntries = 40;
const maxCommits = 3;
const maxOpenFiles = 10;
const maxProblemFiles = 5;
/** A folder or a repository that takes longer is left out: the user waits for the answer. */
const defaultWaitMs = 1_500;

/** What the editor knows of where agents work. */
export interface EditorFolders {
  isTrusted: boolean;
  roots: readonly Pick<Environment["folders"][number], "name" | "path" | "isReadOnly">[];
  /** The first of those that git has found already. */
  repository(): Repository | undefined;
  now: Date;
}

/** What is used here of the interface that the editor's own git extension offers to others. */
export interface Repository {
  state: Record<"indexChanges" | "workingTreeChanges" | "mergeChanges", readonly Change[]> & {
    HEAD?: { name?: string; commit?: string };
    untrackedChanges?: readonly Change[];
  };
  log(options: { maxEntries: number }): Promise<readonly { message: string }[]>;
}
interface Change {
  uri: { toString(): string };
}

/** The editor's git extension, as far as it is asked for repositories. */
interface GitExtension<Found> {
  isActive: boolean;
  exports: { getAPI(version: 1): { repositories: readonly Found[] } };
}

/** Those that git has found already. */
export function foundRepositories<Found>(extension: GitExtension<Found> | undefined): readonly Found[] {
  if (extension?.isActive !== true) return [];
  try {
    return extension.exports.getAPI(1).repositories;
  } catch {
    // Git is switched off by the settings.
    return [];
  }
}

/** Of a workspace that is not trusted nothing is read. */
export async function readEnvironment(
  { isTrusted, roots, repository, now }: EditorFolders,
  workspace: Pick<Workspace, "list">,
  maxWaitMs = defaultWaitMs,
): Promise<Environment> {
  const read = <T>(work: () => Promise<T>) => (isTrusted ? inTime(work(), maxWaitMs) : undefined);
  const folders = roots.map(async (root) => {
    const listed = await read(() => topOf(workspace, roots.length === 1 ? "" : root.name, maxWaitMs));
    return { ...root, entries: listed?.entries ?? [], omitted: listed?.omitted ?? 0 };
  });
  const git = read(async () => gitState(repository()));
  return {
    date: dayOf(now),
    system: `${type()} ${release()}, ${process.arch}`,
    shell: isTrusted ? shellText(process.platform, process.env.SHELL) : undefined,
    folders: await Promise.all(folders),
    git: await git,
    isTrusted,
  };
}

/** By hand: to load a language for it takes 10 milliseconds and more. */
function dayOf(date: Date): string {
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

async function topOf(workspace: Pick<Workspace, "list">, folder: string, maxWaitMs: number) {
  const { entries, omitted } = await workspace.list(
    folder,
    { depth: 1, limit: maxEntries },
    AbortSignal.timeout(maxWaitMs),
  );
  const names = entries.map(
    ({ path, kind }) => path.slice(path.lastIndexOf("/") + 1) + (kind === "directory" ? "/" : ""),
  );
  return { entries: names, omitted };
}

async function gitState(repository: Repository | undefined): Promise<GitState | undefined> {
  if (repository === undefined) return undefined;
  const { HEAD, indexChanges, workingTreeChanges, mergeChanges, untrackedChanges = [] } = repository.state;
  const changed = [...indexChanges, ...workingTreeChanges, ...mergeChanges, ...untrackedChanges];
  const commits = await repository.log({ maxEntries: maxCommits });
  return {
    branch: HEAD?.name,
    changedFiles: new Set(changed.map(({ uri }) => uri.toString())).size,
    commits: commits.map(({ message }) => message.split("\n", 1)[0] ?? ""),
  };
}

/**
 * A repository that asks git for the last commits once, as long as the latest is the same: nothing before a commit
 * changes, and each question starts a process.
 */
export function rememberCommits(): (repository: Repository) => Repository {
  let known: { commit: string; log: ReturnType<Repository["log"]> } | undefined;
  return (repository) => ({
    state: repository.state,
    log(options) {
      const commit = repository.state.HEAD?.commit;
      if (commit === undefined) return repository.log(options);
      if (known?.commit === commit) return known.log;
      const asked = { commit, log: repository.log(options) };
      known = asked;
      asked.log.catch(() => {
        if (known === asked) known = undefined;
      });
      return asked.log;
    },
  });
}

/** Has git asked for what the environment says of it. */
export async function readCommitsAhead(repository: Repository): Promise<void> {
  // What fails here fails again when it is needed.
  await repository.log({ maxEntries: maxCommits }).catch(() => undefined);
}

/** Undefined for what fails or takes too long: the rest is worth knowing without it. */
async function inTime<T>(work: Promise<T>, maxWaitMs: number): Promise<T | undefined> {
  let result: T | undefined;
  const done = work.then(
    (value) => {
      result = value;
    },
    () => undefined,
  );
  await firstOf(done, maxWaitMs);
  return result;
}

/** What is open in the editor; files outside the workspace have no path. */
export interface OpenEditors {
  active: { path: string | undefined; selection: EditorSelection } | undefined;
  /** Of all tabs, in their order. */
  tabs: readonly (string | undefined)[];
  unsaved: ReadonlySet<string | undefined>;
  /** Errors and warnings by file. */
  problems: readonly { path: string | undefined; count: number }[];
}

/** Lines counted from 0, as the editor does. */
interface EditorSelection {
  isEmpty: boolean;
  active: { line: number };
  start: { line: number };
  end: { line: number };
}

/** Files of the workspace that are open, the active one first. */
export function openPathsOf({ active, tabs }: Pick<OpenEditors, "active" | "tabs">): string[] {
  return [...new Set([active?.path, ...tabs].filter((path) => path !== undefined))];
}

/** What the user looks at. */
export function describeEditors(editors: OpenEditors): EditorState {
  const { active, unsaved, problems } = editors;
  const path = active?.path;
  return {
    active: active === undefined || path === undefined ? undefined : { path, ...positionOf(active.selection) },
    open: openPathsOf(editors)
      .filter((open) => open !== path)
      .slice(0, maxOpenFiles)
      .map((open) => ({ path: open, isUnsaved: unsaved.has(open) })),
    problems: problems
      .flatMap(({ path: file, count }) => (file === undefined || count === 0 ? [] : [{ path: file, count }]))
      .sort((one, other) => other.count - one.count || (one.path < other.path ? -1 : 1))
      .slice(0, maxProblemFiles),
  };
}

function positionOf({
  isEmpty,
  active,
  start,
  end,
}: EditorSelection): Omit<NonNullable<EditorState["active"]>, "path"> {
  const line = active.line + 1;
  return isEmpty ? { line } : { line, selection: { start: start.line + 1, end: end.line + 1 } };
}
