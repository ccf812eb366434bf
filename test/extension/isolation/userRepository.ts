import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** A repository of a user in a folder of its own, beside a folder for Arbor's storage. */
export interface UserRepository {
  folder: string;
  storage: string;
  git(...args: string[]): Promise<string>;
  write(files: Record<string, string>): Promise<void>;
  /** A digest of all that is the user's: every file, the index, branches, stash, hooks and settings, by path. */
  everything(): Promise<Record<string, string>>;
  remove(): Promise<void>;
}

/** `dirty`: with a commit, and with changes of each kind that git knows. */
export async function userRepository(kind: "dirty" | "empty" | "none" = "dirty"): Promise<UserRepository> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "arbor-isolation-")));
  const [folder, storage] = [join(base, "project"), join(base, "storage")];
  await mkdir(folder);
  await mkdir(storage);
  const identity = ["-c", "user.name=U", "-c", "user.email=u@example.com", "-c", "init.defaultBranch=main"];
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", [...identity, ...args], { cwd: folder })).stdout;
  const write = async (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  };
  if (kind !== "none") await git("init", "--quiet");
  if (kind === "dirty") await makeDirty({ folder, git, write });
  return {
    ...{ folder, storage, git, write },
    everything: async () => digests(folder),
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function makeDirty({ folder, git, write }: Pick<UserRepository, "folder" | "git" | "write">): Promise<void> {
  const lines = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
  await write({
    ".gitignore": "ignored/\nnode_modules\n",
    "src/a.ts": lines,
    "src/staged.ts": "one\n",
    "src/gone.ts": "gone\n",
    "crlf.txt": "a\r\nb\r\n",
    "ignored/build.log": "log\n",
    "node_modules/dep/index.js": "module.exports = 1;\n",
  });
  await git("add", "-A");
  await git("commit", "--quiet", "-m", "First");
  await git("branch", "other");
  await write({ "src/a.ts": `${lines}stashed\n` });
  await git("stash", "--quiet");
  // A hook that would be seen: it fails, and leaves a file in the user's tree.
  for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "pre-commit"]) {
    await write({ [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch "${folder}/HOOK-RAN"\nexit 1\n` });
    await chmod(join(folder, ".git/hooks", hook), 0o755);
  }
  await write({ "src/staged.ts": "two\n", "src/a.ts": `changed\n${lines}`, "src/new.ts": "new\n" });
  await git("-c", "core.hooksPath=/nowhere", "add", "src/staged.ts");
  await rm(join(folder, "src/gone.ts"));
  await write({ "src/staged.ts": "three\n" });
}

/** What git may add to without changing anything of the user's: objects, and the list of worktrees while there are some. */
const notTheUsers = /^\.git\/(objects|worktrees)(\/|$)/;

/** Read without a pause: it is what is there at that moment, whatever the caller does next. */
function digests(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const addAll = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = join(folder, entry.name);
      const path = full.slice(root.length + 1);
      // A git that outlives its writer may just be removing something in there.
      if (notTheUsers.test(path)) continue;
      if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(full)}`;
      else if (entry.isFile()) found[path] = createHash("sha256").update(readFileSync(full)).digest("hex");
      else {
        found[path] = "folder";
        addAll(full);
      }
    }
  };
  addAll(root);
  return found;
}
