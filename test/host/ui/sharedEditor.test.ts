import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Editor } from "../editor.ts";
import { openSharedEditor } from "../sharedEditor.ts";

describe("The editors that tests share", () => {
  let opened: Editor | undefined;
  const open = async () => {
    opened = await openSharedEditor({ env: { ARBOR_TEST_MARK: "shared" } });
    return opened;
  };
  const close = async () => {
    const closing = opened;
    opened = undefined;
    await closing?.close();
  };
  afterEach(close);

  it("begin as new on the processes of an earlier one", async () => {
    const first = await open();
    const files = ["User", "Machine"].map((folder) => path.join(first.home, "user", folder, "left.json"));
    for (const file of files) await writeFile(file, "{}");
    await first.page.evaluate("localStorage.setItem('left', 'yes')");
    await close();
    const second = await open();
    assert.equal(second.home, first.home);
    assert.equal(await second.page.evaluate("localStorage.getItem('left')"), null);
    assert.deepEqual(files.filter(existsSync), []);
  });

  it("begin on other processes where those of an earlier one have ended", async () => {
    const first = await open();
    const late = new Error("It stays dead.");
    await assert.rejects(
      first.crash("server", () => Promise.reject(late)),
      late,
    );
    await close();
    const second = await open();
    assert.notEqual(second.home, first.home);
    await second.openPanel();
  });
});
