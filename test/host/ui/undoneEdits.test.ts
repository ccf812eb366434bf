import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { textsIn } from "../textsIn.ts";
import { readStep, turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const edit = (file: string, edits: { old_text: string; new_text: string }[]): Step => ({
  tool: "edit_file",
  arguments: { path: file, edits },
});

describe("Edits that were written and are undone", () => {
  const session = useSession("openai-chat", undefined, { "arbor.edits.review": "after" });

  it("are asked about once, redone around what was typed, and the model learns of all of it", async () => {
    const { fake, editor, panel, workspace: folder } = session();
    const { page } = editor;
    const pending = panel.frame.getByRole("region", { name: "Pending edits" });
    const readme = () => readFile(path.join(folder, "README.md"), "utf8");
    const dialog = page.locator(".monaco-dialog-box");
    const line = (text: string) => page.locator(".view-line").getByText(text, { exact: true });
    const undoAll = async (question: string) => {
      await panel.button("Undo all").click();
      await dialog.getByText(question).waitFor();
      await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    };
    await fake.script(
      turn("Rename the shop", 0, [readStep("README.md"), readStep("docs/discounts.md")]),
      turn("Rename the shop", 1, [
        edit("README.md", [
          { old_text: "# Corner shop", new_text: "# Corner store" },
          { old_text: "Run the tests with", new_text: "Run all tests with" },
        ]),
        edit("docs/discounts.md", [{ old_text: "# ", new_text: "# All " }]),
      ]),
      turn("Rename the shop", 2, [{ text: "Renamed." }]),
      turn("Was that right", 0, [{ text: "It was not." }]),
      turn("Was this right", 0, [{ text: "It was." }]),
    );
    const original = await textsIn(folder);
    const askFor = async (question: string, answer: string) => {
      await ask(panel, question);
      await panel.conversation.getByText(answer, { exact: true }).waitFor();
      await panel.stop.waitFor({ state: "detached" });
      return messagesOf((await fake.requests()).at(-1)?.body);
    };
    await editor.openPanel();
    const first = await askFor("Rename the shop", "Renamed.");
    await pending.getByText("2 files").waitFor();

    await undoAll("Undo 3 edits in 2 files?");
    const note = panel.frame.getByRole("note", { name: "Undone edits" });
    await note.getByText("3 edits in 2 files were undone.").waitFor();
    await eventually(async () => assert.deepEqual(await textsIn(folder), original));

    const second = await askFor("Was that right", "It was not.");
    assert.deepEqual(second.slice(0, first.length), first, "what was said before stays as it was");
    const heard = JSON.stringify(second.at(-1));
    assert.match(heard, /Was that right.*<review>.*README\.md, line 1: undone by the user\. The former text is back\./);
    assert.match(heard, /README\.md, line \d+: undone.*docs\/discounts\.md, line 1: undone/);
    assert.equal(await panel.messagesOf("You").last().innerText(), "Was that right");

    await editor.openFile("README.md");
    await line("# Corner shop").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("Typed.\n");
    await page.keyboard.press("Control+s");
    await eventually(async () => assert.match(await readme(), /^Typed\.\n# Corner shop\n/));
    await note.getByRole("button", { name: "Redo" }).click();
    await pending.getByText("2 files").waitFor();
    await note.waitFor({ state: "detached" });
    await eventually(async () => assert.match(await readme(), /^Typed\.\n# Corner store\n[\s\S]*Run all tests with/));

    await line("# Corner store").click();
    await page.keyboard.press("End");
    await page.keyboard.insertText(" by hand");
    await page.keyboard.press("Control+s");
    await eventually(async () => assert.match(await readme(), /^Typed\.\n# Corner store by hand\n/));
    const third = await askFor("Was this right", "It was.");
    assert.deepEqual(third.slice(0, second.length), second);
    const heardThen = JSON.stringify(third.at(-1));
    assert.match(heardThen, /README\.md, line 2: changed by the user, now:\\n {2}2\| # Corner store by hand\\n/);
    assert.match(heardThen, /docs\/discounts\.md, line 1: there again as it was written/);

    await undoAll("Undo 3 edits in 2 files?");
    await eventually(async () => assert.match(await readme(), /# Corner store by hand\n[\s\S]*Run the tests with/));
    await line("# Corner store by hand").click();
    await page.keyboard.press("Control+z");
    await page
      .locator(".view-line")
      .getByText(/^Run\sall\stests\swith/)
      .first()
      .waitFor();
  });
});

function messagesOf(body: unknown): unknown[] {
  assert.ok(typeof body === "object" && body !== null && "messages" in body && Array.isArray(body.messages));
  return body.messages;
}
