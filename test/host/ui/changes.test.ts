import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { editStep, readStep, turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const receipt = "src/orders/receipt.ts";
const [from, to] = ["const width = 48;", "const width = 60; // wider"];

describe("A run that changed a file", () => {
  const session = useSession("anthropic");
  const textNow = () => readFile(path.join(session().workspace, receipt), "utf8");
  const changes = () => session().panel.frame.getByRole("region", { name: "Changes", exact: true });

  it("Run report: says who changed what, and leads to the changes", async () => {
    const { fake, panel, editor } = session();
    await fake.script(
      turn("Widen the receipt", 0, [
        { tool: "spawn_agents", arguments: { tasks: [{ agent: "edit", task: "Widen it", context: "the receipt" }] } },
      ]),
      turn("Widen the receipt", 1, [{ text: "It is wider." }]),
      turn("Widen it", 0, [readStep(receipt)]),
      turn("Widen it", 1, [{ text: "The width is a constant." }, editStep(receipt, [from, to])]),
      turn("Widen it", 2, [{ text: "Widened." }]),
      turn("And now?", 0, [{ text: "Understood." }]),
    );
    await ask(panel, "Widen the receipt");
    await panel.approval("edit_file").getByRole("button", { name: "Accept", exact: true }).click();
    await panel.conversation.getByText("It is wider.").waitFor();
    assert.ok((await textNow()).includes(to));

    const result = panel.frame.getByRole("region", { name: "Result of the run" });
    await result.getByRole("button").first().click();
    await result.getByText("1 by you").waitFor();
    await result.getByText("receipt.ts").first().waitFor();
    await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await result.getByRole("button", { name: "Copy as Markdown", exact: true }).click();
    await eventually(async () =>
      assert.match(await editor.page.evaluate<string>("navigator.clipboard.readText()"), /receipt\.ts/),
    );
    await result.getByRole("button", { name: "Review changes", exact: true }).click();
    await changes().getByText("The width is a constant.").waitFor();
    await changes().getByText("kept").waitFor();
  });

  it("Provenance and the change list: names who wrote a line and why, and undoes it with a reason, over a reload", async () => {
    const { fake, panel, editor } = session();
    const { page } = editor;
    // The line, moved by the user, is still the agent's.
    await editor.openFile("receipt.ts");
    const line = page.locator(".view-line", { hasText: "// wider" }).first();
    await line.click();
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Control+s");
    await eventually(async () => {
      await page.mouse.move(0, 0);
      // The first word: a line is as wide as the editor, and past its text there is nothing to hover over.
      await line.hover({ position: { x: 12, y: 8 } });
      await page.locator(".monaco-hover", { hasText: "Written by" }).waitFor({ timeout: 3_000 });
    });
    const hover = await page.locator(".monaco-hover", { hasText: "Written by" }).textContent();
    assert.match(
      (hover ?? "").replace(/\s+/g, " "),
      /main › edit.*The width is a constant\..*Prompt: Widen the receipt/s,
    );

    await editor.reload();
    await editor.openPanel();
    await editor.runCommand("Arbor: Show Changes of the Run");
    await changes().getByText("kept").waitFor();
    await changes().getByRole("button", { name: "Undo and tell the agent why: receipt.ts" }).click();
    await page.keyboard.insertText("Take 50");
    await page.keyboard.press("Enter");
    await changes().getByText("undone").waitFor();
    await eventually(async () => assert.ok((await textNow()).includes(from)));
    await changes().getByRole("button", { name: "Close changes" }).click();
    await ask(panel, "And now?");
    await panel.conversation.getByText("Understood.").waitFor();
    const heard = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(heard, /The user undid edits of main › edit in src\/orders\/receipt\.ts, and says why: Take 50/);
  });
});
