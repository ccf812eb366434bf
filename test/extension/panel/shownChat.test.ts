import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { shownChatIn } from "../../../src/extension/panel/panels.ts";

describe("the chat that was shown", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is the last that was written, in a folder that need not exist", async () => {
    const shown = shownChatIn(path.join(folder, "new"));
    await Promise.all(["a", "b", "c"].map((id) => shown.write(id)));
    assert.equal(await shownChatIn(path.join(folder, "new")).read(), "c");
  });

  it("is unknown at first, and when the file is damaged or from elsewhere", async () => {
    assert.equal(await shownChatIn(folder).read(), undefined);
    for (const text of ["", "{", "[]", '{"chatId":7}', '{"chatId":""}']) {
      await writeFile(path.join(folder, "shown-chat.json"), text);
      assert.equal(await shownChatIn(folder).read(), undefined, text);
    }
  });
});
