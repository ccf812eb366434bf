// Long because a worktree's whole life is here: how it is made, what is read from it, and how it is removed by whomever.
import { createHash, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { cp, lstat, mkdir, readdir, readFile, realpath, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import * as z from "zod";
import { writeWhole } from "../common/atomicFile.ts";
import { isRunning, machineName, type ProcessIdentity } from "../common/processIdentity.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import { UserError } from "../common/userError.ts";
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
  /** What its agents changed. Paths are relative to the open folder; those above it are listed apart. */
  changes(): Promise<{ inside: FileDifference[]; above: string[] }>;
  remove(): Promise<void>;
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
 * Makes worktrees through the user's git, and removes them. Each is noted in the storage before git hears of it, with the
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
      throw isDiskFull(error) ? diskFull() : error;
    }
  }

  async #fill(git: Git, repository: GitRepository, record: WorktreeRecord, signal: AbortSignal): Promise<Worktree> {
    const { top, prefix } = repository;
    const { path: tree, name } = record;
    const base = join(dirname(tree), "base");
    await mkdir(base);
    const submodules = await carryIndex(git, repository, tree, signal);
    const listed = await listedFiles(git, top, signal);
    const copied = await copyFiles(top, [base, tree], listed, signal);
    const folder = join(tree, prefix);
    await mkdir(folder, { recursive: true });
    const ignored = await this.#addIgnored(join(top, prefix), folder);
    await writeFile(join(dirname(tree), "filled"), prefix);
    if (record.key !== undefined) await this.#bringBack(record.key, folder);
    const changes = () => changesIn(git, { base, tree, prefix, copied, ignored: ignored.paths });
    return {
      ...{ name, folder: await realpath(folder), linked: ignored.linked },
      submodules: submodules.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)),
      changes,
      remove: () => this.#remove(record),
    };
  }

  async #addIgnored(from: string, to: string): Promise<{ paths: Set<string>; linked: string[] }> {
    const paths = new Set<string>();
    const linked: string[] = [];
    for (const [written, how] of Object.entries(this.#options.ignoredFiles())) {
      const path = normalize(written).replaceAll("\\", "/").replace(/\/$/, "");
      if (path.startsWith("..") || path.startsWith("/") || path === "." || path === ".git") continue;
      const [source, target] = [join(from, path), join(to, path)];
      if (!(await isThere(source)) || (await isThere(target))) continue;
      await mkdir(dirname(target), { recursive: true });
      if (how === "copy") await cp(source, target, { recursive: true, verbatimSymlinks: true });
      else {
        const real = await realpath(source);
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
    await rm(file, { force: true });
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
    const { key, path: tree } = record;
    const base = join(dirname(tree), "base");
    if (key === undefined || !(await isThere(join(dirname(tree), "filled")))) return;
    const git = await this.#git();
    const prefix = await readFile(join(dirname(tree), "filled"), "utf8");
    // How they looked is not known any more: all are compared.
    const copied = new Map((await filesBelow(base)).map((path) => [path, "unknown"]));
    const ignored = new Set(Object.keys(this.#options.ignoredFiles()));
    const { inside } = await changesIn(git, { base, tree, prefix, copied, ignored });
    if (inside.length === 0) return;
    await mkdir(dirname(this.#cutOffFile(key)), { recursive: true });
    await writeWhole(this.#cutOffFile(key), storedChanges(inside));
  }

  async #remove(record: WorktreeRecord): Promise<void> {
    const { path, top, commonFolder, name } = record;
    const git = await this.#git();
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
  // At once, so that whoever finds this process killed can wait for the other.
  await git(top, args, { signal, onStart: (pid) => writeFileSync(note, String(pid)) });
  await rm(note, { force: true });
}

/**
 * The worktree's own index says what the user's says, so that git in it shows the same as there: what is staged, what is in
 * conflict, what a sparse checkout leaves out. Gives the submodules.
 */
async function carryIndex(git: Git, { top }: GitRepository, tree: string, signal: AbortSignal): Promise<string[]> {
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
  copied: CopiedFiles;
  /** Paths from the open folder. */
  ignored: ReadonlySet<string>;
}

async function changesIn(git: Git, { base, tree, prefix, copied, ignored }: FilledTree) {
  if (!(await isThere(tree))) throw removedOutside();
  // Where an agent broke git in it, what was copied is compared all the same.
  const listed = await listedFiles(git, tree).catch((error: unknown) => {
    if (error instanceof GitError) return [];
    throw error;
  });
  const isOurs = (path: string) =>
    path.startsWith(prefix) && [...ignored].some((own) => path === prefix + own || path.startsWith(`${prefix}${own}/`));
  const paths = listed.filter((path) => !path.endsWith("/") && !isOurs(path));
  const all = await differences({ base, tree }, paths, copied);
  return {
    inside: all
      .filter(({ path }) => path.startsWith(prefix))
      .map((difference) => ({ ...difference, path: difference.path.slice(prefix.length) })),
    above: all.map(({ path }) => path).filter((path) => !path.startsWith(prefix)),
  };
}

/** What git knows of a worktree whose folder or repository is not as git wants it. Nothing of other worktrees. */
async function removeEntry(commonFolder: string, path: string): Promise<void> {
  const folder = join(commonFolder, "worktrees");
  for (const id of await readdir(folder).catch(() => [])) {
    const leadsTo = await readFile(join(folder, id, "gitdir"), "utf8").catch(() => "");
    // One that was killed while it was made may have written nothing yet: its name is ours.
    const isOwn = leadsTo.trim() === join(path, ".git") || (leadsTo === "" && path.endsWith(`/${id}`));
    if (isOwn) await rm(join(folder, id), { recursive: true, force: true });
  }
  await rmdir(folder).catch(() => undefined);
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

function removedOutside(): UserError {
  return new UserError(
    t("The agent's worktree was removed from outside, and what it changed there is lost."),
    "The agent's worktree was removed from outside, and what it changed there is lost. Nothing was changed in the workspace.",
  );
}
