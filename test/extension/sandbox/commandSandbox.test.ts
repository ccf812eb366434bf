import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { CommandSandbox } from "../../../src/extension/sandbox/commandSandbox.ts";
import { probeSandbox } from "../../../src/extension/sandbox/probe.ts";
import { patienceMs, untilPrinted } from "../terminal/support.ts";
import { machineProbe, type SandboxBench, sandboxBench, secret } from "./support.ts";

const works = { isAvailable: true, program: "/usr/bin/bwrap", canDisableNamespaces: true } as const;

describe("whether there is a sandbox", function () {
  this.timeout(patienceMs);
  const chosenIn = async (...roots: string[]) => {
    const reasons: string[] = [];
    const onUnavailable = (reason: string) => void reasons.push(reason);
    const options = { probe: async () => works, roots: () => roots, home: "/nonexistent/home", onUnavailable };
    return [await new CommandSandbox({ ...options, setting: () => "auto" }).choose(false), ...reasons];
  };

  it("is yes for a folder of a project", async () => assert.deepEqual(await chosenIn("/work/shop"), ["inside"]));

  for (const root of ["/", "/tmp", "/nonexistent", "/nonexistent/home"]) {
    it(`is no for ${root}, which holds more than a project`, async () => {
      const [where, reason = ""] = await chosenIn("/work/shop", root);
      assert.equal(where, undefined);
      assert.match(reason, /holds more than a project/);
    });
  }

  it("is no without a folder", async () => assert.equal((await chosenIn())[0], undefined));

  it("is no on another system, without the program, and where the program fails, each with its reason", async () => {
    const folder = (await sandboxBench()).outside;
    const reasonOf = async (options: Parameters<typeof probeSandbox>[0]) => {
      const found = await probeSandbox(options);
      return found.isAvailable ? "" : found.reason;
    };
    const environment = { PATH: folder };
    assert.match(await reasonOf({ environment, platform: "darwin" }), /on this system/);
    assert.match(await reasonOf({ environment, platform: "linux" }), /is not installed/);
    await writeFile(
      join(folder, "bwrap"),
      "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n",
    );
    await chmod(join(folder, "bwrap"), 0o755);
    assert.match(await reasonOf({ environment, platform: "linux" }), /uid map: Permission denied/);
    // A program of the workspace makes no sandbox.
    assert.match(await reasonOf({ environment, platform: "linux", roots: [folder] }), /is not installed/);
    await rm(join(folder, ".."), { recursive: true });
  });
});

