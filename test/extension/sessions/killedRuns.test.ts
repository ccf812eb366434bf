import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { bundleChild, startChild } from "./support/children.ts";
import { testFolder } from "./support/folder.ts";
import { checkKilledRun, type Shown } from "./support/killedRunOracle.ts";
import { startStreamingServer } from "./support/streamingServer.ts";

describe("a run of three levels that is killed", function () {
  this.timeout(timeLimitMs(180_000));
  let folder = "";
  let script = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-killed-run-"));
    script = await bundleChild("killedRunChild.ts", folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("loses nothing that was shown as finished, and of what grows at most the last second", async () => {
    await using server = await startStreamingServer();
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2_500 }), async (afterMs) => {
        await using place = await testFolder();
        const child = startChild(script, [place.path, place.path, server.url]);
        // From the first answer on: what takes long before it is the start of the process.
        await child.said(8);
        await setTimeout(afterMs);
        await child.killAfter(0);
        const [{ chat = "" } = {}, ...shown] = child.lines.map((line): Shown => JSON.parse(line));
        assert.deepEqual(
          shown.filter(({ trouble }) => trouble !== undefined),
          [],
        );
        const text = await readFile(join(place.path, "a.txt"), "utf8").catch(() => "");
        const hunksOnDisk = text.split("\n").filter((line) => line !== "");
        cut += await checkKilledRun(place.storage(), { chat, shown, hunksOnDisk });
      }),
      { ...tries("killedRuns"), endOnFailure: true },
    );
    assert.ok(cut > 0, "some answer was cut off in some round");
  });
});
