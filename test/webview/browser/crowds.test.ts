import assert from "node:assert/strict";
import { oneHunk, scenes } from "../gallery/scenes.ts";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";
import { useScene } from "../support/useScene.ts";

/** Runs in the page: what of the bar above the agents is not whole within it, by name. */
function cut(): string[] {
  const bar = document.querySelector(".tree-bar");
  if (bar === null) return ["the bar"];
  const { right, left } = bar.getBoundingClientRect();
  return [...bar.querySelectorAll("button, select")].flatMap((control) => {
    const box = control.getBoundingClientRect();
    const isWhole = box.left >= left && box.right <= right + 0.5 && box.width >= 12;
    return isWhole ? [] : [control.getAttribute("aria-label") ?? ""];
  });
}

/** Runs in the page. The styles draw it, without which the element is empty. */
const drawnCount = (element: Element) =>
  element.getBoundingClientRect().width > 0 ? element.getAttribute("data-count") : "not drawn";

/** Runs in the page: the entries of the open menu that another element lies over or that are out of view. */
function hiddenEntries(): string[] {
  return [...document.querySelectorAll("[role=menuitem]")].flatMap((entry) => {
    const { left, top, right, bottom } = entry.getBoundingClientRect();
    const isSeen = [top + 2, bottom - 2].every((y) => {
      const hit = document.elementFromPoint((left + right) / 2, y);
      return hit !== null && entry.contains(hit);
    });
    return isSeen ? [] : [entry.textContent ?? ""];
  });
}

describe("a panel with very many agents", function () {
  this.timeout(60_000);
  const open = useScene();
  const show = usePanel();

  for (const [width, height] of [
    [280, 720],
    [400, 650],
    [700, 720],
    [1200, 720],
  ] as const) {
    it(`has every control above its agents in view at ${width} × ${height}`, async () => {
      const { page, drawn } = await open("agents-40-waiting", { width, height });
      assert.deepEqual(await page.evaluate(cut), []);
      const counts = async () =>
        Promise.all(
          ["Running", "Waiting", "Failed"].map((name) =>
            page.getByRole("button", { name, exact: true }).locator(".choice-count").evaluate(drawnCount),
          ),
        );
      assert.deepEqual(await counts(), ["27", "3", "1"]);
      // Also of those that are not shown.
      await page.getByRole("button", { name: "Waiting", exact: true }).click();
      await drawn();
      assert.deepEqual(await counts(), ["27", "3", "1"]);
      assert.equal(await page.locator("[role=treeitem][data-status=waiting]").count(), 3);
    });
  }

  it("counts as running no agent that is paused, and says how many are", async () => {
    const { page } = await open("steered", { width: 700, height: 720 });
    const button = page.getByRole("button", { name: "Running", exact: true });
    const rows = await page.locator("[role=treeitem][data-status=running]").all();
    const lives = await Promise.all(rows.map((row) => row.getAttribute("aria-description")));
    const paused = lives.filter((live) => live?.startsWith("paused") === true).length;
    assert.equal(paused, 2);
    assert.equal(await button.locator(".choice-count").evaluate(drawnCount), String(rows.length - paused));
    assert.match((await button.getAttribute("title")) ?? "", /^Running: \d agents?, 2 queued or paused$/);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    const motions = await Promise.all(
      rows.map((row) => row.locator(".status-icon").evaluate((icon) => getComputedStyle(icon).animationName)),
    );
    assert.deepEqual(
      motions,
      lives.map((live) => (live?.startsWith("paused") === true ? "none" : "breathe")),
      "Only what is at work moves.",
    );
  });

  it("shows the field of a message to an agent, whatever waits below", async () => {
    const { page, drawn } = await open("agents-40-waiting", { width: 400, height: 650 });
    const row = page.getByRole("treeitem", { name: /^Read the models of the login/ });
    await row.hover();
    await row.locator(".codicon-comment").click();
    await drawn();
    const field = page.locator(".message-agent vscode-text-field");
    const isSeen = await field.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return [top + 2, bottom - 2].every((y) => {
        const hit = document.elementFromPoint((left + right) / 2, y);
        return hit !== null && element.contains(hit);
      });
    });
    assert.ok(isSeen);
    const accept = await page.getByRole("button", { name: "Accept", exact: true }).boundingBox();
    assert.ok(accept !== null && accept.y + accept.height <= 650);
  });

  for (const [width, height] of [
    [280, 690],
    [400, 650],
    [1200, 720],
  ] as const) {
    it(`has a message that is queued and the answers in sight at ${width} × ${height}`, async () => {
      const messages = scenes["agents-40-waiting"]?.().messages ?? [];
      const [chat] = messages;
      if (chat?.type !== "chat") throw new Error("The scene begins with its chat.");
      const seq = (chat.entries.at(-1)?.seq ?? 0) + 1;
      const items = [{ id: "q1", text: "And the vouchers", kind: "followUp" as const }];
      const entries = [...chat.entries, { seq, host: { type: "queue_changed" as const, items } }];
      const { page } = await show([{ ...chat, entries }, ...messages.slice(1)], { width, height });
      const hidden = await page.evaluate(() =>
        [".queued-text", ".approval-answer", ".composer-bar"].filter((selector) => {
          const part = document.querySelector(selector);
          const { left, top, right, bottom } = part?.getBoundingClientRect() ?? new DOMRect();
          return [top + 3, bottom - 3].some(
            (y) => part?.contains(document.elementFromPoint((left + right) / 2, y)) !== true,
          );
        }),
      );
      assert.deepEqual(hidden, []);
    });
  }

  it("has the question of the agent that is selected above what others wait for", async () => {
    const log = recording();
    const main = log.agent("main");
    const [asks, edits] = ["Look at the texts", "Fix the totals"].map((title) => log.agent("edit", main, title, title));
    if (asks === undefined || edits === undefined) throw new Error("There are two.");
    const waits = { agentId: edits.id, agentPath: ["main", "edit"], id: "a1", callId: "c1" };
    log.host({ type: "approval_requested", approval: { ...oneHunk, ...waits } });
    const question = { id: "q1", agentId: asks.id, agentPath: ["main", "edit"], callId: "c2" };
    log.host({ type: "question_asked", question: { ...question, text: "Which one?", options: ["This", "That"] } });
    const { page, drawn } = await show([log.chat()], { width: 400, height: 650 });
    const cards = async () => {
      const all = await page.locator(".dock > .approvals, .dock > .approval, .dock .approval").all();
      return Promise.all(all.map((card) => card.getAttribute("aria-label")));
    };
    const first = async () => (await cards()).find((label) => label !== null) ?? "";
    assert.match(await first(), /^Approval/);
    await page.getByRole("treeitem", { name: /^Look at the texts/ }).click();
    await drawn();
    assert.match(await first(), /^Question/);
    await page.getByRole("treeitem", { name: /^Fix the totals/ }).click();
    await drawn();
    assert.match(await first(), /^Approval/);
  });

  for (const [width, height] of [
    [280, 720],
    [400, 650],
  ] as const) {
    it(`shows every answer of an open menu at ${width} × ${height}`, async () => {
      const { page } = await open("scopes", { width, height });
      assert.equal(await page.getByRole("menuitem").count(), 5);
      assert.deepEqual(await page.evaluate(hiddenEntries), []);
    });
  }
});
