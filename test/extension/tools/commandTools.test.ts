import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, unlink, writeFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import type { PermissionAnswer, PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import type { NotCovered } from "../../../src/extension/changes/rewind/commandChanges.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import { Commands } from "../../../src/extension/terminal/commands.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import type { CommandDependencies } from "../../../src/extension/tools/dependencies.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { runTool, type ToolRunOptions } from "../../support/toolContext.ts";
import { patienceMs } from "../terminal/support.ts";

/** The tools in a real folder, with a user who answers as scripted and a shell that has a canary in its environment. */
async function openBench() {
  const folder = await mkdtemp(join(os.tmpdir(), "arbor-tools-"));
  await writeFile(join(folder, "a.txt"), "alpha\n");
  const outputs = new OutputStore(join(folder, ".outputs"));
  const asked: PermissionRequest[] = [];
  const user: {
    answer(request: PermissionRequest, signal: AbortSignal): PermissionAnswer | Promise<PermissionAnswer>;
  } = {
    answer: () => ({ allowed: true }),
  };
  const environment = { ...process.env, ANTHROPIC_API_KEY: "canary", MY_MODEL: "canary", SHELL: "/bin/bash" };
  const commands = new Commands({ outputs, environment, keyNames: () => ["MY_MODEL"], graceMs: 50 });
  const rewinding = { notCovered: { paths: [], isPartial: false } as NotCovered, looks: 0, ended: 0 };
  const dependencies: CommandDependencies = {
    changes: {
      async begin() {
        rewinding.looks++;
        return async () => {
          rewinding.ended++;
          return rewinding.notCovered;
        };
      },
    },
    commands,
    outputs,
    async askPermission(request, signal) {
      asked.push(request);
      return user.answer(request, signal);
    },
    async folder(path) {
      if (path === "gone") throw new UserError("gone does not exist.");
      const absolute = path === "linked" ? await realpath(join(folder, path)) : folder;
      return { path: path ?? "shop", absolute, root: folder };
    },
  };
  const workspace = memoryWorkspace();
  const review = scriptedReview(workspace);
  const base = { workspace, review, reads: createReadVersions(), agentPath: () => ["main"] };
  const tools = editorTools({ ...base, commands: dependencies });
  return {
    ...{ folder, asked, user, commands, tools, rewinding },
    call(name: string, args: unknown, options?: ToolRunOptions) {
      const tool = tools.all.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return runTool(tool, args, options);
    },
    async close() {
      commands.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Bench = Awaited<ReturnType<typeof openBench>>;

describe("the tools for commands", function () {
  this.timeout(patienceMs);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  const idIn = (text: string) => /command-\d+/.exec(text)?.[0] ?? "";
  const isAlive = (pid: string) => readProcesses().some((row) => row.pid === Number(pid));

  it("are there with those that stop and fetch", () => {
    const names = bench.tools.all.map(({ name }) => name);
    assert.deepEqual(names.slice(names.indexOf("run_command")), [
      "run_command",
      "read_output",
      "stop_command",
      "fetch_url",
    ]);
  });

  it("are not there for those that only read", () => {
    assert.deepEqual(
      bench.tools.readOnly.map(({ name }) => name).filter((name) => /command|output|fetch/.test(name)),
      [],
    );
  });

  describe("run_command", () => {
    it("runs what the user allowed, and reports the exit code and the output", async () => {
      const { text, result, output } = await bench.call("run_command", { command: "cat a.txt" });
      assert.match(text, /^Exit code 0 after \d+\.\d s\.\nalpha$/);
      assert.equal(result.isError, false);
      assert.equal(output, "alpha\n");
    });

    it("ends the look at what changes where the command could not start", async () => {
      bench.commands.start = () => Promise.reject(new UserError("The shell is gone."));
      const { result } = await bench.call("run_command", { command: "echo done" });
      assert.equal(result.isError, true);
      assert.deepEqual([bench.rewinding.looks, bench.rewinding.ended], [1, 1]);
    });

    it("says what a rewind could not undo of it", async () => {
      bench.rewinding.notCovered = { paths: ["a.bin", "b.bin"], isPartial: true };
      const { text } = await bench.call("run_command", { command: "echo done" });
      assert.match(
        text,
        /\ndone\n\(A rewind can't restore 2 files that this command changed: a\.bin, b\.bin\.\)\n\(Not all/,
      );
    });

    it("looks at no file for a command that is declined", async () => {
      bench.user.answer = () => ({ allowed: false });
      await bench.call("run_command", { command: "echo done" });
      assert.equal(bench.rewinding.looks, 0);
    });

    it("ends its look at the files where it can't be started", async () => {
      bench.commands.start = () => Promise.reject(new Error("no outputs"));
      await assert.rejects(bench.call("run_command", { command: "echo done" }), /no outputs/);
      assert.deepEqual([bench.rewinding.looks, bench.rewinding.ended], [1, 1]);
    });

    it("47 asks with the very text that it then runs", async () => {
      const command = "echo '\u200b  x' # \t done";
      const { text } = await bench.call("run_command", { command, cwd: "src" }, { agent: "edit", callId: "call-7" });
      const [request] = bench.asked;
      assert.equal(request?.kind === "command" && request.command, command);
      assert.deepEqual(
        [request?.kind === "command" && request.cwd, request?.agent.id, request?.callId, request?.toolName],
        ["src", "edit", "call-7", "run_command"],
      );
      assert.ok(text.endsWith("\n\u200b  x"));
    });

    it("47 runs nothing where a file that it runs was changed while the user was asked", async () => {
      const script = join(bench.folder, "run.sh");
      await writeFile(script, "echo shown\n");
      bench.user.answer = async () => {
        await writeFile(script, "echo other\n");
        return { allowed: true };
      };
      const changed = await bench.call("run_command", { command: "sh ./run.sh" });
      assert.match(changed.text, /A file that it runs changed while the user was asked\. Nothing ran\./);
      bench.user.answer = () => ({ allowed: true });
      assert.match((await bench.call("run_command", { command: "sh ./run.sh" })).text, /other/);
    });

    it("15 runs nothing where its folder became another one while the user was asked", async () => {
      const link = join(bench.folder, "linked");
      for (const name of ["one", "two"]) {
        await mkdir(join(bench.folder, name));
        await writeFile(join(bench.folder, name, "which.txt"), name);
      }
      await symlink("one", link);
      bench.user.answer = async () => {
        await unlink(link);
        await symlink("two", link);
        return { allowed: true };
      };
      const swapped = await bench.call("run_command", { command: "cat which.txt", cwd: "linked" });
      assert.match(swapped.text, /linked is another folder than the one that was asked for\. Nothing ran\./);
      bench.user.answer = () => ({ allowed: true });
      assert.match((await bench.call("run_command", { command: "cat which.txt", cwd: "linked" })).text, /two/);
    });

    it("asks each time", async () => {
      await bench.call("run_command", { command: "true" });
      await bench.call("run_command", { command: "true" });
      assert.equal(bench.asked.length, 2);
    });

    it("runs nothing that the user declined, and passes on their words", async () => {
      bench.user.answer = () => ({ allowed: false, reason: "use npm ci" });
      const { text, result } = await bench.call("run_command", { command: "touch made" });
      assert.equal(result.isError, true);
      assert.match(
        text,
        /^The user declined saying: "use npm ci"\. The command did not run\. These words are a new instruction/,
      );
      assert.match((await runAllowed("ls")).text, /\na\.txt$/);
    });

    it("runs what the user wrote in its place, of which the model learns", async () => {
      bench.user.answer = (request) => ({
        allowed: true,
        ...(request.kind === "command" && request.mayEdit === true && { command: "echo edited && ls" }),
      });
      const { text, result } = await bench.call("run_command", { command: "touch made" });
      assert.match(
        text,
        /^The user changed the command before it ran\. This ran:\necho edited && ls\n\nExit code 0 after [^\n]*\nedited\na\.txt$/,
      );
      assert.equal((result.details as { command?: string }).command, "echo edited && ls");
      const shown = bench.asked.flatMap((each) => (each.kind === "command" ? [[each.command, each.isEdited]] : []));
      assert.deepEqual(shown, [
        ["touch made", undefined],
        ["echo edited && ls", true],
      ]);
    });

    it("runs nothing of it where a rule forbids what the user wrote", async () => {
      bench.user.answer = (request) => {
        if (request.kind !== "command" || request.isEdited !== true) return { allowed: true, command: "touch other" };
        return { allowed: false, isRule: true, reason: "It is named." };
      };
      const { text } = await bench.call("run_command", { command: "touch made" });
      assert.match(text, /^A rule in the settings forbids this\. It is named\. The command did not run\./);
      assert.match((await runAllowed("ls")).text, /\na\.txt$/);
    });

    const runAllowed = (command: string) => {
      bench.user.answer = () => ({ allowed: true });
      return bench.call("run_command", { command });
    };

    it("runs nothing when the run was stopped while the user was asked", async () => {
      const stop = new AbortController();
      bench.user.answer = () => {
        stop.abort();
        return { allowed: true };
      };
      await assert.rejects(bench.call("run_command", { command: "touch made" }, { signal: stop.signal }));
      assert.match((await runAllowed("ls")).text, /\na\.txt$/);
    });

    it("calls a failure an error", async () => {
      const { text, result } = await bench.call("run_command", { command: "echo no >&2; exit 2" });
      assert.equal(result.isError, true);
      assert.match(text, /^Exit code 2 after .*\nno$/);
    });

    it("says when nothing was printed", async () => {
      assert.match((await bench.call("run_command", { command: "true" })).text, /\n\(No output\.\)$/);
    });

    it("46 has no key of a provider", async () => {
      const { text } = await bench.call("run_command", { command: "env; cat /proc/$$/environ" });
      assert.ok(!text.includes("canary"), "the canary is in the output");
    });

    it("ends with its time", async () => {
      const { text, result } = await bench.call("run_command", { command: "sleep 1000", timeout_ms: 1 });
      assert.equal(result.isError, true);
      assert.match(text, /^Timed out and was ended, with all it had started, after/);
    });

    it("43 shows a prompt that gets no answer", async () => {
      const stop = new AbortController();
      const command = "echo pid=$$; printf 'Password: '; exec sleep 1000";
      const run = bench.call("run_command", { command }, { signal: stop.signal });
      await printed(bench.commands, "command-1", /Password: $/);
      stop.abort();
      assert.match((await run).text, /\nPassword: $/);
    });

    it("43 shows the prompt that it timed out at", async () => {
      const command = "printf 'Password: '; exec sleep 1000";
      const { text, result } = await bench.call("run_command", { command, timeout_ms: 2_000 });
      assert.equal(result.isError, true);
      assert.match(text, /^Timed out and was ended, with all it had started, after [\s\S]*\nPassword: $/);
    });

    it("ends the whole tree when the run is stopped", async () => {
      const stop = new AbortController();
      const command = "setsid bash -c 'trap \"\" TERM; echo pid=$$; while :; do sleep 1000; done' & wait";
      const run = bench.call("run_command", { command }, { signal: stop.signal });
      const pid = await printedPid(bench.commands, "command-1");
      stop.abort();
      const { text, result } = await run;
      assert.match(text, new RegExp(`^Stopped, with all it had started, after .*\\npid=${pid}$`));
      assert.equal(result.isError, true);
      assert.equal(isAlive(pid), false);
    });

    it("says what it left behind", async () => {
      const { text } = await bench.call("run_command", { command: "sleep 1000 & echo started" });
      assert.match(text, /It left 1 process behind, which ended with it\. To keep a process running, use background\./);
    });

    it("shows the start and the end of a long output, and read_file pages all of it", async () => {
      const { text, output } = await bench.call("run_command", { command: "seq 1 100000" });
      assert.match(text, /^Exit code 0 .*\n1\n2\n/);
      assert.match(text, /\n100000$/);
      const name = /read_file reads all of it from (\S+)\.\]/.exec(text)?.[1];
      assert.ok(Buffer.byteLength(text) < 50_000);
      assert.ok(output.startsWith("1\n2\n") && output.endsWith("100000\n"));
      const page = await bench.call("read_file", { path: name, start_line: 50_000, end_line: 50_001 });
      assert.equal(page.text, "50000\t50000\n50001\t50001\n(49999 more lines, continue at start_line=50002.)");
    });

    for (const [what, count, left] of [
      ["some more bytes", 11_000, 5_000],
      ["some more lines", 1_901, 476],
    ] as const) {
      it(`names where all is of an output with ${what} than are shown`, async () => {
        const { text } = await bench.call("run_command", { command: `seq 1 ${count}` });
        assert.ok(!text.includes(`\n${left}\n`));
        const name = /bytes left out here\. read_file reads all of it from (\S+)\.\]/.exec(text)?.[1];
        const page = await bench.call("read_file", { path: name, start_line: left, end_line: left });
        assert.ok(page.text.startsWith(`${left}\t${left}\n`), page.text);
      });
    }

    it("cuts nothing of an output that may be shown whole, and makes no file of it", async () => {
      const { text, result } = await bench.call("run_command", { command: "seq 1 1900" });
      assert.equal(text.split("\n").slice(1).join("\n"), Array.from({ length: 1_900 }, (_, i) => i + 1).join("\n"));
      assert.equal((result.details as { output?: string }).output, undefined);
    });

    it("keeps a page of a long output within what a result may hold", async () => {
      const { text } = await bench.call("run_command", { command: "seq -f 'äöü %099.0f' 1 20000" });
      const name = /read_file reads all of it from (\S+)\.\]/.exec(text)?.[1];
      const page = await bench.call("read_file", { path: name });
      assert.ok(Buffer.byteLength(page.text) <= 50_000);
      assert.match(page.text, /more lines, continue at start_line=\d+\.\)$/);
      const past = await bench.call("read_file", { path: name, start_line: 20_001 });
      assert.match(past.text, /has only 20000 lines/);
    });

    for (const [what, command] of [
      ["an empty command", " \n"],
      ["a NUL", "echo a\0b"],
      ["half a character", "echo \ud800"],
    ] as const) {
      it(`refuses ${what} without asking`, async () => {
        const { result } = await bench.call("run_command", { command });
        assert.equal(result.isError, true);
        assert.deepEqual(bench.asked, []);
      });
    }

    it("refuses a folder that is not there without asking", async () => {
      const { text } = await bench.call("run_command", { command: "true", cwd: "gone" });
      assert.equal(text, "gone does not exist.");
      assert.deepEqual(bench.asked, []);
    });
  });

  describe("in the background", () => {
    const start = async (command: string) =>
      idIn((await bench.call("run_command", { command, background: true })).text);

    it("a command gives its id at once, and read_output what is new", async () => {
      const id = await start("mkfifo go; echo one; read -r _ < go; echo two; sleep 1000");
      await printed(bench.commands, id, /one/);
      assert.equal((await bench.call("read_output", { id })).text, "It is running.\none");
      assert.equal((await bench.call("read_output", { id })).text, "It is running.\n(No output.)");
      await bench.call("run_command", { command: "echo > go" });
      await printed(bench.commands, id, /two/);
      assert.equal((await bench.call("read_output", { id })).text, "It is running.\ntwo");
      assert.equal((await bench.call("read_output", { id }, { agent: "other" })).text, "It is running.\none\ntwo");
      assert.equal((await bench.call("read_output", { id, from_start: true })).text, "It is running.\none\ntwo");
    });

    it("is asked for as such", async () => {
      await start("true");
      const [request] = bench.asked;
      assert.equal(request?.kind === "command" && request.background, true);
    });

    it("read_output waits for the end when asked to, and shows live what comes", async () => {
      const id = await start("mkfifo go; echo ready; read -r _ < go; echo late");
      await printed(bench.commands, id, /ready/);
      const waiting = bench.call("read_output", { id, wait_ms: 600_000 });
      await bench.call("run_command", { command: "echo > go" });
      const { text, output } = await waiting;
      assert.match(text, /^Exit code 0 after .*\nready\nlate$/);
      assert.equal(output, "late\n");
    });

    it("a stop ends the waiting of read_output, not the command", async () => {
      const id = await start("sleep 1000");
      const stop = new AbortController();
      const waiting = bench.call("read_output", { id, wait_ms: 600_000 }, { signal: stop.signal });
      stop.abort();
      await assert.rejects(waiting);
      assert.equal(bench.commands.find(id)?.isRunning, true);
    });

    it("stop_command ends the tree and gives the output", async () => {
      const id = await start("setsid sh -c 'echo pid=$$; sleep 1000' & wait");
      const pid = await printedPid(bench.commands, id);
      const { text } = await bench.call("stop_command", { id });
      assert.match(text, new RegExp(`^Stopped, with all it had started, after .*\\npid=${pid}$`));
      assert.equal(isAlive(pid), false);
      assert.match((await bench.call("read_output", { id })).text, /^Stopped/);
    });

    it("an unknown id is an error that names the commands that run", async () => {
      await start("sleep 1000");
      const { text, result } = await bench.call("read_output", { id: "command-9" });
      assert.equal(result.isError, true);
      assert.equal(text, 'There is no command "command-9". Running: command-1.');
    });

    it("an agent's commands end with it, others' go on", async () => {
      const mine = await start("sleep 1000");
      const other = idIn(
        (await bench.call("run_command", { command: "sleep 1000", background: true }, { agent: "edit" })).text,
      );
      await bench.commands.stopOf("edit");
      assert.deepEqual([bench.commands.find(mine)?.isRunning, bench.commands.find(other)?.isRunning], [true, false]);
    });

    it("no more than 16 run at once", async () => {
      for (let count = 0; count < 16; count++) await start("sleep 1000");
      const { text, result } = await bench.call("run_command", { command: "true" });
      assert.equal(result.isError, true);
      assert.match(text, /Stop one with stop_command first/);
    });

    it("all end with the chat, daemons too", async () => {
      const id = await start("setsid sh -c 'echo pid=$$; sleep 1000' & wait");
      const pid = await printedPid(bench.commands, id);
      const ended = bench.commands.find(id)?.ended;
      bench.commands.dispose();
      await ended;
      assert.equal(isAlive(pid), false);
    });
  });
});

/** Resolves with the match once the command of that id runs and has printed it. */
async function printed(commands: Commands, id: string, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(commands.find(id)?.output.tail(10_000) ?? "");
    if (match !== null) return match;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function printedPid(commands: Commands, id: string): Promise<string> {
  return (await printed(commands, id, /pid=(\d+)\n/))[1] ?? "";
}
