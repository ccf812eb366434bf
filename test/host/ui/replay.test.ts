import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { arborPanel } from "../panel.ts";
import { readRows } from "../readPanel.ts";
import { ask } from "../run.ts";
import { readStep, turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const canary = "canary-5eafd00d";

const delegate = (agent: string, title: string, task: string): Step => ({
  tool: "delegate_to_agent",
  arguments: { agent, title, task, context: "" },
});

describe("Replay", () => {
  const session = useSession("anthropic");

  before(async () => {
    const { fake, editor, panel } = session();
    await fake.script(
      turn("Look around", 0, [delegate("edit", "Look at the shop", "look at it")]),
      turn("look at it", 0, [delegate("explore", "Read the readme", "read it")]),
      turn("read it", 0, [readStep("README.md")]),
      turn("read it", 1, [{ text: `The readme is short, and says API_KEY=${canary}.` }]),
      turn("look at it", 1, [{ text: "The shop was looked at." }]),
      turn("Look around", 1, [{ text: "All was seen." }]),
    );
    await editor.openPanel();
    await ask(panel, "Look around");
    await panel.conversation.getByText("All was seen.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
  });

  it("of a finished session opens in a tab, seeks, steps and plays, exports a page without secrets, and forks", async () => {
    const { editor, panel, workspace } = session();
    const live = (await readRows(panel)).length;
    assert.equal(live, 3);
    await editor.runCommand("Arbor: Replay Session");
    const inTab = arborPanel(editor.page, "tab");
    const controls = inTab.frame.getByRole("region", { name: "Replay" });
    const slider = controls.getByRole("slider", { name: "Moment" });
    await slider.waitFor();
    await inTab.conversation.getByText("All was seen.").waitFor();
    await eventually(async () => assert.equal(await inTab.rows.count(), 3));
    assert.equal(await inTab.stop.count(), 0);
    assert.equal(await inTab.composer.count(), 0);

    // Before anything, and then from tool to tool.
    await slider.press("Home");
    await inTab.rows.first().waitFor({ state: "detached" });
    await controls.getByRole("combobox", { name: "Step by" }).selectOption("Tool");
    await slider.press("ArrowRight");
    await eventually(async () => assert.equal(await inTab.rows.count(), 1));
    await slider.press("ArrowRight");
    await slider.press("ArrowRight");
    await eventually(async () => assert.equal(await inTab.rows.count(), 3));
    const moment = controls.getByRole("status", { name: "Moment shown" });
    await eventually(async () => assert.match((await moment.textContent()) ?? "", /Read the readme: Read file$/));
    const fork = controls.getByRole("button", { name: "Fork from here" });
    assert.match((await fork.getAttribute("title")) ?? "", /the new chat ends before “Look around”/);

    // Played to the end.
    await controls.getByRole("combobox", { name: /^Speed/ }).selectOption("50×");
    await controls.getByRole("button", { name: "Play" }).click();
    await inTab.conversation.getByText("All was seen.").waitFor();
    await controls.getByRole("button", { name: "Play" }).waitFor();

    await controls.getByRole("button", { name: "Export as a page" }).click();
    const dialog = editor.page.locator(".quick-input-widget", { hasText: "Export as a Page" });
    await dialog
      .getByRole("button", { name: "OK" })
      .or(dialog.getByRole("button", { name: "Save" }))
      .first()
      .click();
    await eventually(async () => {
      const html = await readFile(path.join(workspace, "Look around.html"), "utf8");
      assert.match(html, /The readme is short/);
      assert.doesNotMatch(html, new RegExp(canary));
    });

    await fork.click();
    await eventually(async () =>
      assert.match((await panel.frame.getByRole("heading", { level: 1 }).textContent()) ?? "", /\(fork\)/),
    );
    await arborPanel(editor.page, "view").conversation.getByText("All was seen.").waitFor();
  });
});
