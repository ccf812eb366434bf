import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { type Editor, openEditor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import { root, sampleWorkspace } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { pictureFailures } from "./pictureFailures.ts";

const money = "src/format/money.ts";
const tourLimitMs = 10 * 60_000;

/** As a new user walks it: the demo model, no key, nothing set up. */
describe("The tour of docs/tour.md", () => {
  let home: string;
  let workspace: string;
  let editor: Editor;
  let walkedMs = 0;
  pictureFailures(() => editor);

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    workspace = path.join(home, "corner-shop");
    await cp(sampleWorkspace, workspace, { recursive: true });
    const identity = ["-c", "user.name=U", "-c", "user.email=u@example.com"];
    for (const args of [
      ["init", "--quiet"],
      ["add", "-A"],
      ["commit", "--quiet", "-m", "First"],
    ]) {
      await promisify(execFile)("git", [...identity, ...args], { cwd: workspace });
    }
    editor = await openEditor({ workspace, width: 480 });
  });
  after(async () => {
    await editor?.close();
    await rm(home, { recursive: true, force: true });
  });

  const textNow = () => readFile(path.join(workspace, money), "utf8");
  const region = (name: string) => editor.panel.frame.getByRole("region", { name, exact: true });
  const dialog = () => editor.page.locator(".monaco-dialog-box");
  const editRow = () => editor.panel.tree.locator('[role="treeitem"][aria-level="2"]').first();
  /** Of the agent that edits; by keyboard, as the tour says. */
  async function openDetails(): Promise<Locator> {
    const details = editor.panel.frame.getByRole("group", { name: /^Details of / });
    if ((await details.count()) === 0) {
      await editRow().focus();
      await editor.page.keyboard.press("Alt+Enter");
    }
    await details.waitFor();
    return details;
  }

  const steps: Record<string, () => Promise<void>> = {
    async "Ask, with nothing set up"() {
      await editor.runCommand("Arbor: Try the Demo");
      await editor.panel.messagesOf("main").filter({ hasText: "Most likely in" }).waitFor();
    },
    async "Read the tree"() {
      const { panel } = editor;
      assert.equal(await panel.rows.count(), 4);
      for (const name of ["Own", "Branch"]) await panel.button(name).click();
      await panel.frame.getByRole("combobox", { name: "Sort by" }).selectOption("Time");
      await panel.rows.nth(1).click();
      await panel.frame.getByRole("navigation", { name: "Agent shown" }).waitFor();
      await panel.rows.first().click();
    },
    async "See where the time went"() {
      const { frame } = editor.panel;
      await frame.getByRole("tab", { name: "Timeline", exact: true }).click();
      const timeline = region("Timeline");
      await timeline.getByText(/^Critical path /).waitFor();
      const chart = timeline.getByRole("application", { name: "Timeline chart" });
      await chart.focus();
      for (const key of ["Home", "ArrowRight", "Enter"]) await chart.press(key);
      await frame.locator(".conversation .at-moment").waitFor();
      await timeline.getByRole("button", { name: "Table", exact: true }).click();
      await timeline.getByRole("table", { name: "Timeline" }).waitFor();
      await frame.getByRole("tab", { name: "Tree", exact: true }).click();
      await editor.panel.rows.first().click();
    },
    async "See what an agent was asked, did and reported"() {
      const { conversation } = editor.panel;
      await conversation.getByRole("button", { name: /^3 agents/ }).click();
      const first = conversation.locator(".fan-out > li").first();
      for (const name of ["Brief", "Work", "Report"]) await first.getByRole("group", { name }).waitFor();
      await first.getByRole("button", { name: "Ask again", exact: true }).waitFor();
    },
    async "Limit and steer one branch"() {
      const { panel, page } = editor;
      await panel.button("New chat").click();
      await panel.messages.first().waitFor({ state: "detached" });
      await ask(panel, "replace `formatPrice` with `formatMoney`");
      await panel.approvals.first().waitFor();
      const details = await openDetails();
      await details.getByRole("link", { name: "Change budget" }).click();
      await details.getByRole("textbox", { name: "Requests" }).fill("20");
      await details.getByRole("button", { name: "Save budget" }).click();
      await details.getByText(/20 requests/).waitFor();
      await editRow().hover();
      await editRow()
        .getByRole("button", { name: /^Message / })
        .click();
      await panel.frame.getByRole("textbox", { name: /^Message .+…$/ }).fill("Leave the comments.");
      await page.keyboard.press("Enter");
      await panel.frame.getByText("Sends after current tools").waitFor();
    },
    async "Review what it wants to write"() {
      assert.match(await textNow(), /formatPrice/);
      assert.deepEqual(await seeThrough(editor.panel, "all"), { ok: true });
      assert.match(await textNow(), /formatMoney/);
      // The message that was written meanwhile has been read.
      await editor.panel.conversation.getByText(/^You told .+: Leave the comments\.$/).waitFor();
    },
    async "See what the run came to"() {
      const { page } = editor;
      const result = region("Result of the run");
      await result.getByRole("button").first().click();
      await result.getByText("Approvals").waitFor();
      await result.getByRole("button", { name: "Review changes" }).click();
      const changes = region("Changes");
      await changes.getByText("money.ts").first().waitFor();
      await changes.getByText("kept").first().waitFor();
      await changes.getByRole("button", { name: "Close changes" }).click();
      await editor.openFile("money.ts");
      const line = page.locator(".view-line", { hasText: "formatMoney" }).first();
      await eventually(async () => {
        await page.mouse.move(0, 0);
        await line.hover();
        await page.locator(".monaco-hover", { hasText: "Written by" }).waitFor({ timeout: 3_000 });
      });
    },
    async "Undo one agent's work"() {
      const { frame } = editor.panel;
      await (await openDetails()).getByRole("button", { name: "Undo this branch's changes" }).click();
      await dialog().getByRole("button", { name: "Undo changes" }).click();
      const note = frame.getByRole("note", { name: "Rewind" });
      await note.waitFor();
      await eventually(async () => assert.doesNotMatch(await textNow(), /formatMoney/));
      await note.getByRole("button", { name: "Redo" }).click();
      await eventually(async () => assert.doesNotMatch(await textNow(), /formatPrice/));
    },
    async "Do it again, and compare"() {
      const { panel } = editor;
      const details = await openDetails();
      await details.getByRole("link", { name: "Run again…", exact: true }).click();
      await details.getByRole("textbox", { name: "Task" }).fill("replace `formatMoney` with `showPrice`");
      await details.getByRole("textbox", { name: /^How many times/ }).fill("2");
      await details.getByRole("button", { name: "Run again", exact: true }).click();
      await details.getByRole("link", { name: "Compare", exact: true }).click();
      const run = (name: string) => region("Compare").getByRole("group", { name, exact: true });
      for (const name of ["Run 1", "Run 2"]) await run(name).getByText("done", { exact: true }).waitFor();
      assert.match(await textNow(), /formatMoney/);
      await run("Run 2").getByRole("button", { name: "Use this one" }).click();
      await panel.approvals.first().getByRole("button", { name: "Accept", exact: true }).click();
      await eventually(async () => assert.match(await textNow(), /showPrice/));
      await region("Compare").getByRole("button", { name: "Close Compare" }).click();
    },
    async "Take it with you"() {
      const { panel } = editor;
      const copy = region("Result of the run").first().getByRole("button", { name: "Copy as Markdown" });
      if ((await copy.count()) === 0) await region("Result of the run").first().getByRole("button").first().click();
      await copy.click();
      await editor.reload();
      await editor.openPanel();
      await panel.messagesOf("You").filter({ hasText: "formatMoney" }).first().waitFor();
      assert.ok((await panel.rows.count()) > 1);
    },
  };

  it("has the steps that are walked here", async () => {
    const tour = await readFile(path.join(root, "docs/tour.md"), "utf8");
    const headings = [...tour.matchAll(/^## \d+\. (.+)$/gm)].map(([, title]) => title);
    assert.deepEqual(headings, Object.keys(steps));
    assert.equal(headings.length, 10);
  });
  for (const [title, walk] of Object.entries(steps)) {
    it(title, async () => {
      const startedAt = performance.now();
      await walk();
      walkedMs += performance.now() - startedAt;
    });
  }
  it("takes less than ten minutes", () => {
    console.log(`      ten steps in ${(walkedMs / 1_000).toFixed(0)} s`);
    assert.ok(walkedMs < tourLimitMs);
  });
});
