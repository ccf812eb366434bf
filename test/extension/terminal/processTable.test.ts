import assert from "node:assert/strict";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { type CommandBench, commandBench, patienceMs, untilPrinted } from "./support.ts";

describe("the table of processes", function () {
  this.timeout(patienceMs);
  let bench: CommandBench;
  before(async () => {
    bench = await commandBench();
  });
  after(() => bench.close());

  for (const platform of ["linux", "darwin"] as const) {
    it(`reads parents and groups as ${platform} gives them`, async () => {
      const command = await bench.start("sleep 1000 & echo pid=$$; wait");
      const [, shell = ""] = await untilPrinted(command.output, /pid=(\d+)/);
      const rows = readProcesses(platform);
      const shellRow = rows.find((row) => row.pid === Number(shell));
      assert.deepEqual([shellRow?.parent, shellRow?.group], [process.pid, Number(shell)]);
      const child = rows.find((row) => row.parent === Number(shell));
      assert.equal(child?.group, Number(shell));
      assert.notEqual(child?.startedAt, "");
      await command.stop("stopped");
    });
  }

  it("is empty on Windows, where its own tool ends trees", () => assert.deepEqual(readProcesses("win32"), []));
});
