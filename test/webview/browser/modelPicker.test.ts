import assert from "node:assert/strict";
import type { ModelChoice } from "../../../src/protocol/messages.ts";
import { demo, recording, status } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const choice = (id: string): ModelChoice => ({ id, label: id, isDemo: false, hasPrice: false });

describe("the model picker of the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("shows the model in use, whatever is listed before or instead of it", async () => {
    const panel = await show([recording().chat({ model: demo, models: [demo] })]);
    const chosen = panel.page.getByRole("combobox", { name: "Model" }).locator('[role="option"][aria-selected="true"]');
    const lists = [
      [choice("vscode/a"), choice("vscode/b"), demo],
      [demo],
      [choice("openai/c"), demo, choice("x/y")],
      [],
    ];
    for (const models of lists) {
      await panel.post({ type: "status", status: status({ model: demo, models }) });
      await panel.drawn();
      assert.deepEqual(await chosen.allInnerTexts(), [demo.label], JSON.stringify(models.map(({ id }) => id)));
    }
    const asked = (await panel.intents()).filter(({ type }) => type === "selectModel");
    assert.deepEqual(asked, [], "a list that changes chooses nothing");
  });

  it("shows a short name whole beside all other pickers in a side bar of 360 px", async () => {
    const agents = [{ name: "explore", description: "Looks around." }];
    const model = { ...choice("example/large"), label: "Example Large" };
    const { page } = await show([recording().chat({ model, models: [model], agents })], { width: 360 });
    const picker = page.getByRole("combobox", { name: "Model" });
    const isCut = await picker.evaluate((element) => {
      const { scrollWidth = 0, clientWidth = 0 } = element.shadowRoot?.querySelector(".selected-value") ?? {};
      return clientWidth === 0 || scrollWidth > clientWidth;
    });
    assert.ok(!isCut);
  });

  it("still names the model in use when another one is only looked for", async () => {
    const panel = await show([recording().chat({ model: demo, models: [demo] })]);
    const picker = panel.page.getByRole("combobox", { name: "Model" });
    await picker.click();
    await panel.page.getByRole("option", { name: "Other model…" }).click();
    await panel.drawn();
    const chosen = picker.locator('[role="option"][aria-selected="true"]');
    assert.deepEqual(await chosen.allInnerTexts(), [demo.label]);
    const asked = (await panel.intents()).filter(({ type }) => type === "selectModel");
    assert.deepEqual(asked, [{ type: "selectModel" }]);
  });

  it("goes over to another model together with a new list", async () => {
    const panel = await show([recording().chat({ model: demo, models: [demo] })]);
    const chosen = panel.page.getByRole("combobox", { name: "Model" }).locator('[role="option"][aria-selected="true"]');
    const next = choice("vllm/local");
    await panel.post({ type: "status", status: status({ model: next, models: [choice("a/a"), next, demo] }) });
    await panel.drawn();
    assert.deepEqual(await chosen.allInnerTexts(), ["vllm/local"]);
  });
});

describe("the gauge of a model of unknown size", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("shows no share of it, for none is known", async () => {
    const panel = await show([recording().chat({ model: choice("ollama/x"), models: [] })]);
    const details = panel.page.getByRole("button", { name: /^Context details/ });
    assert.equal(await details.textContent(), "?");
    assert.match((await details.getAttribute("aria-label")) ?? "", /size of the window unknown/);
    assert.match(
      (await panel.page.getByRole("meter", { name: "Context window" }).getAttribute("aria-valuetext")) ?? "",
      /unknown/,
    );
  });
});
