// Long because a worktree's whole life is here: how it is made, what is read from it, and how it is removed.
import { createHash, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { cp, lstat, mkdir, readdir, readFile, realpath, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, normalize, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import * as z from "zod";
import { isBelow } from "../approvals/paths.ts";
import { writeWhole } from "../common/atomicFile.ts";
import { isRunning, machineName, type ProcessIdentity } from "../common/processIdentity.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import { ToolError, UserError } from "../common/userError.ts";
import { type Git, GitError, type GitRepository, repositoryOf, userGit } from "./git.ts";
import { parseChanges, reapply, storedChanges } from "./storedChanges.ts";
import { type CopiedFiles, copyFiles, differences, type FileDifference, listedFiles } from "./worktreeFiles.ts";

/** What of the ignored files a worktree gets too, by their paths in the open folder. */
export type IgnoredFiles = Readonly<Record<string, "link" | "copy">>;

export interface WorktreesOptions {
  /** Where they are, each in a folder of its own. */
  storage: string;
  owner(): ProcessIdentity;
  ignoredFiles(): IgnoredFiles;
  /** Default: the one on the path. */
  git?: string;
}

/** A worktree of the user's repository, detached, with the files as the user has them. */
export interface Worktree {
  readonly name: string;
  /** What the open folder is in it. Absolute, without links. */
  readonly folder: string;
  /** Submodules, whose files it does not have. Paths from the open folder. */
  readonly submodules: readonly string[];
  /** Where links to ignored files of the user lead. Absolute. */
  readonly linked: readonly string[];
  changes(): Promise<WorktreeChanges>;
  remove(): Promise<void>;
}

/** What the agents of a worktree changed. Paths are relative to the open folder; those above it are listed apart. */
export interface WorktreeChanges {
  inside: FileDifference[];
  above: string[];
  /** Repositories that they made: git lists no file of those. */
  repositories: string[];
  /** Files that are too large to be read, or that can't be. Absent: none. */
  unread?: string[];
}

const recordSchema = z.object({
  name: z.string(),
  path: z.string(),
  top: z.string(),
  commonFolder: z.string(),
  key: z.string().optional(),
  owner: z.object({ pid: z.number(), startedAt: z.string(), machine: z.string() }),
});
type WorktreeRecord = z.infer<typeof recordSchema>;

/** How long a git is waited for that the end of the editor left alone. */
const orphanMs = 10_000;

/**
 * Makes worktrees through the user's git, and removes them. Each is recorded in the storage before git creates it, with the
 * process that it belongs to: what an editor left that was killed, the next one finds and removes.
 */
export class Worktrees {
  readonly #options: WorktreesOptions;
  /** One git at a time writes to a repository. */
  readonly #queue = new SerialQueue();
  readonly #open = new Set<string>();

  constructor(options: WorktreesOptions) {
    this.#options = options;
  }

  /** Throws a `UserError` that says why there can be no worktree. */
  async check(folder: string): Promise<void> {
    await repositoryOf(await this.#git(), folder);
  }

  /**
   * Of the repository that the folder is in. Throws a `UserError` where there can't be one. `key` names the task: what an
   * earlier worktree for it held when the editor was killed is in this one.
   */
  async create(folder: string, { key, signal }: { key?: string; signal: AbortSignal }): Promise<Worktree> {
    const git = await this.#git();
    const repository = await repositoryOf(git, folder);
    const name = `arbor-${randomUUID().slice(0, 8)}`;
    const home = join(await realpath(this.#options.storage), name);
    const record: WorktreeRecord = {
      ...{ name, path: join(home, name), top: repository.top, commonFolder: repository.commonFolder },
      ...(key !== undefined && { key }),
      owner: this.#options.owner(),
    };
    this.#open.add(name);
    try {
      await mkdir(home, { recursive: true });
      await writeWhole(join(home, "record.json"), JSON.stringify(record));
      await this.#queue.run(() => add(git, repository, record, signal));
      return await this.#fill(git, repository, record, signal);
    } catch (error) {
      await this.#remove(record).catch(() => undefined);
      if (isDiskFull(error)) throw diskFull();
      throw error instanceof GitError ? noWorktree(error) : error;
    }
  }

  async #fill(git: Git, repository: GitRepository, record: WorktreeRecord, signal: AbortSignal): Promise<Worktree> {
    const { top, prefix } = repository;
    const { path: tree, name } = record;
    const base = join(dirname(tree), "base");
    await mkdir(base);
    const submodules = await copyIndex(git, repository, tree, signal);
    const listed = await listedFiles(git, top, signal);
    const copied = await copyFiles(top, [base, tree], listed, signal);
    const folder = join(tree, prefix);
    await mkdir(folder, { recursive: true });
    const ignored = await this.#addIgnored(repository, folder);
    if (record.key !== undefined) await this.#bringBack(record.key, folder);
    await writeFile(join(dirname(tree), "filled"), prefix);
    // Only now: killed before, what it holds would be a part of that.
    if (record.key !== undefined) await this.forget(record.key);
    const { commonFolder } = repository;
    const changes = () => changesIn(git, { base, tree, prefix, commonFolder, copied, ignored: ignored.paths });
    return {
      ...{ name, folder: await realpath(folder), linked: ignored.linked },
      submodules: submodules.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)),
      changes,
      remove: () => this.#remove(record),
    };
  }

  async #addIgnored(
    { top, prefix, commonFolder }: GitRepository,
    to: string,
  ): Promise<{ paths: Set<string>; linked: string[] }> {
    const from = join(top, prefix);
    const [realTop, realCommon] = [await realpath(top), await realpath(commonFolder)];
    const paths = new Set<string>();
    const linked: string[] = [];
    for (const [written, how] of Object.entries(this.#options.ignoredFiles())) {
      const path = normalize(written).replaceAll("\\", "/").replace(/\/$/, "");
      if (path.startsWith("..") || path.startsWith("/") || path === "." || /^\.git(\/|$)/i.test(path)) continue;
      const [source, target] = [join(from, path), join(to, path)];
      if (!(await isThere(source)) || (await isThere(target))) continue;
      const real = await realpath(source).catch(() => undefined);
      // A link may lead to what is no part of the repository, and commands could read all of that.
      if (real === undefined || !isBelow(real, realTop, process.platform)) continue;
      if (isBelow(real, realCommon, process.platform)) continue;
      await mkdir(dirname(target), { recursive: true });
      if (how === "copy") await cp(source, target, { recursive: true, verbatimSymlinks: true });
      else {
        await symlink(real, target, "junction");
        linked.push(real);
      }
      paths.add(path);
    }
    return { paths, linked };
  }

  /** What an agent had changed when its editor was killed. */
  async #bringBack(key: string, folder: string): Promise<void> {
    const file = this.#cutOffFile(key);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return;
    await reapply(parseChanges(text), folder);
  }

  /** What a task has changed is there for it to go on with, until it is forgotten. */
  async store(key: string, changes: readonly FileDifference[]): Promise<void> {
    if (changes.length === 0) return;
    await mkdir(dirname(this.#cutOffFile(key)), { recursive: true });
    await writeWhole(this.#cutOffFile(key), storedChanges(changes));
  }

  async forget(key: string): Promise<void> {
    await rm(this.#cutOffFile(key), { force: true });
  }

  #cutOffFile(key: string): string {
    return join(this.#options.storage, "cutOff", `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`);
  }

  /**
   * Removes the worktrees whose process is gone; what their agents had changed is stored, for the tasks to go on with. Gives
   * the number of those removed. `forgets`: also what is stored for tasks.
   */
  async cleanUp({ forgets = false } = {}): Promise<number> {
    let removed = 0;
    const names = await readdir(this.#options.storage).catch(() => []);
    for (const name of names) {
      if (!name.startsWith("arbor-") || this.#open.has(name)) continue;
      const record = await this.#recordOf(name);
      if (record !== undefined && isOwned(record)) continue;
      if (record !== undefined) {
        await orphanEnded(dirname(record.path));
        await this.#storeCutOff(record).catch(() => undefined);
        await this.#remove(record);
      } else await rm(join(this.#options.storage, name), { recursive: true, force: true });
      removed++;
    }
    if (forgets) await rm(join(this.#options.storage, "cutOff"), { recursive: true, force: true });
    return removed;
  }

  async #recordOf(name: string): Promise<WorktreeRecord | undefined> {
    const text = await readFile(join(this.#options.storage, name, "record.json"), "utf8").catch(() => "{}");
    try {
      return recordSchema.parse(JSON.parse(text));
    } catch {
      // It was killed before it asked git for anything.
      return undefined;
    }
  }

  async #storeCutOff(record: WorktreeRecord): Promise<void> {
    const { key, path: tree, commonFolder } = record;
    const base = join(dirname(tree), "base");
    if (key === undefined || !(await isThere(join(dirname(tree), "filled")))) return;
    const git = await this.#git();
    const prefix = await readFile(join(dirname(tree), "filled"), "utf8");
    // How they looked is not known any more: all are compared.
    const copied = new Map((await filesBelow(base)).map((path) => [path, "unknown"]));
    const ignored = new Set(Object.keys(this.#options.ignoredFiles()));
    const { inside } = await changesIn(git, { base, tree, prefix, commonFolder, copied, ignored });
    await this.store(key, inside);
  }

  async #remove(record: WorktreeRecord): Promise<void> {
    const { path, top, commonFolder, name } = record;
    const git = await this.#git();
    // First: what is not there any more then was not deleted by an agent.
    await rm(join(dirname(path), "filled"), { force: true });
    // Not left to git, which follows some links of Windows.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    await this.#queue.run(async () => {
      // Twice: also one that git has locked because it was being made.
      await git(top, ["worktree", "remove", "--force", "--force", path]).catch(() => removeEntry(commonFolder, path));
    });
    await rm(dirname(path), { recursive: true, force: true, maxRetries: 3 });
    this.#open.delete(name);
  }

  async #git(): Promise<Git> {
    const noHooks = join(this.#options.storage, "no-hooks");
    await mkdir(noHooks, { recursive: true });
    return userGit(noHooks, this.#options.git);
  }
}

/** Without a checkout: nothing of the repository's own runs, filters neither. */
async function add(git: Git, { top }: GitRepository, record: WorktreeRecord, signal: AbortSignal): Promise<void> {
  const note = join(dirname(record.path), "git.pid");
  const args = ["worktree", "add", "--quiet", "--detach", "--no-checkout", record.path, "HEAD"];
  // At once, so that the next editor can wait for git where this process is killed.
  await git(top, args, { signal, onStart: (pid) => writeFileSync(note, String(pid)) });
  await rm(note, { force: true });
}

/**
 * The worktree's own index says what the user's says, so that git in it shows the same as there: what is staged, what is in
 * conflict, what a sparse checkout leaves out. Gives the submodules.
 */
async function copyIndex(git: Git, { top }: GitRepository, tree: string, signal: AbortSignal): Promise<string[]> {
  const staged = await git(top, ["ls-files", "-z", "--stage", ":/"], { signal });
  await git(tree, ["update-index", "-z", "--index-info"], { input: staged, signal });
  const tagged = (await git(top, ["ls-files", "-z", "-t", ":/"], { signal })).split("\0");
  const skipped = tagged.filter((line) => line.startsWith("S ")).map((line) => `${line.slice(2)}\0`);
  if (skipped.length > 0) {
    await git(tree, ["update-index", "-z", "--skip-worktree", "--stdin"], { input: skipped.join(""), signal });
  }
  return staged.split("\0").flatMap((line) => (line.startsWith("160000 ") ? line.slice(line.indexOf("\t") + 1) : []));
}

interface FilledTree {
  base: string;
  tree: string;
  prefix: string;
  commonFolder: string;
  copied: CopiedFiles;
  /** Paths from the open folder. */
  ignored: ReadonlySet<string>;
}

async function changesIn(git: Git, filled: FilledTree): Promise<WorktreeChanges> {
  const { base, tree, prefix, commonFolder, copied, ignored } = filled;
  if (!(await isThere(tree))) throw removedOutside();
  // Not by what is in the tree, where an agent could have put settings that name programs.
  const [entry = join(commonFolder, "worktrees", "none")] = await entriesOf(commonFolder, tree);
  const own: Git = (folder, args, options) =>
    git(folder, [`--git-dir=${entry}`, `--work-tree=${tree}`, ...args], options);
  // Where git knows nothing of it any more, what was copied is compared all the same.
  const listed = await listedFiles(own, tree).catch((error: unknown) => {
    if (error instanceof GitError) return [];
    throw error;
  });
  const isOurs = (path: string) =>
    path.startsWith(prefix) && [...ignored].some((each) => `${path}/`.startsWith(`${prefix}${each}/`));
  const paths = listed.filter((path) => !path.endsWith("/") && !isOurs(path));
  const { found: all, unread } = await differences({ base, tree }, paths, copied);
  const withoutPrefix = (path: string) => path.slice(prefix.length);
  return {
    inside: all
      .filter(({ path }) => path.startsWith(prefix))
      .map((difference) => ({ ...difference, path: withoutPrefix(difference.path) })),
    above: [...all.map(({ path }) => path), ...unread].filter((path) => !path.startsWith(prefix)),
    repositories: listed
      .filter((path) => path.endsWith("/") && path.startsWith(prefix) && !isOurs(path))
      .map(withoutPrefix),
    ...(unread.length > 0 && { unread: unread.filter((path) => path.startsWith(prefix)).map(withoutPrefix) }),
  };
}

/** What git knows of a worktree whose folder or repository is not as git wants it. Nothing of other worktrees. */
async function removeEntry(commonFolder: string, path: string): Promise<void> {
  for (const entry of await entriesOf(commonFolder, path)) await rm(entry, { recursive: true, force: true });
  await rmdir(join(commonFolder, "worktrees")).catch(() => undefined);
}

async function entriesOf(commonFolder: string, path: string): Promise<string[]> {
  const folder = join(commonFolder, "worktrees");
  const found: string[] = [];
  for (const id of await readdir(folder).catch(() => [])) {
    const leadsTo = await readFile(join(folder, id, "gitdir"), "utf8").catch(() => "");
    // One that was killed while it was made may have written nothing yet: its name is ours.
    const isOwn = leadsTo === "" ? basename(path) === id : resolve(folder, id, leadsTo.trim()) === join(path, ".git");
    if (isOwn) found.push(join(folder, id));
  }
  return found;
}

function isOwned({ owner }: WorktreeRecord): boolean {
  return owner.machine !== machineName() || isRunning(owner);
}

async function orphanEnded(home: string): Promise<void> {
  const pid = Number(await readFile(join(home, "git.pid"), "utf8").catch(() => "0"));
  const until = Date.now() + orphanMs;
  while (pid > 0 && Date.now() < until && isRunning({ pid, startedAt: "" })) await setTimeout(20);
}

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
  return files.map(({ parentPath, name }) =>
    join(parentPath, name)
      .slice(root.length + 1)
      .replaceAll("\\", "/"),
  );
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function isDiskFull(error: unknown): boolean {
  const text = error instanceof Error ? `${"code" in error ? error.code : ""} ${error.message}` : "";
  return /ENOSPC|EDQUOT|No space left/.test(text);
}

function diskFull(): UserError {
  return new UserError(
    t("The disk is full, so the agent got no worktree. Nothing was changed."),
    'The disk is full: no worktree could be made, and nothing was changed. Give the task with isolation "shared".',
  );
}

function noWorktree({ message }: GitError): ToolError {
  return new ToolError(`Git could make no worktree: ${message} Give the task with isolation "shared".`);
}

function removedOutside(): UserError {
  return new UserError(
    t("The agent's worktree was removed from outside, and what it changed there is lost."),
    "The agent's worktree was removed from outside, and what it changed there is lost. Nothing was changed in the workspace.",
  );
}
