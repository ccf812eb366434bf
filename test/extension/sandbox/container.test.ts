import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CommandSandbox } from "../../../src/extension/sandbox/commandSandbox.ts";
import { needsAllProcesses } from "../../../src/extension/sandbox/container.ts";
import type { SandboxSetting } from "../../../src/extension/settings/settings.ts";
import { type CommandBench, commandBench, patienceMs } from "../terminal/support.ts";
import { machineProbe } from "./support.ts";

const canary = "canary-of-the-editor";

describe("A command outside the sandbox", function () {
  this.timeout(patienceMs);
  let bench: CommandBench;
  let folder: string;
  let sandbox: CommandSandbox;
  const environment = { PATH: process.env.PATH ?? "", HOME: os.homedir() };

  before(async function () {
    if (!(await machineProbe()).isAvailable) this.skip();
  });
  beforeEach(async () => {
    bench = await commandBench();
    folder = await realpath(await mkdtemp(join(os.tmpdir(), "arbor-contained-")));
    sandbox = new CommandSandbox({ setting: () => "auto", probe: machineProbe, roots: () => [folder] });
  });
  afterEach(async () => {
    await bench?.close();
    sandbox?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(command: string) {
    const contained = (await sandbox.contain(command, environment)) ?? assert.fail("It is not contained.");
    return bench.start(command, { folder, environment, sandbox: contained });
  }
  async function run(command: string) {
    const started = await start(command);
    const end = await started.ended;
    return { end, text: (await started.output.excerpt()).head };
  }

  it("sees no process but its own, so that no environment can be read", async () => {
    const other = spawn("sleep", ["1000"], { env: { KEY: canary }, stdio: "ignore" });
    try {
      const { text } = await run(
        "cat /proc/[0-9]*/environ /proc/$PPID/environ 2>/dev/null; ls -d /proc/[0-9]* | wc -l",
      );
      assert.ok(Number(/(\d+)\n$/.exec(text)?.[1]) < 10, text);
      assert.equal(text.includes(canary), false);
    } finally {
      other.kill("SIGKILL");
    }
  });

  it("44 leaves nothing running, neither at its end nor after a stop", async () => {
    const beat = (name: string) =>
      `env -i setsid -f /bin/sh -c 'while :; do date +%N > ${join(folder, name)}; sleep 0.02; done' </dev/null >/dev/null 2>&1`;
    const { end } = await run(`${beat("ended")}; sleep 0.2`);
    assert.equal(end.exitCode, 0);
    assert.ok(end.leftBehind >= 1);
    const running = await start(`${beat("stopped")}; sleep 1000`);
    while ((await readFile(join(folder, "stopped"), "utf8").catch(() => "")) === "") await delay(20);
    await running.stop("stopped");
    const heartbeats = () => Promise.all(["ended", "stopped"].map((name) => readFile(join(folder, name), "utf8")));
    const before = await heartbeats();
    await delay(300);
    assert.deepEqual(await heartbeats(), before);
  });

  it("has all other rights of the user, and is not called sandboxed", async () => {
    const other = await mkdtemp(join(os.tmpdir(), "arbor-elsewhere-"));
    try {
      const { end, text } = await run(`pwd; echo written > ${other}/file; ls -l /etc/passwd | cut -d' ' -f3; exit 3`);
      assert.equal(await readFile(join(other, "file"), "utf8"), "written\n");
      assert.equal(text.split("\n")[0], folder);
      assert.deepEqual([end.exitCode, end.sandboxed, end.cause], [3, undefined, "exit"]);
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it("15 runs in no folder that took the place of the one that was asked for", async () => {
    const [inner, aside] = [join(folder, "inner"), join(folder, "aside")];
    await mkdir(inner);
    await mkdir(aside);
    await writeFile(join(aside, "pwned"), "");
    await rm(inner, { recursive: true });
    await symlink(aside, inner);
    const contained = await sandbox.contain("ls", environment);
    await assert.rejects(
      bench.start("ls", { folder: inner, environment, ...(contained && { sandbox: contained }) }),
      /another folder than the one that was asked for/,
    );
  });

  it("is not contained where the user wants no sandbox", async () => {
    const setting = (): SandboxSetting => "off";
    const none = new CommandSandbox({ setting, probe: machineProbe, roots: () => [folder] });
    assert.equal(await none.contain("ls", environment), undefined);
  });
});

describe("What needs all processes of the machine", () => {
  const cases: [command: string, expected: boolean][] = [
    ["ps aux | grep node", true],
    ["kill 1234", true],
    ["cd src && lsof -i :3000", true],
    ["sudo apt-get install -y jq", true],
    ["cd /tmp; /usr/bin/sudo make install", true],
    ["npm test", false],
    ["npm test; ps", false],
    ["ps; ./evil", false],
    ["npm test -- sudo", false],
    ["ls", false],
    ["ps $(./evil)", false],
  ];
  for (const [command, expected] of cases) {
    it(`${expected ? "is" : "is not"} ${command}`, async () => {
      assert.equal(await needsAllProcesses(command), expected);
    });
  }
});
