import assert from "node:assert/strict";
import { mkdir, readdir, readFile, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ownIdentity } from "../../../src/extension/common/processIdentity.ts";
import { type IgnoredFiles, Worktrees } from "../../../src/extension/isolation/worktrees.ts";
import { endedProcess } from "../sessions/support/children.ts";
import { type UserRepository, userRepository } from "./userRepository.ts";

const { signal } = new AbortController();

describe("worktrees of agents", () => {
  let repository: UserRepository;
  afterEach(() => repository.remove());
  const worktreesOf = (ignored: IgnoredFiles = {}, git?: string) =>
    new Worktrees({
      ...{ storage: repository.storage, owner: ownIdentity, ignoredFiles: () => ignored },
      ...(git !== undefined && { git }),
    });
  const leftIn = async () => (await readdir(repository.storage)).filter((name) => name.startsWith("arbor-"));

  it("have what the user has, changed, staged and new, and leave all of it as it is", async () => {
    repository = await userRepository();
    const before = await repository.everything();
    const status = await repository.git("--no-optional-locks", "status", "--porcelain");
    const worktree = await worktreesOf().create(repository.folder, { signal });
    const textOf = (path: string) => readFile(join(worktree.folder, path), "utf8");
    assert.match(await textOf("src/a.ts"), /^changed\nline 0\n/);
    assert.equal(await textOf("src/new.ts"), "new\n");
    assert.equal(await textOf("crlf.txt"), "a\r\nb\r\n");
    await assert.rejects(textOf("src/gone.ts"), /ENOENT/);
    await assert.rejects(textOf("ignored/build.log"), /ENOENT/);
    // What it says there is what git says here.
    assert.equal(await repository.git("--no-optional-locks", "-C", worktree.folder, "status", "--porcelain"), status);
    assert.deepEqual(await worktree.changes(), { inside: [], above: [], repositories: [] });
    await worktree.remove();
    assert.deepEqual(await repository.everything(), before);
    assert.deepEqual(await leftIn(), []);
    assert.equal((await repository.git("worktree", "list")).trim().split("\n").length, 1);
    await assert.rejects(readdir(join(repository.folder, ".git/worktrees")), /ENOENT/);
  });

  it("run no program that the repository sets for git to ask for changes", async () => {
    repository = await userRepository();
    await repository.git("config", "core.fsmonitor", `touch "${repository.folder}/MONITOR-RAN"; false`);
    const before = await repository.everything();
    const worktree = await worktreesOf().create(repository.folder, { signal });
    await writeFile(join(worktree.folder, "src/a.ts"), "mine\n");
    assert.equal((await worktree.changes()).inside.length, 1);
    await worktree.remove();
    assert.deepEqual(await repository.everything(), before);
  });

  it("show what was changed, added and deleted in them, also where it was committed there", async () => {
    repository = await userRepository();
    const before = await repository.everything();
    const worktree = await worktreesOf().create(repository.folder, { signal });
    await writeFile(join(worktree.folder, "src/a.ts"), "mine\n");
    await writeFile(join(worktree.folder, "src/added.ts"), "added\n");
    await rm(join(worktree.folder, "src/new.ts"));
    await repository.git("-C", worktree.folder, "-c", "core.hooksPath=/nowhere", "add", "-A");
    await repository.git("-C", worktree.folder, "-c", "core.hooksPath=/nowhere", "commit", "-qm", "Mine");
    const { inside } = await worktree.changes();
    assert.deepEqual(
      inside.map(({ path, before: old, after }) => [path, old !== undefined, after && String(after.bytes)]),
      [
        ["src/a.ts", true, "mine\n"],
        ["src/added.ts", false, "added\n"],
        ["src/new.ts", true, undefined],
      ],
    );
    await worktree.remove();
    assert.deepEqual(await repository.everything(), before);
  });

  it("show what was changed in them beside a file that is too large to be read, and name that one", async () => {
    repository = await userRepository();
    const worktree = await worktreesOf().create(repository.folder, { key: "task", signal });
    await writeFile(join(worktree.folder, "src/a.ts"), "mine\n");
    await writeFile(join(worktree.folder, "core.dump"), "");
    // Nothing of it takes room on the disk.
    await truncate(join(worktree.folder, "core.dump"), 3 * 1024 ** 3);
    const { inside, unread } = await worktree.changes();
    assert.deepEqual(
      inside.map(({ path }) => path),
      ["src/a.ts"],
    );
    assert.deepEqual(unread, ["core.dump"]);
    await worktree.remove();
  });

  it("get the ignored files that a setting names, linked or copied, and do not count them as changes", async () => {
    repository = await userRepository();
    const worktree = await worktreesOf({ node_modules: "link", ignored: "copy", "../project": "copy" }).create(
      repository.folder,
      { signal },
    );
    assert.equal(await readFile(join(worktree.folder, "node_modules/dep/index.js"), "utf8"), "module.exports = 1;\n");
    assert.deepEqual(worktree.linked, [await realpath(join(repository.folder, "node_modules"))]);
    await writeFile(join(worktree.folder, "ignored/build.log"), "other\n");
    assert.deepEqual((await worktree.changes()).inside, []);
    await worktree.remove();
    assert.equal(await readFile(join(repository.folder, "node_modules/dep/index.js"), "utf8"), "module.exports = 1;\n");
    assert.equal(await readFile(join(repository.folder, "ignored/build.log"), "utf8"), "log\n");
  });

  it("get no ignored file that leads out of the repository, or to git's own", async () => {
    repository = await userRepository();
    const outside = join(repository.folder, "../outside");
    await mkdir(outside);
    await writeFile(join(outside, "key"), "secret\n");
    await repository.write({ ".git/info/exclude": "linked\nown\n", "ignored/real/a.txt": "a\n" });
    await symlink(outside, join(repository.folder, "linked"));
    await symlink(".git", join(repository.folder, "own"));
    await symlink("real", join(repository.folder, "ignored/inner"));
    const ignored = {
      linked: "link",
      "linked/key": "copy",
      own: "link",
      ".git/hooks": "link",
      "ignored/inner": "link",
    };
    const worktree = await worktreesOf(ignored as IgnoredFiles).create(repository.folder, { signal });
    assert.deepEqual(worktree.linked, [join(repository.folder, "ignored/real")]);
    assert.equal(await readFile(join(worktree.folder, "ignored/inner/a.txt"), "utf8"), "a\n");
    await assert.rejects(readdir(join(worktree.folder, "linked")), /ENOENT/);
    await assert.rejects(readdir(join(worktree.folder, "own")), /ENOENT/);
    await worktree.remove();
  });

  it("are read by the user's settings of git, whatever is in them, and name repositories that were made there", async () => {
    repository = await userRepository();
    const worktree = await worktreesOf().create(repository.folder, { signal });
    await repository.git("init", "--quiet", join(worktree.folder, "nested"));
    await repository.git("-C", join(worktree.folder, "nested"), "commit", "-q", "--allow-empty", "-m", "Its own");
    await writeFile(join(worktree.folder, "made.ts"), "made\n");
    await rm(join(worktree.folder, ".git"));
    await repository.git("init", "--quiet", worktree.folder);
    await repository.git("-C", worktree.folder, "config", "core.excludesFile", join(worktree.folder, "src/a.ts"));
    await writeFile(join(worktree.folder, "src/a.ts"), "made.ts\n");
    const { inside, repositories } = await worktree.changes();
    assert.deepEqual(
      inside.map(({ path }) => path),
      ["made.ts", "src/a.ts"],
    );
    assert.deepEqual(repositories, ["nested/"]);
    await worktree.remove();
    assert.equal((await repository.git("worktree", "list")).trim().split("\n").length, 1);
  });

  it("are of a folder in the repository where that is open", async () => {
    repository = await userRepository();
    const worktree = await worktreesOf().create(join(repository.folder, "src"), { signal });
    assert.equal(await readFile(join(worktree.folder, "new.ts"), "utf8"), "new\n");
    await writeFile(join(worktree.folder, "new.ts"), "newer\n");
    await writeFile(join(worktree.folder, "../crlf.txt"), "x");
    const { inside, above } = await worktree.changes();
    assert.deepEqual(
      inside.map(({ path }) => path),
      ["new.ts"],
    );
    assert.deepEqual(above, ["crlf.txt"]);
    await worktree.remove();
  });

  it("leave submodules out and say which, and keep what a sparse checkout leaves out", async () => {
    repository = await userRepository();
    await repository.git("clone", "--quiet", "--no-local", ".", "../library");
    const quiet = ["-c", "core.hooksPath=/nowhere", "-c", "protocol.file.allow=always"];
    await repository.git(...quiet, "submodule", "--quiet", "add", "../library", "lib");
    await repository.git("update-index", "--skip-worktree", "crlf.txt").catch(() => undefined);
    await rm(join(repository.folder, "crlf.txt"));
    const before = await repository.everything();
    const worktree = await worktreesOf().create(repository.folder, { signal });
    assert.deepEqual(worktree.submodules, ["lib"]);
    assert.deepEqual((await worktree.changes()).inside, []);
    assert.doesNotMatch(
      await repository.git("--no-optional-locks", "-C", worktree.folder, "status", "--porcelain"),
      /crlf/,
    );
    await worktree.remove();
    assert.deepEqual(await repository.everything(), before);
  });

  it("run no filter of the repository, such as that of large files", async () => {
    repository = await userRepository();
    await repository.git("config", "filter.lfs.smudge", `touch ${repository.folder}/FILTER-RAN; cat`);
    await repository.git("config", "filter.lfs.clean", `touch ${repository.folder}/FILTER-RAN; cat`);
    await repository.git("config", "filter.lfs.required", "true");
    await repository.write({ ".gitattributes": "*.bin filter=lfs\n", "big.bin": "whole\n" });
    const before = await repository.everything();
    const worktree = await worktreesOf().create(repository.folder, { signal });
    assert.equal(await readFile(join(worktree.folder, "big.bin"), "utf8"), "whole\n");
    await worktree.changes();
    await worktree.remove();
    assert.deepEqual(await repository.everything(), before);
  });

  it("say in words why there can be none", async () => {
    const reason = async (kind: "dirty" | "empty" | "none", git?: string) => {
      repository = await userRepository(kind);
      return worktreesOf({}, git)
        .create(repository.folder, { signal })
        .then(
          () => "made",
          (error: Error) => error.message,
        );
    };
    assert.match(await reason("none"), /project is not a git repository/);
    await repository.remove();
    assert.match(await reason("empty"), /no commit yet/);
    assert.deepEqual(await leftIn(), []);
    await repository.remove();
    assert.match(await reason("dirty", "/nowhere/git"), /Git was not found/);
    await repository.git("config", "core.bare", "true");
    await assert.rejects(worktreesOf().create(repository.folder, { signal }), /bare/);
  });

  for (const step of ["worktree add", "update-index"]) {
    it(`say so when the disk is full at git's ${step}, and leave nothing behind`, async () => {
      repository = await userRepository();
      const before = await repository.everything();
      const program = join(dirname(repository.storage), "git");
      const full = 'echo "fatal: write error: No space left on device" >&2; exit 128';
      const script = `#!/bin/sh\ncase "$*" in *"${step}"*) ${full};; esac\nexec git "$@"\n`;
      await writeFile(program, script, { mode: 0o755 });
      await assert.rejects(worktreesOf({}, program).create(repository.folder, { signal }), /The disk is full/);
      assert.deepEqual(await leftIn(), []);
      assert.equal((await repository.git("worktree", "list")).trim().split("\n").length, 1);
      assert.deepEqual(await repository.everything(), before);
      await (await worktreesOf().create(repository.folder, { signal })).remove();
    });
  }

  it("say so when one was removed from outside, and are forgotten by git all the same", async () => {
    repository = await userRepository();
    const before = await repository.everything();
    const worktree = await worktreesOf().create(repository.folder, { signal });
    await rm(worktree.folder, { recursive: true });
    await assert.rejects(worktree.changes(), /removed from outside/);
    await worktree.remove();
    assert.equal((await repository.git("worktree", "list")).trim().split("\n").length, 1);
    assert.deepEqual(await repository.everything(), before);
  });

  it("of an ended process are removed, and give what they held to the task when it goes on", async () => {
    repository = await userRepository();
    const before = await repository.everything();
    const pid = await endedProcess();
    const dead = { ...ownIdentity(), pid, startedAt: "earlier" };
    const left = new Worktrees({ storage: repository.storage, owner: () => dead, ignoredFiles: () => ({}) });
    const first = await left.create(repository.folder, { key: "call-1", signal });
    await writeFile(join(first.folder, "src/a.ts"), "half done\n");
    const other = await worktreesOf().create(repository.folder, { signal });
    await mkdir(join(repository.storage, "arbor-00000000"));
    const next = worktreesOf();
    assert.equal(await next.cleanUp(), 2);
    assert.deepEqual(await leftIn(), [other.name]);
    const second = await next.create(repository.folder, { key: "call-1", signal });
    assert.equal(await readFile(join(second.folder, "src/a.ts"), "utf8"), "half done\n");
    assert.deepEqual(
      (await second.changes()).inside.map(({ path }) => path),
      ["src/a.ts"],
    );
    await second.remove();
    // A folder that leads elsewhere by now is not written to.
    await next.store("call-2", [
      { path: "out/x", after: { bytes: Buffer.from("x"), isLink: false, isExecutable: false } },
    ]);
    await mkdir(join(repository.storage, "elsewhere"));
    await symlink(join(repository.storage, "elsewhere"), join(repository.folder, "out"));
    const third = await next.create(repository.folder, { key: "call-2", signal });
    assert.deepEqual(await readdir(join(repository.storage, "elsewhere")), []);
    await third.remove();
    await rm(join(repository.folder, "out"));
    await other.remove();
    assert.deepEqual(await repository.everything(), before);
  });
});
