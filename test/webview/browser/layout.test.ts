import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { openScene } from "../support/scene.ts";
import { usePages } from "../support/usePages.ts";

describe("the layout of the panel", function () {
  this.timeout(120_000);
  const open = usePages();
  const show = (scene: string, width: number, height: number) =>
    open((browser: Browser) => openScene(browser, scene, { width, height }));

  for (const [width, height] of [
    [400, 650],
    [300, 600],
    [280, 720],
    [700, 720],
    [1_280, 720],
  ] as const) {
    it(`keeps the answers whole and the transcript readable at ${width} × ${height}, whatever else is open`, async () => {
      const { page } = await show("titled-approval", width, height);
      const boxOf = async (name: string) => {
        const button = page.getByRole("button", { name, exact: true });
        const box = await button.boundingBox();
        assert.ok(box !== null);
        // What covers or cuts it would be hit instead.
        const corners = [
          [box.x + 2, box.y + 2],
          [box.x + box.width - 3, box.y + box.height - 3],
        ] as const;
        for (const [x, y] of corners) {
          const hit = await page.evaluate(
            ({ x, y }) => document.elementFromPoint(x, y)?.closest("vscode-button")?.textContent,
            { x, y },
          );
          assert.equal(hit?.trim(), name, `at ${x}, ${y}`);
        }
      };
      await boxOf("Accept");
      await boxOf("Reject");
      const room = await page.getByRole("log").evaluate((log) => log.clientHeight);
      assert.ok(room >= 160, `${room} px`);
      const bottom = await page.locator(".usage-line").evaluate((line) => line.getBoundingClientRect().bottom);
      assert.ok(bottom <= height + 0.5, `the panel ends at ${bottom} px`);
      await page.getByText("Fix the totals › Run the tests").waitFor();
    });
  }

  for (const [width, height] of [
    [400, 650],
    [280, 720],
  ] as const) {
    it(`shows whose a card is, its answers and that for all edits at ${width} × ${height}`, async () => {
      const { page } = await show("agents-40-waiting", width, height);
      const hidden = await page.evaluate(() =>
        [".approval-lineage", ".file-head", ".approval-answer", ".pager", ".waiting-head", ".usage-line"].filter(
          (selector) => {
            const part = document.querySelector(selector);
            const { left, top, right, bottom } = part?.getBoundingClientRect() ?? new DOMRect();
            return [top + 3, bottom - 3].some(
              (y) => part?.contains(document.elementFromPoint((left + right) / 2, y)) !== true,
            );
          },
        ),
      );
      assert.deepEqual(hidden, []);
      const edit = await page.locator(".approval-files").evaluate(({ clientHeight }) => clientHeight);
      assert.ok(edit >= 75, `${edit} px of what is to be accepted`);
    });
  }

  it("has room for all of a form in the details beside the conversation", async () => {
    for (const scene of ["budget-of-agent", "run-again"]) {
      const { page } = await show(scene, 700, 720);
      const details = page.locator(".opened-agent");
      assert.ok(await details.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight), scene);
    }
  });

  it("has room for some of the details below many agents beside the conversation", async () => {
    const { page } = await show("agents-40-details", 1_200, 720);
    const height = await page.locator(".opened-agent").evaluate(({ clientHeight }) => clientHeight);
    assert.ok(height >= 200, `${height} px`);
  });

  it("shows all lines of two hunks beside the agents", async () => {
    const { page } = await show("approval", 700, 720);
    const files = page.locator(".approval-files");
    assert.ok(await files.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight));
  });

  it("squeezes no card where others wait below it", async () => {
    const { page } = await show("everything-waits", 280, 720);
    const card = page.locator(".approvals > .approval");
    assert.ok(await card.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight));
  });

  it("has all that answers several edits in one line of the narrow column of a wide panel", async () => {
    const { page } = await show("agents-40-waiting", 1_280, 720);
    const head = await page.locator(".waiting-head").evaluate((line) => line.clientHeight);
    assert.ok(head < 32, `${head} px`);
  });

  it("shows more than a few lines of an agent's details beside the rows of 40 agents", async () => {
    const { page } = await show("agents-40-details", 280, 720);
    const heightOf = (selector: string) => page.locator(selector).evaluate((part) => part.clientHeight);
    const [details, tree] = [await heightOf(".opened-agent"), await heightOf(".tree-frame")];
    assert.ok(details >= 120 && tree >= 120, `details ${details} px, rows ${tree} px`);
  });

  it("shows the timeline as a table once there is a recording", async () => {
    const { page } = await show("timeline-table", 400, 720);
    assert.ok((await page.getByRole("table").getByRole("row").count()) > 3);
  });

  it("has the composer below the conversation at each width, with a plan above it and without", async () => {
    for (const [scene, width] of [
      ["running", 400],
      ["running", 800],
      ["plan", 800],
      ["running", 1_280],
    ] as const) {
      const { page } = await show(scene, width, 720);
      const log = await page.locator(".conversation-frame").boundingBox();
      const composer = await page.locator(".composer-box").boundingBox();
      assert.ok(log !== null && composer !== null);
      assert.ok(log.y + log.height <= composer.y + 1, `${scene} at ${width}: ${log.y} + ${log.height} > ${composer.y}`);
    }
  });

  it("sets the tree beside the conversation, and what waits on the other side, where there is room", async () => {
    const places = async (width: number) => {
      const { page } = await show("titled-approval", width, 720);
      const box = async (selector: string) => {
        const found = await page.locator(selector).first().boundingBox();
        assert.ok(found !== null);
        return found;
      };
      const [tree, log, card] = [await box(".agents"), await box(".conversation-frame"), await box(".dock")];
      return { isBeside: tree.x + tree.width <= log.x + 1, isRight: card.x >= log.x + log.width - 1 };
    };
    assert.deepEqual(await places(600), { isBeside: false, isRight: false });
    assert.deepEqual(await places(800), { isBeside: true, isRight: false });
    assert.deepEqual(await places(1_280), { isBeside: true, isRight: true });
  });
});
