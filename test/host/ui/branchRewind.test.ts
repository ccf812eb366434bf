import assert from "node:assert/strict";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { textsIn } from "../textsIn.ts";
import { editStep, readStep, turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const delegate = (title: string, task: string): Step => ({
  tool: "delegate_to_agent",
  arguments: { agent: "edit", title, task, context: "" },
});

describe("Branch rewind", () => {
  const session = useSession("anthropic", undefined, { "arbor.edits.review": "after" });

  it("undoes one agent's changes over a reload, shows what a sibling built on, and gives all of it back", async () => {
    const { fake, editor, panel, workspace: folder } = session();
    const { page } = editor;
    const readme = () => readFile(path.join(folder, "README.md"), "utf8");
    await fake.script(
      turn("Rename and praise", 0, [delegate("Name the store", "name it")]),
      turn("name it", 0, [readStep("README.md"), readStep("docs/discounts.md")]),
      turn("name it", 1, [
        editStep("README.md", ["# Corner shop", "# Corner store"], ["Run the tests with", "Run all tests with"]),
        { tool: "move_file", arguments: { path: "docs/discounts.md", to: "docs/offers.md" } },
        { tool: "write_file", arguments: { path: "docs/new.md", content: "New.\n" } },
      ]),
      turn("name it", 2, [{ text: "Named." }]),
      turn("Rename and praise", 1, [delegate("Praise the store", "praise it")]),
      turn("praise it", 0, [readStep("README.md"), readStep("docs/offers.md")]),
      turn("praise it", 1, [
        editStep("README.md", ["# Corner store", "# The best corner store"]),
        editStep("docs/offers.md", ["# ", "# All "]),
      ]),
      turn("praise it", 2, [{ text: "Praised." }]),
      turn("Rename and praise", 2, [{ text: "All done." }]),
    );
    const original = await textsIn(folder);
    await editor.openPanel();
    await ask(panel, "Rename and praise");
    await panel.conversation.getByText("All done.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
    await appendFile(path.join(folder, "README.md"), "By the user.\n");
    const after = await textsIn(folder);
    assert.match(await readme(), /^# The best corner store\n/);

    await editor.reload();
    await editor.openPanel();
    const undoIn = panel.frame.getByRole("button", { name: "Undo this branch's changes" });
    const dialog = page.locator(".monaco-dialog-box");
    const note = panel.frame.getByRole("note", { name: "Rewind" });
    // By keyboard: the row, its details, the action in them.
    await panel.rows.filter({ hasText: "Name the store" }).first().focus();
    await page.keyboard.press("Alt+Enter");
    await undoIn.focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("Undo what Name the store and its agents changed?").waitFor();
    await dialog.getByText("Built on by others", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Undo changes" }).click();
    await note.getByText("The changes of Name the store were undone.").waitFor();
    const expected = new Map(original);
    const kept = (original.get("README.md") ?? "").replace("# Corner shop", "# The best corner store");
    expected.set("README.md", `${kept}By the user.\n`);
    expected.set("docs/discounts.md", (original.get("docs/discounts.md") ?? "").replace("# ", "# All "));
    await eventually(async () => assert.deepEqual(await textsIn(folder), expected));
    await page.locator(".merge-editor").waitFor();
    await page.locator(".merge-editor").getByText("Without Name the store").first().waitFor();
    if (process.env.PICTURES !== undefined) {
      await editor.screenshot(path.join(process.env.PICTURES, "branch-merge.png"));
    }
    await editor.runCommand("View: Close All Editors");

    await editor.reload();
    await editor.openPanel();
    await note.getByRole("button", { name: "Redo" }).click();
    await eventually(async () => assert.deepEqual(await textsIn(folder), after));
    await note.waitFor({ state: "detached" });

    // The undo of edits that wait is redone after a reload, too.
    await panel.button("Undo all").click();
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    const undone = panel.frame.getByRole("note", { name: "Undone edits" });
    await undone.waitFor();
    const without = await textsIn(folder);
    assert.notDeepEqual(without, after);
    await editor.reload();
    await editor.openPanel();
    await undone.getByRole("button", { name: "Redo" }).click();
    await eventually(async () => assert.deepEqual(await textsIn(folder), after));
  });

  it("finds a file that the user renamed in the Explorer, over a reload", async () => {
    const { fake, editor, panel, workspace: folder } = session();
    const { page } = editor;
    await startAfresh(session());
    await fake.script(
      turn("Have it titled", 0, [delegate("Title the readme", "title it")]),
      turn("title it", 0, [readStep("README.md")]),
      turn("title it", 1, [editStep("README.md", ["tests with", "tests by"])]),
      turn("title it", 2, [{ text: "Titled." }]),
      turn("Have it titled", 1, [{ text: "It is titled." }]),
    );
    const file = (name: string) => readFile(path.join(folder, name), "utf8");
    const original = await file("README.md");
    await ask(panel, "Have it titled");
    await panel.conversation.getByText("It is titled.").waitFor();
    const edited = await file("README.md");
    assert.notEqual(edited, original);
    await editor.runCommand("View: Show Explorer");
    await page.getByRole("treeitem", { name: "README.md" }).click();
    await page.keyboard.press("F2");
    await page.locator(".explorer-item-edited input").fill("READ.md");
    await page.keyboard.press("Enter");
    await eventually(async () => assert.equal(await file("READ.md"), edited));
    await editor.runCommand("Arbor: Show Changes of the Run");
    const changes = panel.frame.getByRole("region", { name: "Changes", exact: true });
    await changes.getByText("READ.md").first().waitFor();
    await changes.getByRole("button", { name: "Close changes" }).click();
    await editor.reload();
    await editor.openPanel();
    await panel.rows.filter({ hasText: "Title the readme" }).first().focus();
    await page.keyboard.press("Alt+Enter");
    await panel.frame.getByRole("button", { name: "Undo this branch's changes" }).click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText("READ.md", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Undo changes" }).click();
    await eventually(async () => assert.equal(await file("READ.md"), original));
    await assert.rejects(file("README.md"));
  });
});