describe("a command in the sandbox", function () {
  this.timeout(patienceMs);
  let bench: SandboxBench;
  before(async function () {
    if (!(await machineProbe()).isAvailable) return this.skip();
    bench = await sandboxBench();
  });
  after(() => bench?.close());

  it("ends with its exit code and what it printed, in the order it was written", async () => {
    const { end, text } = await bench.run("echo out; echo err >&2; echo out again; exit 3");
    assert.equal(text, "out\nerr\nout again\n");
    assert.deepEqual(
      { ...end, durationMs: 0 },
      {
        ...{ cause: "exit", exitCode: 3, signal: null, durationMs: 0, leftBehind: 0, independent: 0 },
        sandboxed: { created: [], refusedHosts: [] },
      },
    );
  });

  it("ends with the exit code that means a signal", async () => {
    assert.equal((await bench.run("kill -KILL $$")).end.exitCode, 137);
  });

  it("is given to the shell byte for byte", async () => {
    const odd = "$(x) `y` \"z\" 'q' \\ ! ü 🙂 %s *";
    const { text } = await bench.run(`cat <<'EOF'\n${odd}\nEOF\necho "$0|$#"; [ ! -e x ] && echo 'a!b'`);
    assert.equal(text, `${odd}\n/bin/bash|0\na!b\n`);
  });

  it("has neither input nor a terminal", async () => {
    const { text } = await bench.run('cat; read -r line; echo "read said $?"; (: </dev/tty) 2>/dev/null || echo none');
    assert.equal(text, "read said 1\nnone\n");
  });

  it("can't be longer than the system takes", async () => {
    await assert.rejects(bench.run(`: ${"x".repeat(200_000)}`), { name: "ToolError", message: /too long to run/ });
  });

  it("ends when its time is over, and when it is stopped, though it ignores being asked to", async () => {
    const stubborn = 'trap "" TERM INT HUP; echo ready; while :; do sleep 1000; done';
    assert.equal((await bench.run(stubborn, { timeoutMs: 300 })).end.cause, "timeout");
    const command = await bench.start(stubborn);
    await untilPrinted(command.output, /ready/);
    assert.equal((await command.stop("user")).cause, "user");
  });

  it("is asked to end before it is killed", async () => {
    const command = await bench.start('trap "echo cleaned up; exit 4" TERM; echo ready; while :; do sleep 0.01; done', {
      graceMs: 10_000,
    });
    await untilPrinted(command.output, /ready/);
    const end = await command.stop("stopped");
    assert.match(command.output.tail(100), /cleaned up/);
    assert.equal(end.exitCode, 4);
  });

  it("prints while it runs", async () => {
    const command = await bench.start("mkfifo go; echo one; read -r _ <go; echo two");
    await untilPrinted(command.output, /one/);
    await writeFile(join(bench.workspace, "go"), "x\n");
    await untilPrinted(command.output, /two/);
    await rm(join(bench.workspace, "go"));
  });

  it("says how many processes it left", async () => {
    assert.equal((await bench.run("sleep 1000 & setsid sleep 1000 & sleep 0 & wait $!")).end.leftBehind, 2);
  });

  it("changes the workspace, and finds its temporary files again in the next one", async () => {
    await bench.run(
      "mkdir made; echo new > made/b.ts; echo more >> src/a.ts; echo kept > $TMPDIR/t; echo k > ~/.cache-x",
    );
    assert.equal(await readFile(join(bench.workspace, "made/b.ts"), "utf8"), "new\n");
    assert.match(await readFile(join(bench.workspace, "src/a.ts"), "utf8"), /more/);
    assert.equal((await bench.run("cat /tmp/t ~/.cache-x")).text, "kept\nk\n");
  });

  it("changes the workspace also where the editor was started with a folder of that among those of programs", async () => {
    const { PATH } = process.env;
    await mkdir(join(bench.workspace, "bin"), { recursive: true });
    process.env.PATH = `${join(bench.workspace, "bin")}:${bench.workspace}:${PATH}`;
    try {
      const { text } = await bench.run("echo new >bin-made.ts && cat bin-made.ts");
      assert.equal(text, "new\n");
    } finally {
      process.env.PATH = PATH;
    }
  });

  it("starts in the folder that it is given", async () => {
    const folder = join(bench.workspace, "src");
    assert.equal((await bench.run("pwd; ls", { folder })).text, `${folder}\na.ts\n`);
  });

  it("in a folder that is a link to outside finds nothing there", async () => {
    await symlink(bench.outside, join(bench.workspace, "way-out"));
    const folder = join(bench.workspace, "way-out");
    const said = await bench.run("cat file.txt; echo ran", { folder }).then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    assert.match(said, /bwrap: Can't chdir to [^\n]*\n?$/);
    await rm(folder);
  });

  it("finds the user's tools and who commits, and no more of the home folder", async () => {
    const { text } = await bench.run(
      `sh ${bench.home}/.cargo/bin/tool; cat ~/.gitconfig; ls -A ~/.cargo ~/.ssh ~/Documents`,
    );
    assert.match(text, /^a tool\n\[user\]\n\tname = Ada\n\temail = ada@host\.test\n/);
    assert.match(text, /bin\ncredentials\.toml\n/);
    assert.match(text, /\.ssh': No such file[\s\S]*Documents': No such file/);
    assert.ok(!text.includes(secret));
  });

  it("shares no namespace with what is outside, shared memory and queues of messages among them", async () => {
    const names = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];
    const outside = await Promise.all(names.map((name) => readlink(`/proc/self/ns/${name}`)));
    const { text } = await bench.run(`readlink ${names.map((name) => `/proc/self/ns/${name}`).join(" ")}`);
    const inside = text.trim().split("\n");
    assert.equal(inside.length, names.length, text);
    assert.deepEqual(
      names.filter((_, index) => inside[index] === outside[index]),
      [],
    );
  });

  it("names what it made that decides what runs", async () => {
    const { end } = await bench.run(
      "mkdir -p new/.git/hooks; echo > new/.git/hooks/x; echo > CLAUDE.md; ln -s src .husky",
    );
    assert.deepEqual([...(end.sandboxed?.created ?? [])].sort(), [".husky", "CLAUDE.md", "new/.git/hooks"]);
    await bench.run("rm -r new CLAUDE.md .husky");
  });

  it("does not read secrets in folders of settings, nor those that three names distinguish", async () => {
    const secrets = [".vscode/sftp.json", ".idea/shop/dataSources.local.xml", "shop/app/etc/env.php"];
    const shown = [".vscode/tasks.json", "shop/app/etc/routes.php"];
    for (const path of [...secrets, ...shown]) {
      await mkdir(join(bench.workspace, path, ".."), { recursive: true });
      await writeFile(join(bench.workspace, path), secrets.includes(path) ? secret : `of ${path}`);
    }
    const { text } = await bench.run(`cat ${[...secrets, ...shown].join(" ")}; echo x > .vscode/tasks.json`);
    assert.doesNotMatch(text, new RegExp(secret));
    for (const path of shown) assert.ok(text.includes(`of ${path}`), text);
    assert.match(text, /Read-only file system/);
    for (const path of [...secrets, ...shown]) await rm(join(bench.workspace, path));
  });

  it("does not read what a link with the name of a secret leads to", async () => {
    await writeFile(join(bench.workspace, "plain.txt"), secret);
    await symlink("plain.txt", join(bench.workspace, ".env.local"));
    assert.doesNotMatch((await bench.run("cat .env.local plain.txt")).text, new RegExp(secret));
    await rm(join(bench.workspace, ".env.local"));
  });

  it("commits in a repository, and reads the one that a worktree belongs to", async () => {
    const git = async (...args: string[]) => promisify(execFile)("git", args, { cwd: bench.outside });
    await rm(join(bench.workspace, ".git"), { recursive: true });
    await bench.run("git init -q . && git add src && git commit -qm first");
    const { text } = await bench.run("echo x >> src/a.ts; git commit -qam second && git log --format=%s:%an");
    assert.equal(text, "second:Ada\nfirst:Ada\n");
    await rm(join(bench.workspace, ".git"), { recursive: true });
    await git("init", "-q", "main");
    const main = join(bench.outside, "main");
    await git("-C", main, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "start", "--allow-empty");
    await git("-C", main, "worktree", "add", "-q", join(bench.base, "tree"));
    const tree = join(bench.base, "tree");
    await promisify(execFile)("cp", ["-r", `${tree}/.git`, join(bench.workspace, "copied")]);
    const sandbox = new CommandSandbox({
      setting: () => "auto",
      probe: machineProbe,
      roots: () => [tree],
      home: bench.home,
    });
    const launch = await sandbox.launch(tree, { PATH: process.env.PATH ?? "" });
    const read = await bench.run("git log --format=%s; git commit -qm no --allow-empty 2>&1 | tail -1", {
      sandbox: launch,
    });
    assert.match(read.text, /^start\n.*Read-only file system/);
    sandbox.dispose();
    // A file that only says so does not open another repository.
    await mkdir(join(bench.workspace, "claims"));
    await writeFile(join(bench.workspace, "claims/.git"), `gitdir: ${main}/.git\n`);
    assert.doesNotMatch((await bench.run("cd claims && git log --format=%s")).text, /start/);
  });

  it("commits no tracked file as empty or deleted that is hidden from it", async () => {
    const repository = join(bench.workspace, "tracked");
    const files = { ".env": secret, "secrets/token.txt": secret, "a.ts": "one\n" };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(repository, path, ".."), { recursive: true });
      await writeFile(join(repository, path), text);
    }
    const git = async (...args: string[]) =>
      (await promisify(execFile)("git", ["-C", repository, "-c", "user.name=x", "-c", "user.email=x@x", ...args]))
        .stdout;
    await git("init", "-q");
    await git("add", "-Af");
    await git("commit", "-qm", "start");
    const attempts = [
      ...["git commit -qam one", "git add -A && git commit -qm two", "git add -u && git commit -qm three"],
      ...["git commit -qm four a.ts .env secrets", "git add -f .env secrets; git commit -qm five"],
      ...["git stash -q; git stash pop -q", "git checkout -q -f HEAD; git reset -q --hard HEAD"],
    ];
    for (const attempt of attempts) {
      // The index of before knows times and sizes that no hidden file has.
      const { text } = await bench.run(`cd tracked && echo x >> a.ts; touch a.ts; ${attempt}; git status --short`);
      assert.doesNotMatch(text, new RegExp(secret), attempt);
      for (const [path, expected] of Object.entries(files).slice(0, 2)) {
        assert.equal(await git("show", `HEAD:${path}`), expected, `${attempt}: ${path}\n${text}`);
        assert.equal(await git("show", `:${path}`), expected, `${attempt} in the index: ${path}\n${text}`);
        assert.equal(await readFile(join(repository, path), "utf8"), expected, `${attempt} on the disk: ${path}`);
      }
    }
    assert.match(await git("log", "--format=%s"), /start/);
    await rm(repository, { recursive: true });
  });

  it("takes the folders of git with the hooks that they do not have yet", async () => {
    await mkdir(join(bench.workspace, "bare-hooks/.git"), { recursive: true });
    await writeFile(join(bench.workspace, "bare-hooks/.git/config"), "");
    const { text } = await bench.run("mkdir bare-hooks/.git/hooks; echo evil > bare-hooks/.git/hooks/pre-commit");
    assert.match(text, /Read-only file system/);
  });

  it("does not start with mounts that are not as they were meant", async () => {
    const launch = await bench.launch();
    const wrong = { ...launch, wrongMount: async () => "/workspace/swapped" };
    const file = join(bench.workspace, "ran");
    await assert.rejects(bench.run(`echo > ${file}`, { sandbox: wrong }), { message: /swapped was swapped/ });
    await assert.rejects(readFile(file), { code: "ENOENT" });
  });

  it("has no sandbox any more when the chat was closed", async () => {
    const other = new CommandSandbox({
      setting: () => "auto",
      probe: machineProbe,
      roots: () => [bench.workspace],
      home: bench.home,
    });
    await other.launch(bench.workspace, {});
    other.dispose();
    await assert.rejects(other.launch(bench.workspace, {}), { name: "ToolError" });
  });
});
