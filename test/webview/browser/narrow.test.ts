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

  for (const [scene, width] of [
    ["command", 280],
    ["question", 280],
    ["budget-asked", 280],
    ["agents-40-waiting", 280],
    ["agents-40-waiting", 700],
  ] as const) {
    it(`never cuts off what an agent waits for: ${scene} at ${width} px`, async () => {
      const { page } = await show(scene, { width });
      const room = await page
        .locator("[data-status=waiting] .live-line")
        .evaluateAll((lines) => lines.map((line) => line.clientWidth - line.scrollWidth));
      assert.ok(room.length > 0);
      assert.ok(room.every((left) => left >= 0));
    });
  }

  it("has a whole word of what an agent does, however long its name is", async () => {
    for (const width of [360, 700, 1_200]) {
      const { page } = await show("agents-40-waiting", { width });
      const widths = await page
        .locator(".tree-item:not([data-status=waiting]) .live-line:not([data-text=''])")
        .evaluateAll((lines) => lines.map((line) => line.clientWidth));
      assert.ok(widths.length > 20 && Math.min(...widths) >= 45, `${Math.min(...widths)} px at ${width} px`);
    }
  });

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

  for (const width of [280, 320, 600]) {
    it(`says what is true of agents of other programs at ${width} px`, async () => {
      const log = recording();
      const main = log.agent("main");
      log.event(main, { type: "agent_start", kind: "prompt" } as never);
      const shown = {
        guarded: "guarded",
        asks: "asks first",
        sandboxed: "sandboxed",
        unsupervised: "unsupervised",
      } as const;
      for (const supervision of ["guarded", "asks", "sandboxed", "unsupervised"] as const) {
        const agent = log.agent(supervision, main, `call ${supervision}`, `Rewrite the payment forms, ${supervision}`);
        const reported = { tokens: true, cost: false };
        log.host({ type: "foreign_agent", agentId: agent.id, program: "P", sessionId: "s", supervision, reported });
      }
      const { page } = await show([log.chat()], { width });
      for (const [supervision, text] of Object.entries(shown)) {
        const row = page.getByRole("treeitem", { name: new RegExp(`, ${supervision}.*${text}`) });
        const badge = row.locator(".row-badge");
        const tag = row.locator(".row-tag");
        assert.deepEqual([await badge.isVisible(), await tag.isVisible()], width < 480 ? [true, false] : [false, true]);
        assert.equal(await badge.getAttribute("title"), text);
      }
      if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-${width}.png` });
    });
  }

  it("keeps an offer within the page, however long the file's name is", async () => {
    const activeFile = `src/${"authenticationMiddleware".repeat(4)}.test.ts`;
    const { page } = await show([recording().chat({ activeFile })], narrow);
    const offer = page.getByRole("button", { name: /^Explain/ });
    assert.ok(await offer.evaluate((button) => button.scrollWidth <= button.clientWidth));
  });
});
