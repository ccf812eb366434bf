import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const runFile = promisify(execFile);
const notCompared = new Set([".git", "node_modules"]);

/** What a folder was like, to compare it with what it has become. */
export interface Snapshot {
  /** As `git diff` writes it; empty when no file differs. */
  diff(): Promise<string>;
  remove(): Promise<void>;
}

const copy = (from: string, to: string) =>
  cp(from, to, { recursive: true, filter: (file) => !notCompared.has(path.basename(file)) });

/** The exit code of `git diff --no-index` is 1 when there are differences. */
async function gitDiff(cwd: string): Promise<string> {
  const args = ["-c", "core.autocrlf=false", "diff", "--no-index", "--no-prefix", "--no-color", "a", "b"];
  try {
    return (await runFile("git", args, { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === 1 && "stdout" in error) return String(error.stdout);
    throw error;
  }
}

export async function takeSnapshot(folder: string): Promise<Snapshot> {
  // Named as git names the two sides of a diff.
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  await copy(folder, path.join(home, "a"));
  return {
    async diff() {
      await rm(path.join(home, "b"), { recursive: true, force: true });
      await copy(folder, path.join(home, "b"));
      return gitDiff(home);
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}
