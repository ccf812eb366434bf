import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { withPlainLink } from "../../scripts/setup/plainLink.mjs";

describe("A link to a folder with a blank in its path", () => {
  let home: string;
  let folder: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    folder = path.join(home, "my projects");
    await mkdir(folder);
    await writeFile(path.join(folder, "node.h"), "// headers");
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it("leads there without a blank, and is gone afterwards while the folder is not", async () => {
    const used = await withPlainLink(folder, async (link) => {
      assert.doesNotMatch(path.relative(os.tmpdir(), link), /\s/);
      assert.equal(await readFile(path.join(link, "node.h"), "utf8"), "// headers");
      return link;
    });
    assert.equal(existsSync(path.dirname(used)), false);
    assert.ok(existsSync(path.join(folder, "node.h")));
  });

  it("is gone where its use fails, too", async () => {
    let used = "";
    const failing = withPlainLink(folder, async (link) => {
      used = link;
      throw new Error("make failed");
    });
    await assert.rejects(failing, /make failed/);
    assert.equal(existsSync(path.dirname(used)), false);
    assert.ok(existsSync(path.join(folder, "node.h")));
  });
});
