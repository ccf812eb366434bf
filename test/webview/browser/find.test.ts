import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { recording, text } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** The words that are marked, and the one that is marked as the current one. */
function marked(page: Page): Promise<{ found: string[]; current: string[] }> {
  return page.evaluate(() => {
    const wordsOf = (name: string) => [...(CSS.highlights.get(name) ?? [])].map(String);
    return { found: wordsOf("arbor-found"), current: wordsOf("arbor-found-current") };
  });
}

describe("find in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("keeps its key from the editor around the panel, and does not lie upon the first words", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Needle one");
    log.end(main, "done");
    const { page } = await show([log.chat()]);
    // Where the editor listens for the keys that it answers itself.
    await page.evaluate(() =>
      window.addEventListener("keydown", ({ key }) => {
        document.body.dataset.heard = `${document.body.dataset.heard ?? ""}${key}`;
      }),
    );
    await page.getByRole("textbox", { name: "Ask Agent" }).focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Control+f");
    await page.getByRole("searchbox", { name: "Find in conversation", exact: true }).fill("needle");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.body.dataset.heard), "xControl");
    const bar = await page.locator(".find-bar").boundingBox();
    const words = await page.getByRole("log").getByText("Needle one").boundingBox();
    assert.ok(bar !== null && words !== null && words.y >= bar.y + bar.height, JSON.stringify([bar, words]));
  });

  it("opens by key, counts, goes round by keys and closes with Esc to where the focus was", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Needle one");
    log.answer(main, [text("A **nee**dle in two pieces\n\nand none: need\n\nle")]);
    log.answer(main, [text("The last needle")]);
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page.getByRole("textbox", { name: "Ask Agent" }).focus();
    await page.keyboard.press("Control+f");
    const field = page.getByRole("searchbox", { name: "Find in conversation", exact: true });
    await field.waitFor();
    await page.keyboard.type("needle");
    await page.getByText("1 of 3", { exact: true }).waitFor();
    assert.deepEqual(await marked(page), { found: ["needle", "needle"], current: ["Needle"] });
    await page.keyboard.press("Enter");
    await page.getByText("2 of 3", { exact: true }).waitFor();
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("Shift+Enter");
    await page.getByText("3 of 3", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Next match", exact: true }).click();
    await page.getByText("1 of 3", { exact: true }).waitFor();
    await field.fill("nowhere");
    await page.getByText("No results", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    assert.deepEqual(await marked(page), { found: [], current: [] });
    await page.keyboard.type("typed on");
    assert.equal(await page.getByRole("textbox", { name: "Ask Agent" }).inputValue(), "typed on");
    assert.deepEqual(panel.problems, []);
  });

  it("opens where the editor's frame has kept the key from the browser", async () => {
    const log = recording();
    log.user(log.agent("main"), "Needle");
    const { page } = await show([log.chat()]);
    await page.evaluate(() => window.addEventListener("keydown", (event) => event.preventDefault(), true));
    await page.keyboard.press("Control+f");
    await page.getByRole("searchbox", { name: "Find in conversation", exact: true }).waitFor();
  });

  it("reaches the first of two thousand messages, and what streams in meanwhile", async () => {
    const log = recording();
    const main = log.agent("main");
    for (let turn = 0; turn < 1_000; turn++) {
      log.user(main, `Question ${turn}`);
      log.answer(main, [text(turn === 0 ? "The rare word" : `Answer ${turn}`)]);
    }
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page.keyboard.press("Control+f");
    await page.keyboard.type("rare word");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    const isInView = await page.getByText("The rare word").evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    assert.ok(isInView);
    const seq = log.lastSeq;
    log.answer(main, [text("Once more the rare word")]);
    await panel.post(log.since(seq));
    await page.getByText("1 of 2", { exact: true }).waitFor();
  });

  it("searches each agent that is shown for the same, leaves the focus where it is, and closes with its chat", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Needle one");
    const child = log.agent("explore", main, "c1");
    for (const words of ["A needle", "Another needle"]) log.answer(child, [text(words)]);
    const panel = await show([log.chat()]);
    const { page } = panel;
    const field = page.getByRole("searchbox", { name: "Find in conversation", exact: true });
    await page.keyboard.press("Control+f");
    await field.waitFor();
    await page.keyboard.type("needle");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    await page.getByRole("treeitem", { name: /^explore/ }).click();
    await page.getByText("1 of 2", { exact: true }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
    assert.notEqual(await focused(), "Find in conversation");
    await page.getByRole("button", { name: "History", exact: true }).click();
    await field.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "History", exact: true }).click();
    assert.equal(await field.inputValue(), "needle");
    assert.notEqual(await focused(), "Find in conversation");
    await page.getByRole("button", { name: "New chat", exact: true }).click();
    await panel.post({ ...recording().chat(), type: "chat", chatId: "another" } as HostMessage);
    await field.waitFor({ state: "detached" });
    await page.keyboard.type("typed");
    assert.equal(await page.getByRole("textbox", { name: "Ask Agent" }).inputValue(), "typed");
  });
});
