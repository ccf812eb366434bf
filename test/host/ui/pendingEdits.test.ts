import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Editor } from "../editor.ts";
import { eventually, untilEffective } from "../eventually.ts";
import { sampleWorkspace } from "../places.ts";
import { openSharedEditor } from "../sharedEditor.ts";
import { textsIn } from "../textsIn.ts";
import { pictureFailures } from "./pictureFailures.ts";

describe("Edits that are reviewed after they are written", () => {
  let editor: Editor;
  pictureFailures(() => editor);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    await cp(sampleWorkspace, folder, { recursive: true });
    editor = await openSharedEditor({ workspace: folder, settings: { "arbor.edits.review": "after" } });
  });
  after(async () => {
    await editor.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it("are kept, undone and typed around, over a reload of the window, until the files are as they were", async () => {
    const { panel, page } = editor;
    const pending = panel.frame.getByRole("region", { name: "Pending edits" });
    const original = await textsIn(folder);

    await editor.openPanel();
    // The mode asks first, and the setting leaves edits out of that.
    const mode = panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    assert.match(
      (await mode.getAttribute("title")) ?? "",
      /^Mode: ask first\. Files are edited at once, for you to keep/,
    );
    await panel.composer.fill("replace formatPrice with formatMoney");
    await panel.send.click();
    await pending.getByText("7 files").waitFor({ timeout: 60_000 });
    await panel.stop.waitFor({ state: "detached", timeout: 60_000 });
    assert.equal(await panel.approvals.count(), 0);
    const written = await textsIn(folder);
    assert.match(written.get("src/orders/receipt.ts") ?? "", /formatMoney/);

    await editor.reload();
    await editor.openPanel();
    await pending.getByText("7 files").waitFor({ timeout: 60_000 });
    await editor.openFile("receipt.ts");
    const line = page.locator(".view-line", { hasText: "findBySku }" }).first();
    await line.click();
    await page.keyboard.press("Control+Home");
    // As one piece, so that no completion and no comment goes on on its own.
    await page.keyboard.insertText("const typed = 1;\n");
    await page.keyboard.press("Control+s");
    await eventually(async () =>
      assert.match(await readFile(path.join(folder, "src/orders/receipt.ts"), "utf8"), /^const typed = 1;\n/),
    );

    await pending.getByRole("button", { name: /^7 files/ }).click();
    await pending.getByRole("link", { name: "money.ts", exact: true }).click();
    await page.getByRole("tab", { name: /^money\.ts/, selected: true }).waitFor();
    await editor.openFile("receipt.ts");

    const review = page.getByRole("tab", { name: /^Agent Edits/ });
    // The composer grows by what the opened file offers, and may move the button while it is pressed.
    await untilEffective(
      () => panel.button("Review").click(),
      async () => assert.equal(await review.count(), 1),
    );
    await panel.button("Undo all").click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText(/^Undo \d+ edits in 7 files\?$/).waitFor();
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await pending.waitFor({ state: "detached", timeout: 60_000 });
    await review.waitFor({ state: "detached" });
    const typed = new Map(original).set(
      "src/orders/receipt.ts",
      `const typed = 1;\n${original.get("src/orders/receipt.ts")}`,
    );
    await eventually(async () => assert.deepEqual(await textsIn(folder), typed));
  });
});
