import assert from "node:assert/strict";
import { recording, startTime } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

describe("the meters of the tree, in the panel", function () {
  this.timeout(60_000);
  const showPanel = usePanel();

  async function show(saved?: unknown) {
    const log = recording();
    const main = log.agent("main");
    const quick = log.agent("quick", main, "1", "Look around");
    const slow = log.agent("slow", main, "2", "Run the tests");
    log.spend(main, { input: 1_000, cost: 1 }, 10);
    log.spend(quick, { input: 1_000, cost: 0.2 }, 60);
    log.spend(slow, { input: 1_000, cost: 3 }, 20);
    log.end(quick, "error", "It broke.");
    const panel = await showPanel([], { saved });
    await panel.page.clock.setFixedTime(startTime + 5_000);
    await panel.post(log.chat());
    await panel.drawn();
    const names = async () => {
      const rows = await panel.page.getByRole("treeitem").all();
      return Promise.all(rows.map((row) => row.locator(".agent-name").textContent()));
    };
    const cost = (name: RegExp) => panel.page.getByRole("treeitem", { name }).locator(".row-cost").textContent();
    const press = async (name: string) => {
      await panel.page.getByRole("button", { name, exact: true }).click();
      await panel.drawn();
    };
    return { ...panel, names, cost, press };
  }

  it("change what the rows show, and are as they were on the next page", async () => {
    const { page, names, cost, press, drawn, problems } = await show();
    assert.equal(await cost(/^main/), "Σ $4.20");
    await press("Own");
    assert.equal(await cost(/^main/), "$1.00");
    await page.getByRole("combobox", { name: "Sort by" }).selectOption("context");
    await drawn();
    assert.deepEqual(await names(), ["main", "Look around,", "Run the tests,"]);
    await page.getByRole("combobox", { name: "Sort by" }).selectOption("cost");
    await drawn();
    assert.deepEqual(await names(), ["main", "Run the tests,", "Look around,"]);
    await press("Failed");
    assert.deepEqual(await names(), ["main", "Look around,"]);
    assert.equal(await page.getByRole("button", { name: "Failed" }).getAttribute("aria-pressed"), "true");
    const saved = await page.evaluate(() => globalThis.savedState);
    const next = await show(saved);
    assert.deepEqual(await next.names(), ["main", "Look around,"]);
    await next.press("Failed");
    await next.press("Branch");
    assert.equal(await next.cost(/^main/), "Σ $4.20");
    assert.deepEqual(problems, []);
  });

  it("name who makes no progress, with what can be done about it", async () => {
    const { page, intents, drawn } = await show();
    const stalled = page.getByRole("group", { name: "Run the tests: stalled" });
    assert.equal(await stalled.count(), 0);
    await page.clock.setFixedTime(startTime + 120_000);
    await stalled.waitFor({ timeout: 20_000 });
    assert.match((await page.getByRole("treeitem", { name: /stalled/ }).getAttribute("data-agent")) ?? "", /slow/);
    await stalled.getByRole("button", { name: "Steer" }).click();
    await drawn();
    await page.keyboard.type("Use the cache");
    await page.keyboard.press("Enter");
    assert.equal((await intents()).at(-1)?.type, "messageAgent");
    await stalled.getByRole("button", { name: "Stop" }).click();
    const last = (await intents()).at(-1);
    assert.ok(last?.type === "stop" && last.agentId?.includes("slow"));
  });

  it("steer an agent whose row is filtered out, and keep what was typed to it until it is sent", async () => {
    const { page, intents, press, drawn } = await show();
    await page.clock.setFixedTime(startTime + 120_000);
    const stalled = page.getByRole("group", { name: "Run the tests: stalled" });
    await stalled.waitFor({ timeout: 20_000 });
    await press("Failed");
    await stalled.getByRole("button", { name: "Steer" }).click();
    await drawn();
    await page.keyboard.type("Use the");
    await press("Failed");
    await press("Failed");
    await press("History");
    await page.getByRole("textbox", { name: "Message Run the tests…" }).waitFor({ state: "detached" });
    await press("History");
    const field = page.getByRole("textbox", { name: "Message Run the tests…" });
    await field.focus();
    await page.keyboard.press("End");
    await page.keyboard.type(" cache");
    await page.keyboard.press("Enter");
    const last = (await intents()).at(-1);
    assert.ok(last?.type === "messageAgent" && last.agentId.includes("slow"));
    assert.equal(last.text, "Use the cache");
  });
});
