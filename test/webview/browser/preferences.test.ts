import assert from "node:assert/strict";
import { usePanel } from "../support/usePanel.ts";

describe("the panel, for those who want it otherwise", function () {
  this.timeout(60_000);
  const show = usePanel();
  const moving = () => document.getAnimations().filter(({ playState }) => playState === "running").length;

  it("does not move where the system or the editor says so", async () => {
    const lively = await show("running", { reducedMotion: false });
    assert.ok((await lively.page.evaluate(moving)) > 0);
    await lively.page.evaluate(() => document.body.classList.add("vscode-reduce-motion"));
    await lively.drawn();
    assert.equal(await lively.page.evaluate(moving), 0);
    const still = await show("running", { reducedMotion: true });
    assert.equal(await still.page.evaluate(moving), 0);
  });

  it("shows what is selected and focused by outlines where the system paints the colours", async () => {
    const { page, drawn } = await show("running");
    const outlines = () =>
      page
        .locator(".tree-item > .tree-row")
        .evaluateAll((rows) => rows.map((row) => getComputedStyle(row).outlineWidth === "2px"));
    assert.deepEqual(await outlines(), [false, false, false, false, false]);
    await page.emulateMedia({ forcedColors: "active" });
    await drawn();
    assert.deepEqual(await outlines(), [true, false, false, false, false]);
    await page.getByRole("button", { name: "New chat" }).focus();
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    assert.equal(ring, "solid");
  });

  it("mutes no words where more contrast is wanted", async () => {
    const { page, drawn } = await show("running");
    const colors = () =>
      page.evaluate(() => {
        const of = (selector: string) => getComputedStyle(document.querySelector(selector) ?? document.body).color;
        return [of(".usage-line"), of("body")];
      });
    const [muted, normal] = await colors();
    assert.notEqual(muted, normal);
    await page.emulateMedia({ contrast: "more" });
    await drawn();
    const [now] = await colors();
    assert.equal(now, normal);
  });
});
