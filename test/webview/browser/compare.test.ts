import assert from "node:assert/strict";
import { usePanel } from "../support/usePanel.ts";

describe("runs of one task, in the panel", function () {
  this.timeout(60_000);
  const showPanel = usePanel();

  it("are asked for in the details of a finished agent, compared, and one of them is used", async () => {
    const panel = await showPanel("isolated");
    const { page, intents, problems } = panel;
    await panel.drawn();
    const last = async () => (await intents()).at(-1);
    await page.getByRole("treeitem", { name: /Fix the totals two.*Isolated/ }).waitFor();
    await page.getByRole("button", { name: "Details of Fix the totals", exact: true }).click();
    const details = page.getByRole("group", { name: "Details of Fix the totals", exact: true });
    await details.getByRole("link", { name: "Run again…", exact: true }).press("Enter");
    const form = details.getByRole("group", { name: "Run again", exact: true });
    await form.getByRole("textbox", { name: "Task" }).fill("Round them too");
    await form.getByRole("textbox", { name: /^How many times/ }).fill("3");
    await form.getByRole("button", { name: "Run again", exact: true }).press("Enter");
    const { agentId } = (await last()) as { agentId: string };
    assert.deepEqual(await last(), { type: "runAgain", agentId, task: "Round them too", times: 3 });
    assert.equal(await form.count(), 0);

    await details.getByRole("link", { name: "Compare", exact: true }).click();
    const view = page.getByRole("region", { name: "Compare", exact: true });
    const run = (number: number) => view.getByRole("group", { name: `Run ${number}`, exact: true });
    for (const words of ["exit code 0", "12.4k", "$0.08", "1m 14s", "used"]) await run(1).getByText(words).waitFor();
    await run(2).getByText("none ran").waitFor();
    await run(3).getByText("failed", { exact: true }).waitFor();
    assert.equal(await run(3).getByRole("button", { name: "Use this one" }).count(), 0);
    await run(2)
      .getByRole("button", { name: /totals\.ts/ })
      .press("Enter");
    await run(2).getByText("roundToCents").waitFor();
    await run(2).getByRole("button", { name: "Use this one" }).press("Enter");
    assert.deepEqual(await last(), { type: "useRun", comparisonId: "compare_1", index: 1 });
    await view.getByRole("link", { name: "Discard", exact: true }).click();
    assert.deepEqual(await last(), { type: "closeComparison", comparisonId: "compare_1" });
    await page.keyboard.press("Escape");
    await page.getByRole("log", { name: "Conversation" }).waitFor();
    assert.deepEqual(problems, []);
  });
});
