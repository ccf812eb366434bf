import assert from "node:assert/strict";
import { closeSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeWhole } from "../../../src/extension/common/atomicFile.ts";
import { diskFiles } from "../../../src/extension/common/files.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { SpillFile } from "../../../src/extension/terminal/spillFile.ts";

describe("What is stored of chats", () => {
  it("is for the user alone, whatever file it is in", async function () {
    if (process.platform === "win32") return this.skip();
    const mask = process.umask(0);
    const folder = await mkdtemp(join(tmpdir(), "arbor-files-"));
    const at = (name: string) => join(folder, name);
    try {
      diskFiles.makeFolder(at("sessions"));
      diskFiles.create(at("created"), "text");
      closeSync(diskFiles.openForAppend(at("log")));
      await writeWhole(at("whole"), "text");
      await writeWhole(at("whole"), "again");
      const page = (await new OutputStore(folder).keep("page", "md", "text")).replace("arbor-output:/", "");
      const spill = new SpillFile(async () => at("spilled"), 10);
      await spill.write(Buffer.from("text"));
      await spill.close();
      for (const name of ["sessions", "created", "log", "whole", page, "spilled"])
        assert.equal((await stat(at(name))).mode & 0o077, 0, name);
    } finally {
      process.umask(mask);
      await rm(folder, { recursive: true });
    }
  });
});
