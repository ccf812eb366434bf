import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { PausedCommands } from "../../../src/extension/terminal/pausedCommands.ts";
import type { ProcessRow } from "../../../src/extension/terminal/processTable.ts";
import { type CommandBench, commandBench, patienceMs, untilPrinted } from "./support.ts";

describe("Commands pause while the editor changes a file", function () {
  this.timeout(patienceMs);
  let bench: CommandBench;
  before(function () {
    if (process.platform !== "linux") this.skip();
  });
  beforeEach(async () => {
    bench = await commandBench();
  });
  afterEach(() => bench?.close());

  /** Three processes, one of them in a session of its own, that go on writing. */
  async function beating() {
    const beat = (name: string) => `while :; do echo $((n+=1)) > ${join(bench.folder, name)}; sleep 0.01; done`;
    const command = `(${beat("a")}) & setsid sh -c '${beat("b")}' & echo up; ${beat("c")}`;
    const started = await bench.start(command);
    await untilPrinted(started.output, /up/);
    const read = () => Promise.all(["a", "b", "c"].map((name) => readFile(join(bench.folder, name), "utf8")));
    const isGoing = async () => {
      const before = await read().catch(() => []);
      await delay(200);
      const after = await read();
      return after.map((text, index) => text !== before[index]);
    };
    await untilAllGo(() => isGoing().catch(() => [false]));
    return { started, isGoing };
  }

  /** On a busy machine each has its turn some time. */
  async function untilAllGo(isGoing: () => Promise<boolean[]>): Promise<void> {
    while ((await isGoing()).includes(false)) await delay(20);
  }

  it("15 all of their processes, and they go on afterwards", async () => {
    const { started, isGoing } = await beating();
    const paused = new PausedCommands();
    paused.include(started.processes);
    assert.deepEqual(await paused.during(isGoing), [false, false, false]);
    await untilAllGo(isGoing);
  });

  it("until the last of several changes is done, also when one fails", async () => {
    const { started, isGoing } = await beating();
    const paused = new PausedCommands();
    paused.include(started.processes);
    const first = paused.during(isGoing);
    await assert.rejects(
      paused.during(async () => {
        throw new Error("failed");
      }),
      /failed/,
    );
    assert.deepEqual(await first, [false, false, false]);
    await untilAllGo(isGoing);
  });

  it("no longer than a while, since the change may wait for one of them", async () => {
    const { started, isGoing } = await beating();
    const paused = new PausedCommands(100);
    paused.include(started.processes);
    await paused.during(async () => {
      await untilAllGo(isGoing);
    });
  });

  it("and none starts meanwhile", async () => {
    const paused = new PausedCommands();
    const order: string[] = [];
    const change = paused.during(async () => {
      await delay(50);
      order.push("changed");
    });
    await paused.going();
    order.push("started");
    await change;
    assert.deepEqual(order, ["changed", "started"]);
  });

  it("or nothing is changed, where one keeps starting processes", async () => {
    const paused = new PausedCommands();
    let pid = 2 ** 30;
    const row = (): ProcessRow => ({
      ...{ pid: ++pid, parent: 1, group: 1, session: 1, startedAt: "1", isPaused: false },
      hasInEnvironment: () => false,
      outputs: () => [],
    });
    paused.include(() => [row()]);
    await assert.rejects(
      paused.during(async () => assert.fail("It was changed.")),
      /keeps starting processes/,
    );
  });

  it("at no cost where all have ended and left nothing", async () => {
    const ended = await bench.start("true");
    await ended.ended;
    assert.deepEqual(
      ended.processes(() => assert.fail("The system was looked through.")),
      [],
    );
  });
});
