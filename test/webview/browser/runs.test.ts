import assert from "node:assert/strict";
import { usePanel } from "../support/usePanel.ts";

describe("budgets and summaries in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("ask what to do when a budget is used up, by name and by key", async () => {
    const panel = await show("budget-asked");
    const { page } = panel;
    const card = page.getByRole("group", { name: "Budget of main", exact: true });
    await card.getByText("50 of 50 requests used.").waitFor();
    const row = page.getByRole("treeitem", { name: /^main budget reached/ });
    assert.equal(await row.getAttribute("data-status"), "waiting");
    await page.getByRole("treeitem", { name: /^explore budget reached/ }).waitFor();
    await card.getByText("Extend adds 50 requests.").waitFor();
    await card.getByRole("button", { name: "Extend", exact: true }).focus();
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Wrap up", exact: true }).click();
    await card.getByRole("button", { name: "Stop", exact: true }).click();
    const answers = (await panel.intents()).flatMap((i) => (i.type === "answerBudget" ? [i.decision] : []));
    assert.deepEqual(answers, ["extend", "wrapUp", "stop"]);
    assert.deepEqual(panel.problems, []);
  });

  it("set a budget from the gauge, for the tree and for each sub-agent, and give the focus back", async () => {
    const panel = await show("budget-asked");
    const { page } = panel;
    await page.getByRole("button", { name: /^Context details/ }).click();
    const dialog = page.getByRole("dialog", { name: "Context of main", exact: true });
    await dialog
      .getByRole("group", { name: "Budget", exact: true })
      .getByText("Budget per run: $2.00 · 50 requests")
      .waitFor();
    await dialog.getByRole("link", { name: "Change budget", exact: true }).click();
    const editor = dialog.getByRole("group", { name: "Budget of main", exact: true });
    const tree = editor.getByRole("group", { name: "All agents together", exact: true });
    const each = editor.getByRole("group", { name: "Each sub-agent, with those below it", exact: true });
    await tree.getByRole("textbox", { name: "Requests", exact: true }).fill("many");
    await editor.getByRole("button", { name: "Save budget", exact: true }).click();
    await editor.getByRole("alert").getByText("Write amounts as numbers; 0 sets no limit.").waitFor();
    await tree.getByRole("textbox", { name: "Requests", exact: true }).fill("80");
    await each.getByRole("textbox", { name: "Minutes", exact: true }).fill("2,5");
    await page.keyboard.press("Enter");
    await editor.waitFor({ state: "detached" });
    const set = (await panel.intents()).filter((intent) => intent.type === "setBudget");
    assert.deepEqual(set, [
      { type: "setBudget", target: { scope: "tree" }, limits: { cost: 2, turns: 80 } },
      { type: "setBudget", target: { scope: "eachSubAgent" }, limits: { minutes: 2.5 } },
    ]);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Change budget");
    assert.deepEqual(panel.problems, []);
  });

  it("set a budget of one sub-agent in its details, and close by Escape without closing more", async () => {
    const panel = await show("budget-asked");
    const { page } = panel;
    await page.getByRole("button", { name: "Details of explore", exact: true }).click();
    const details = page.getByRole("group", { name: "Details of explore", exact: true });
    await details.getByRole("link", { name: "Change budget", exact: true }).click();
    await details.getByRole("textbox", { name: "Cost in $", exact: true }).fill("0.5");
    await page.keyboard.press("Escape");
    await details.getByRole("link", { name: "Change budget", exact: true }).click();
    await details.getByRole("textbox", { name: "Cost in $", exact: true }).fill("0.25");
    await details.getByRole("button", { name: "Save budget", exact: true }).click();
    await details.getByRole("link", { name: "Show trace", exact: true }).click();
    const intents = (await panel.intents()).slice(-2);
    assert.ok(intents[0]?.type === "setBudget" && intents[0].target.scope === "agent");
    assert.deepEqual([intents[0].limits, intents[1]?.type], [{ cost: 0.25 }, "showTrace"]);
  });

  it("show a context that is summarised, in one line that opens to the summary", async () => {
    const panel = await show("summarising");
    await panel.page.getByText("Summarizing the context…").waitFor();
    const done = await show("summarised");
    const line = done.page.getByRole("button", { name: "Context summarized: 162k → 31k", exact: true });
    await line.click();
    await done.page.getByText("three callers were found, two are moved").waitFor();
    assert.doesNotMatch(String(await done.page.getByRole("log").textContent()), /known_facts/);
    const meter = done.page.getByRole("meter", { name: "Context window", exact: true });
    assert.equal(await meter.getAttribute("aria-valuetext"), "31k of 200k tokens");
  });
});
