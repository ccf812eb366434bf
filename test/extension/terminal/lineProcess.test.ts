import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { createControlGroup } from "../../../src/extension/terminal/controlGroup.ts";
import { commandEnvironment } from "../../../src/extension/terminal/environment.ts";
import { LineProcess, type LineProcessOptions } from "../../../src/extension/terminal/lineProcess.ts";
import { type ProcessRow, readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { patienceMs } from "./support.ts";

function startLines(
  command: string,
  args: readonly string[],
  { cwd = tmpdir(), sandbox }: Pick<Partial<LineProcessOptions>, "cwd" | "sandbox"> = {},
) {
  const lines: string[] = [];
  const process_ = new LineProcess({
    ...{ command, args, cwd, maxLineBytes: 1_000, ...(sandbox && { sandbox }) },
    environment: (mark) => commandEnvironment(process.env, { mark, keyNames: [] }),
    onLine: ({ head }) => lines.push(head),
    onErrorLine: (line) => lines.push(`error: ${line}`),
    onExit: ({ code }) => lines.push(`exit ${code}`),
    onEnd: () => lines.push("end"),
    onFailure: (error) => lines.push(`failure: ${error}`),
  });
  return { process: process_, lines };
}

function argumentsOf({ pid }: ProcessRow): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + patienceMs; !condition(); await delay(20)) assert.ok(Date.now() < end);
}

describe("A process that speaks in lines", function () {
  this.timeout(patienceMs);

  it("reads and writes, and its arguments, errors and exit are its own", async () => {
    const script = 'printf "%s|" "$0" "$@"; echo; read -r line; echo "read $line"; echo bad >&2; exit 3';
    const { process: own, lines } = startLines("sh", ["-c", script, "a b", "$HOME", "c'd"]);
    await own.start();
    await own.write("hello");
    await until(() => lines.includes("end"));
    await until(() => lines.includes("error: bad"));
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("error")),
      ["a b|$HOME|c'd|", "read hello", "exit 3", "end"],
    );
  });

  it("that does not exist is an error that names it", async () => {
    for (const command of ["/no/such/program", "no-such-program"]) {
      await assert.rejects(startLines(command, []).process.start(), new RegExp(`spawn ${command} ENOENT`));
    }
    await assert.rejects(startLines("sh", [], { cwd: "/no/such/folder" }).process.start(), /spawn sh ENOENT/);
  });

  it("that can't be given its arguments ends the sandbox that was made for it", async () => {
    let ends = 0;
    const launch = {
      ...{ program: "/bin/sh", options: [], environment: {} },
      isSetUp: async () => true,
      wrongMount: async () => undefined,
      finish: async () => {
        ends += 1;
        return [];
      },
    };
    const { process: own } = startLines("sh", ["a\0b"], { sandbox: async () => launch });
    await assert.rejects(own.start(), /null bytes/);
    await own.close();
    assert.equal(ends, 1);
  });

  for (const [way, end] of [
    ["is closed", (own: LineProcess) => own.close()],
    ["is killed", (own: LineProcess) => own.kill()],
  ] as const) {
    it(`that ${way} leaves nothing of what left its session, environment, output and parent in one moment`, async function () {
      const group = createControlGroup();
      group?.kill();
      if (group === undefined) {
        console.log("    Not run, this system lets the user make no control groups.");
        return this.skip();
      }
      const seconds = `6${String(Date.now()).slice(-6)}`;
      const left = () => readProcesses().filter((row) => argumentsOf(row) === `sleep ${seconds}`);
      const escaping = `(env -i setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &)`;
      const { process: own } = startLines("sh", ["-c", `${escaping}; cat`]);
      await own.start();
      await until(() => left().length === 1);
      await end(own);
      await until(() => left().length === 0);
    });
  }
});
