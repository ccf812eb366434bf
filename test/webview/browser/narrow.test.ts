import assert from "node:assert/strict";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const narrow = { width: 280 };

describe("the panel where it is narrow", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("shows a line that is cut off whole by its tooltip, as long as the pointer is there", async () => {
    const { page, problems } = await show("running", narrow);
    const line = page.getByRole("treeitem", { name: /^edit/ }).locator(".live-line");
    assert.equal(await line.getAttribute("title"), null);
    await line.hover();
    assert.equal(await line.getAttribute("title"), "I write the adapter so that the callers stay as they are");
    await page.getByRole("treeitem", { name: /^docs/ }).locator(".live-line").hover();
    assert.equal(await line.getAttribute("title"), null);
    assert.deepEqual(
      await page.locator(".tree [title]:not(button, .status-icon)").count(),
      0,
      "a whole line needs none",
    );
    assert.deepEqual(problems, []);
  });

  for (const scene of ["command", "question", "budget-asked"]) {
    it(`never cuts off what an agent waits for: ${scene}`, async () => {
      const { page } = await show(scene, narrow);
      const room = await page
        .locator("[data-status=waiting] .live-line")
        .evaluateAll((lines) => lines.map((line) => line.clientWidth - line.scrollWidth));
      assert.ok(room.length > 0);
      assert.ok(room.every((left) => left >= 0));
    });
  }

  it("sets times, contexts and costs below each other, whatever else a row shows", async () => {
    const { page } = await show("running", { width: 600 });
    for (const column of [".row-time", ".row-context", ".row-cost"]) {
      const ends = await page
        .locator(`.tree ${column}`)
        .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)));
      assert.equal(ends.length, 5);
      assert.equal(new Set(ends).size, 1, `${column} end at ${ends.join(", ")}`);
    }
  });

  it("keeps an offer within the page, however long the file's name is", async () => {
    const activeFile = `src/${"authenticationMiddleware".repeat(4)}.test.ts`;
    const { page } = await show([recording().chat({ activeFile })], narrow);
    const offer = page.getByRole("button", { name: /^Explain/ });
    assert.ok(await offer.evaluate((button) => button.scrollWidth <= button.clientWidth));
  });
});
