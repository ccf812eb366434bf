import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, readdir, readFile, stat } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { patienceMs } from "../terminal/support.ts";
import { hostilePrograms, type Target } from "./hostilePrograms.ts";
import { machineProbe, type SandboxBench, sandboxBench, secret, snapshot } from "./support.ts";

const nothing: Target = {
  ...{ outside: "", workspace: "", home: "", victim: 0, port: 0, socket: "", abstractSocket: "", unique: "" },
};

describe("a hostile program in the sandbox", function () {
  this.timeout(patienceMs);
  let bench: SandboxBench;
  let victim: ChildProcess;
  let servers: Server[];
  let target: Target;
  let connections = 0;

  before(async function () {
    if (!(await machineProbe()).isAvailable) return this.skip();
  });

  beforeEach(async () => {
    bench = await sandboxBench();
    const unique = `arbor-${Math.floor(Math.random() * 1e9)}`;
    const socket = join(bench.outside, "socket");
    connections = 0;
    servers = await Promise.all(
      [{ port: 0, host: "127.0.0.1" }, { path: socket }, { path: `\0${unique}` }].map(async (at) => {
        const server = createServer((connection) => {
          connections++;
          connection.destroy();
        }).listen(at);
        await once(server, "listening");
        return server;
      }),
    );
    victim = spawn("sleep", ["1000"], { env: { VICTIM: secret }, stdio: "ignore" });
    await once(victim, "spawn");
    // A server that listens on a port has an address of this kind.
    const { port } = (servers[0] ?? assert.fail()).address() as AddressInfo;
    const { outside, workspace, home } = bench;
    const ids = { victim: victim.pid ?? 0, port, socket, abstractSocket: unique, unique };
    target = { outside, workspace, home, ...ids };
  });

  afterEach(async () => {
    victim.kill("SIGKILL");
    for (const server of servers) server.close();
    await bench.close();
  });

  /** All that must stay as it is. */
  async function guarded() {
    const { outside, home, workspace } = bench;
    const socket = join(outside, "socket");
    const files = ["package.json", "packages/deep/package.json", "Makefile", "AGENTS.md", ".env", "config/server.pem"];
    const texts = files.map(async (file) => [file, await readFile(join(workspace, file), "utf8")]);
    return {
      ...(await snapshot(outside, [socket])),
      ...(await snapshot(home)),
      ...(await snapshot(join(workspace, ".git"))),
      ...(await snapshot(join(workspace, ".vscode"))),
      ...(await snapshot(join(workspace, ".github"))),
      ...Object.fromEntries(await Promise.all(texts)),
      mode: (await stat(join(outside, "file.txt"))).mode,
      written: (await stat(join(outside, "file.txt"))).mtimeMs,
      // Arbor's own place for a long output.
      beside: (await readdir(bench.base)).filter((name) => name !== "outputs"),
    };
  }

  async function processesWith(text: string): Promise<string[]> {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`);
    const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
    return lines.filter((line) => line.includes(text));
  }

  hostilePrograms(nothing).forEach(([name], index) => {
    it(`that ${name} changes nothing outside, learns no secret and leaves nothing behind`, async () => {
      const script = hostilePrograms(target)[index]?.[1] ?? assert.fail();
      const before = await guarded();
      const { end, text } = await bench.run(script, { timeoutMs: 20_000 });
      assert.deepEqual(await guarded(), before);
      assert.ok(!text.includes(secret), `a secret is in the output:\n${text}`);
      assert.doesNotMatch(text, /^written$|written\n?$/m);
      assert.equal(connections, 0);
      assert.deepEqual([victim.exitCode, victim.signalCode], [null, null]);
      assert.equal(end.independent, 0);
      assert.deepEqual(await processesWith(target.unique.replaceAll(/\D/g, "")), []);
      for (const folder of ["/tmp", "/var/tmp", "/dev/shm", "/usr/local/bin", "/var/spool/cron"]) {
        await assert.rejects(access(join(folder, target.unique)), { code: "ENOENT" });
      }
    });
  });

  it("that is stopped is gone with all that it started", async () => {
    const script = `for i in $(seq 50); do env -i setsid -f bash -c 'trap "" TERM; sleep 1000' ${target.unique}; done; echo started; sleep 1000`;
    const command = await bench.start(script);
    while (!command.output.tail(100).includes("started")) await delay(5);
    const end = await command.stop("stopped");
    assert.equal(end.cause, "stopped");
    assert.deepEqual(await processesWith(target.unique), []);
  });

  it("that swaps folders for links while other commands start lets none of them out", async () => {
    const swapping = await bench.start(
      `mkdir -p swap real; echo {} > real/package.json; rm -r swap
      while :; do mv real swap 2>/dev/null; mv swap real 2>/dev/null; ln -s ../outside swap; rm swap; done`,
    );
    const before = await guarded();
    let ran = 0;
    for (let round = 0; round < 15; round++) {
      const write = bench.run("echo evil > swap/file.txt; echo evil > swap/package.json; cat swap/file.txt");
      const text = await write.then(
        (result) => result.text,
        (error: Error) => error.message,
      );
      if (!text.startsWith("The sandbox could not be set up")) ran++;
      assert.ok(!text.includes(secret), text);
    }
    await swapping.stop("stopped");
    assert.deepEqual(await guarded(), before);
    assert.ok(ran > 0, "no command ran");
  });
});
