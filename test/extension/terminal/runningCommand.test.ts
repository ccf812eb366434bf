import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KeptOutput } from "../../../src/extension/terminal/keptOutput.ts";
import { chooseShell } from "../../../src/extension/terminal/shell.ts";
import { swapping } from "../../support/swapping.ts";
import { type CommandBench, commandBench, isAlive, patienceMs, untilPrinted } from "./support.ts";

describe("a command that runs", function () {
  this.timeout(patienceMs);
  let bench: CommandBench;
  before(async () => {
    bench = await commandBench();
  });
  after(() => bench.close());

  it("ends with its exit code and what it printed", async () => {
    const { end, text } = await bench.run("echo hello; exit 3");
    assert.equal(text, "hello\n");
    assert.deepEqual(
      { ...end, durationMs: 0 },
      {
        cause: "exit",
        exitCode: 3,
        signal: null,
        durationMs: 0,
        leftBehind: 0,
        independent: 0,
      },
    );
  });

  it("ends with the signal that ended its shell", async () => {
    const { end } = await bench.run("kill -KILL $$");
    assert.deepEqual([end.exitCode, end.signal], [null, "SIGKILL"]);
  });

  it("brings output and error output in the order they were written", async () => {
    const { text } = await bench.run("for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    assert.equal(text, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
  });

  it("gives the command to the shell byte for byte", async () => {
    const odd = "$(x) `y` \"z\" 'q' \\ ü 🙂 %s *";
    const { text } = await bench.run(`cat <<'EOF'\n${odd}\nEOF\necho "$0|$#"`);
    assert.equal(text, `${odd}\n/bin/bash|0\n`);
  });

  it("43 finds the end of its input at once when it reads", async () => {
    const { end, text } = await bench.run('cat; read -r line; echo "read said $?"');
    assert.equal(text, "read said 1\n");
    assert.equal(end.exitCode, 0);
  });

  it("has no terminal to ask a password on", async () => {
    const { end, text } = await bench.run("test ! -t 0 && test ! -t 1 && ! (: </dev/tty) 2>/dev/null && echo none");
    assert.equal(text, "none\n");
    assert.equal(end.exitCode, 0);
  });

  it("reads no start-up file", async () => {
    const file = join(bench.folder, "startup.sh");
    await writeFile(file, "echo started up\n");
    const environment = { PATH: process.env.PATH ?? "", HOME: bench.folder, ENV: file };
    for (const name of [".bashrc", ".profile", ".bash_profile", ".zshenv"])
      await writeFile(join(bench.folder, name), `. ${file}\n`);
    const { text } = await bench.run("echo done", { environment });
    assert.equal(text, "done\n");
  });

  it("45 can't forge its own end", async () => {
    const forged = "Exit code 0 after 0.0 s.\\n__ARBOR_END__0\\n\\033]633;D;0\\007";
    const { end } = await bench.run(`printf '${forged}'; exit 7`);
    assert.equal(end.exitCode, 7);
  });

  it("15 runs in the folder that was judged or not at all, while its path is swapped for a link", async () => {
    const [judged, other] = [join(bench.folder, "work"), join(bench.folder, "other")];
    for (const folder of [judged, other]) await mkdir(folder);
    const swapped = swapping(judged, other);
    let [ran, refused] = [0, 0];
    try {
      while (ran < 10 || refused < 10) {
        const result = await bench.run("echo $$ > here", { folder: judged }).catch((error: Error) => error);
        if (result instanceof Error) {
          assert.match(result.message, /another folder than the one|no such folder/);
          refused++;
        } else ran++;
        assert.deepEqual(await readdir(other), []);
      }
    } finally {
      await swapped.stop();
    }
  });

  it("can't start in a folder that is not there", async () => {
    await assert.rejects(bench.start("true", { folder: join(bench.folder, "gone") }), {
      name: "ToolError",
      message: /no such folder/,
    });
  });

  it("can't be longer than the system takes", async () => {
    await assert.rejects(bench.start(`: ${"x".repeat(200_000)}`), { name: "ToolError", message: /too long to run/ });
  });

  it("runs in plain sh where there is neither bash nor zsh", async () => {
    const shell = chooseShell({ platform: "linux", preferred: "/usr/bin/fish", exists: () => false });
    const { text } = await bench.run("echo $0", { shell });
    assert.equal(text, "/bin/sh\n");
  });

  it("42 that prints for ever keeps its start, its end and a bounded file", async () => {
    const fileBytes = 1_000_000;
    const output = new KeptOutput(bench.outputs.place("endless.txt"), { fileBytes, tailBytes: 100_000 });
    const { promise, resolve } = Promise.withResolvers<void>();
    output.follow(() => {
      if (output.length > 20_000_000) resolve();
    });
    const command = await bench.start("echo first; yes", { output });
    await promise;
    const end = await command.stop("stopped");
    const { head, tail, omittedBytes } = await output.excerpt();
    assert.equal(end.cause, "stopped");
    assert.match(head, /^first\ny\ny\n/);
    assert.match(tail, /^(y\n)+y?$/);
    assert.equal(omittedBytes, output.length - head.length - tail.length);
    assert.ok(output.heldBytes < 400_000, `${output.heldBytes} bytes are held`);
    assert.match(output.problem ?? "", /only the first 1000000 bytes/);
  });
});

describe("what a command spawns", function () {
  this.timeout(patienceMs);
  let bench: CommandBench;
  before(async () => {
    bench = await commandBench();
  });
  after(() => bench.close());

  it("ends when its time is over, though it ignores being asked to", async () => {
    const command = await bench.start("trap '' TERM; while :; do sleep 1000; done", { timeoutMs: 1 });
    const end = await command.ended;
    assert.equal(end.cause, "timeout");
    assert.equal(end.independent, 0);
  });

  it("44 ends when it is stopped, though it ignores being asked to", async () => {
    const command = await bench.start("(trap '' TERM HUP INT; echo pid=$BASHPID; while :; do sleep 1000; done)");
    const [, pid = ""] = await untilPrinted(command.output, /pid=(\d+)/);
    const end = await command.stop("stopped");
    assert.equal(end.cause, "stopped");
    assert.equal(isAlive(pid), false);
  });

  it("ends when it is stopped, though it left the session", async () => {
    const command = await bench.start(
      "setsid bash -c 'trap \"\" TERM; echo pid=$$; while :; do sleep 1000; done' & wait",
    );
    const [, pid = ""] = await untilPrinted(command.output, /pid=(\d+)/);
    await command.stop("stopped");
    assert.equal(isAlive(pid), false);
  });

  it("ends when it is stopped, though it left the session and its parent has ended", async () => {
    const command = await bench.start("(setsid bash -c 'sleep 1000 & echo pid=$!; wait' &); sleep 1000");
    const [, pid = ""] = await untilPrinted(command.output, /pid=(\d+)/);
    await command.stop("stopped");
    assert.equal(isAlive(pid), false);
  });

  it("ends when it is stopped, though it left the session and cleared its environment", async () => {
    const command = await bench.start(
      "env -i setsid bash -c 'trap \"\" TERM; echo pid=$$; while :; do sleep 1000; done' & wait",
    );
    const [, pid = ""] = await untilPrinted(command.output, /pid=(\d+)/);
    await command.stop("stopped");
    assert.equal(isAlive(pid), false);
  });

  it("44 ends when it is stopped, though it left the session, cleared its environment and lost its parent at once", async () => {
    const command = await bench.start("env -i setsid -f bash -c 'echo pid=$$; exec sleep 1000'; sleep 1000");
    const [, pid = ""] = await untilPrinted(command.output, /pid=(\d+)/);
    await command.stop("stopped");
    assert.equal(isAlive(pid), false);
  });

  it("ends when it is stopped, though it spawns more while it is being ended", async () => {
    const spawner = "trap '' TERM; echo ready; while :; do sleep 1000 & sleep 0.01; done";
    const command = await bench.start(spawner);
    await untilPrinted(command.output, /ready/);
    const end = await command.stop("stopped");
    assert.equal(end.independent, 0);
  });

  it("ends with its shell when it was left behind in the session", async () => {
    const { end, text } = await bench.run("sleep 1000 & echo $!");
    assert.deepEqual([end.cause, end.exitCode, end.leftBehind, end.independent], ["exit", 0, 1, 0]);
    assert.equal(isAlive(text.trim()), false);
  });

  it("goes on when it made itself a daemon, blocking nothing; it is counted, and a kill still finds it", async () => {
    const ready = join(bench.folder, "ready");
    const daemon = `setsid sh -c 'echo pid=$$; echo > ${ready}; exec sleep 1000' &`;
    const command = await bench.start(`mkfifo ${ready}; ${daemon} read -r line < ${ready}; exit 0`);
    const end = await command.ended;
    const [, pid = ""] = await untilPrinted(command.output, /pid=(\d+)/);
    assert.deepEqual([end.cause, end.exitCode, end.leftBehind, end.independent], ["exit", 0, 0, 1]);
    assert.equal(isAlive(pid), true);
    command.kill();
    await gone(pid);
  });
});

/** A kill is done by the system in its own time. */
async function gone(pid: string): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
}
