import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask, seeThrough } from "../run.ts";
import { turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const move: Step = { tool: "move_file", arguments: { path: "src/format/money.ts", to: "src/money/price.ts" } };
const users = ["src/index.ts", "src/orders/receipt.ts", "src/orders/export.ts", "src/cart/summary.ts"];

describe("A file that others import, moved in an editor whose TypeScript asks about imports", () => {
  const session = useSession("anthropic", undefined, {}, undefined, { builtIns: "all" });
  const onDisk = (file: string) => readFile(path.join(session().workspace, file), "utf8");
  const dialog = () => session().editor.page.locator(".monaco-dialog-box");
  let original: Record<string, string>;

  before(async () => {
    // TypeScript has loaded the project, so that it would ask.
    await session().editor.openFile("receipt.ts");
    original = Object.fromEntries(
      await Promise.all([...users, "src/format/money.ts"].map(async (file) => [file, await onDisk(file)])),
    );
  });
  beforeEach(() => startAfresh(session()));

  const moved = async () => {
    for (const file of users) {
      assert.equal(await onDisk(file), original[file]?.replace("/format/money.ts", "/money/price.ts"), file);
    }
    assert.equal(await onDisk("src/money/price.ts"), original["src/format/money.ts"]);
    await assert.rejects(access(path.join(session().workspace, "src/format/money.ts")));
  };

  it("is proposed with the imports of all files, written with them, and goes back with them by a rewind", async () => {
    const { fake, panel, editor } = session();
    await fake.script(turn("Move it", 0, [move]), turn("Move it", 1, [{ text: "It is moved." }]));
    await ask(panel, "Move it");
    const card = panel.approval("move_file src/format/money.ts");
    await card.getByText("moved to src/money/price.ts").waitFor();
    for (const file of users) await card.getByRole("region", { name: file, exact: true }).waitFor();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await moved();
    const request = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(request, /Moved src\/format\/money\.ts to src\/money\/price\.ts\. Imports are updated in /);
    for (const file of users) assert.ok(request.includes(file), file);
    assert.equal(await dialog().count(), 0);
    await panel.messagesOf("You").hover();
    await panel.button("Rewind to here").click();
    await dialog().getByRole("button", { name: "Rewind", exact: true }).click();
    await eventually(async () => {
      for (const [file, text] of Object.entries(original)) assert.equal(await onDisk(file), text, file);
    });
    await assert.rejects(access(path.join(session().workspace, "src/money/price.ts")));
    await dialog().waitFor({ state: "detached" });
    await editor.page.getByRole("tab", { name: "receipt.ts" }).waitFor();
  });

  it("is written at once in auto-edit mode, and Undo all takes the imports back with it", async () => {
    const { fake, panel } = session();
    await fake.script(turn("Move again", 0, [move]), turn("Move again", 1, [{ text: "Moved at once." }]));
    const mode = panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    await mode.click();
    await mode.getByRole("option", { name: "Auto-edit", exact: true }).click();
    await eventually(async () => assert.match((await mode.getAttribute("title")) ?? "", /auto-edit/));
    await ask(panel, "Move again");
    await panel.conversation.getByText("Moved at once.").waitFor();
    await moved();
    assert.equal(await dialog().count(), 0);
    const pending = panel.frame.getByRole("region", { name: "Pending edits" });
    await pending.getByRole("button").first().click();
    await pending.getByRole("button", { name: "Undo src/money/price.ts" }).click();
    await eventually(async () => {
      for (const [file, text] of Object.entries(original)) assert.equal(await onDisk(file), text, file);
    });
    assert.equal(await dialog().count(), 0);
  });
});
