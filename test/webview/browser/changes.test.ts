import assert from "node:assert/strict";
import { usePanel } from "../support/usePanel.ts";

describe("the changes of a run, in the panel", function () {
  this.timeout(60_000);
  const showPanel = usePanel();

  async function show() {
    const panel = await showPanel("changes");
    await panel.drawn();
    const result = panel.page.getByRole("region", { name: "Result of the run", exact: true });
    await result.getByRole("button").first().press("Enter");
    await result.getByRole("button", { name: "Review changes", exact: true }).click();
    const view = panel.page.getByRole("region", { name: "Changes", exact: true });
    await view.waitFor();
    return { ...panel, view };
  }

  it("are kept, undone and shown by hunk, file, agent, branch and run", async () => {
    const { intents, view, problems } = await show();
    const last = async () => (await intents()).at(-1);
    const press = async (name: string) => {
      await view.getByRole("button", { name, exact: true }).click();
      return last();
    };
    const hunkOfTest = "test/cart/totals.test.ts, line 1";
    assert.deepEqual(await press(`Keep ${hunkOfTest}`), { type: "keepHunks", hunkIds: ["h5"] });
    assert.deepEqual(await press(`Undo ${hunkOfTest}`), { type: "undoHunks", hunkIds: ["h5"] });
    assert.deepEqual(await press("Open diff of totals.ts"), { type: "diffHunks", hunkIds: ["h4"] });
    assert.deepEqual(await press("Keep"), { type: "keepHunks", hunkIds: ["h4", "h5"] });
    assert.deepEqual(await press("Undo"), { type: "undoHunks", hunkIds: ["h3", "h4", "h5"] });
    assert.deepEqual(await press("Open diff"), { type: "diffHunks", hunkIds: ["h3", "h4", "h5"] });
    const copied = await press("Copy summary");
    assert.match(copied?.type === "copy" ? copied.text : "", /^## Count each item in the totals\n- `src\/money/);
    await view.getByRole("button", { name: "By agent", exact: true }).click();
    assert.deepEqual(await press("Undo main"), { type: "undoHunks", hunkIds: ["h4", "h5"] });
    assert.deepEqual(await press("Undo the branch of main"), { type: "undoHunks", hunkIds: ["h3", "h4", "h5"] });
    const undoBranch = view.getByRole("region", { name: "main" }).getByRole("button", {
      name: "Undo this branch's changes",
    });
    await undoBranch.press("Enter");
    assert.deepEqual(await last(), { type: "undoBranch", agentId: "main" });
    const several = view.getByRole("region", { name: "Read by several" });
    await several.getByText("2.9k tokens", { exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  it("are undone with a reason, by keyboard alone", async () => {
    const { page, intents, view } = await show();
    const why = view.getByRole("button", { name: "Undo and tell the agent why: totals.ts", exact: true });
    await why.press("Enter");
    await page.keyboard.type("Use the helper");
    await page.keyboard.press("Enter");
    assert.deepEqual((await intents()).at(-1), { type: "undoHunks", hunkIds: ["h4"], reason: "Use the helper" });
    await view.getByRole("button", { name: "Undo and tell the agent why", exact: true }).press("Enter");
    await page.keyboard.type("Too much");
    await page.keyboard.press("Enter");
    const hunkIds = ["h3", "h4", "h5"];
    assert.deepEqual((await intents()).at(-1), { type: "undoHunks", hunkIds, reason: "Too much" });
    await view.getByRole("button", { name: "By file", exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.match((await page.evaluate(() => document.activeElement?.textContent)) ?? "", /^\S*Line 12/);
    await page.keyboard.press("Escape");
    await page.getByRole("log", { name: "Conversation" }).waitFor();
    assert.equal(await view.count(), 0);
    await page.getByRole("textbox", { name: "Ask Agent" }).and(page.locator(":focus")).waitFor();
  });

  it("close for the transcript of an agent that is selected", async () => {
    const { page, view } = await show();
    await page.getByRole("treeitem", { name: /^Fix the totals/ }).click();
    await page.getByRole("log", { name: "Conversation" }).waitFor();
    assert.equal(await view.count(), 0);
  });

  it("are part of the report of the run, which is copied as Markdown", async () => {
    const { page, intents, drawn, problems } = await showPanel("report");
    await drawn();
    const result = page.getByRole("region", { name: "Result of the run", exact: true });
    await result.getByRole("button").first().press("Enter");
    await result.getByText("1 by you · 1 by rule · 1 in the sandbox", { exact: true }).waitFor();
    assert.deepEqual(await result.locator("dt").allTextContents(), [
      "Outcome",
      "Commands and tests",
      "Agents",
      "Approvals",
      "Open",
    ]);
    assert.deepEqual(await result.locator(".run-exit").allTextContents(), ["exit 0", "exit 1"]);
    // Figures of one agent beside its name and of the next below it could not be compared.
    for (const width of [320, 400, 480, 700]) {
      await page.setViewportSize({ width, height: 700 });
      const edges = (part: string, side: "left" | "right") =>
        result.locator(part).evaluateAll((all, at) => all.map((one) => one.getBoundingClientRect()[at]), side);
      const [left, right] = [await edges(".run-figures", "left"), await edges(".run-figures", "right")];
      assert.ok(left.length > 2);
      assert.ok(new Set(left).size === 1 || new Set(right).size === 1, `${width}: ${left} ${right}`);
    }
    await result.getByRole("button", { name: "Copy as Markdown", exact: true }).click();
    const copied = (await intents()).at(-1);
    assert.match(copied?.type === "copy" ? copied.text : "", /- exit 1: `npm test` \(main\)/);
    assert.deepEqual(problems, []);
  });
});
