import { spawn } from "node:child_process";
import { basename } from "node:path";
import { t } from "@vscode/l10n";
import { onAbort } from "../common/abort.ts";
import { UserError } from "../common/userError.ts";

/** What git prints. `onStart` gets the id of its process, which may outlive this one. */
export type Git = (
  folder: string,
  args: readonly string[],
  options?: { input?: string; signal?: AbortSignal; onStart?(pid: number): void },
) => Promise<string>;

/** Git has ended with an error; `message` is what it said. */
export class GitError extends Error {
  override readonly name = "GitError";
}

const fixed = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" };

const maxOutputBytes = 256 * 1024 * 1024;

/**
 * The user's git, as Arbor calls it for itself: no hook of the repository runs, nothing of the index is refreshed, no helper
 * is left running. `noHooks` is an empty folder.
 */
export function userGit(noHooks: string, program = "git"): Git {
  const settings = [`core.hooksPath=${noHooks}`, "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"];
  const always = settings.flatMap((setting) => ["-c", setting]);
  return (folder, args, { input, signal, onStart } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    signal?.throwIfAborted();
    const git = spawn(program, [...always, ...args], { cwd: folder, env: environment(), windowsHide: true });
    if (git.pid !== undefined) onStart?.(git.pid);
    const listening = signal && onAbort(signal, () => git.kill());
    const printed: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    git.stdout.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > maxOutputBytes) git.kill();
      else printed.push(piece);
    });
    git.stderr.on("data", (piece: Buffer) => errors.push(piece));
    git.on("error", (error) => reject("code" in error && error.code === "ENOENT" ? noGit() : error));
    git.on("close", (code) => {
      listening?.dispose();
      if (signal?.aborted) reject(signal.reason);
      else if (code === 0) resolve(Buffer.concat(printed).toString("utf8"));
      else reject(new GitError(Buffer.concat(errors).toString("utf8").trim() || `git ended with ${code}.`));
    });
    // Git may end before it has read all; how it ended is what counts.
    git.stdin.on("error", () => undefined);
    git.stdin.end(input ?? "");
    return promise;
  };
}

/** Nothing that the editor was started with leads git to another repository, index or way of asking. It fetches nothing. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return { ...Object.fromEntries(own), ...fixed };
}

/** A repository that worktrees can be made of. */
export interface GitRepository {
  /** The top folder of the user's files. */
  top: string;
  /** The open folder in it, with forward slashes and one at the end; empty for the top itself. */
  prefix: string;
  /** Where git has what all worktrees share. */
  commonFolder: string;
}

/** The repository of a folder. Throws a `UserError` that says why no worktree can be made of it. */
export async function repositoryOf(git: Git, folder: string): Promise<GitRepository> {
  const ask = (...args: string[]) => git(folder, ["rev-parse", ...args]);
  const isBare = await ask("--is-bare-repository").catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw /dubious ownership/.test(error.message) ? notTrusted() : noRepository(folder);
  });
  if (isBare.trim() === "true") throw bare();
  const lines = (await ask("--show-toplevel", "--git-common-dir", "--show-prefix").catch(() => "")).split("\n");
  const [top = "", common = "", prefix = ""] = lines;
  if (top === "") throw bare();
  await ask("--verify", "--quiet", "HEAD^{commit}").catch(() => {
    throw unborn();
  });
  const commonFolder = (await ask("--path-format=absolute", "--git-common-dir").catch(() => common)).trim();
  return { top, prefix, commonFolder };
}

function refusal(shown: string, forModel: string): UserError {
  return new UserError(shown, `${forModel} Give the task with isolation "shared".`);
}

function noGit(): UserError {
  return refusal(
    t("Git was not found, so no agent can work in a worktree of its own. Install git."),
    "An agent can't be isolated here: git is not installed.",
  );
}

function noRepository(folder: string): UserError {
  const name = basename(folder);
  return refusal(
    t("{0} is not a git repository, so no agent can work in a worktree of its own.", name),
    `An agent can't be isolated here: ${name} is no git repository.`,
  );
}

function notTrusted(): UserError {
  return refusal(
    t("Git does not trust this repository, since another user owns it. Add it to safe.directory to isolate agents."),
    "An agent can't be isolated here: git does not trust this repository.",
  );
}

function bare(): UserError {
  return refusal(
    t("This git repository is bare: it has no files for an agent to work on."),
    "An agent can't be isolated here: the git repository is bare.",
  );
}

function unborn(): UserError {
  return refusal(
    t("This git repository has no commit yet. Commit once to isolate agents."),
    "An agent can't be isolated here: the git repository has no commit yet.",
  );
}
