import assert from "node:assert/strict";
import { startTime } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

describe("details of an agent in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("open below its row by pointer and by key, without selecting it or changing its name", async () => {
    const panel = await show("running");
    const { page } = panel;
    await page.getByRole("button", { name: "Details of docs", exact: true }).click();
    const details = page.getByRole("group", { name: "Details of docs", exact: true });
    await details.locator("dd").nth(3).waitFor();
    assert.deepEqual(await details.locator("dt").allTextContents(), ["Model", "Time", "Tokens", "Context"]);
    assert.deepEqual(await details.locator("dd").allTextContents(), [
      "claude-opus",
      "10 s",
      "6k · $0.01",
      "5.6k tokens · 4%",
    ]);
    for (const [part, words] of [
      ["Brief", "Read the docs about login"],
      ["Work", /call.* tokens/],
      ["Report", "The docs name three callers."],
    ] as const)
      await details.getByRole("group", { name: part, exact: true }).getByText(words).waitFor();
    const row = page.getByRole("treeitem", { name: "docs done, 6k tokens, $0.01", exact: true });
    assert.equal(await row.getAttribute("aria-selected"), "false");
    await details.getByText("Brief").click();
    assert.equal(await row.getAttribute("aria-selected"), "false", "a click in the details is none on the row");
    await details.getByRole("link", { name: "Copy transcript", exact: true }).click();
    const asked = (await panel.intents()).at(-1);
    assert.ok(asked?.type === "copyTranscript");
    assert.match(asked.agentId, /docs/);
    await row.focus();
    await page.keyboard.press("Alt+Enter");
    await details.waitFor({ state: "detached" });
    assert.deepEqual(panel.problems, []);
  });

  it("count the time while the agent runs, and its agents' tokens with its own", async () => {
    const panel = await show();
    const { page } = panel;
    await page.clock.install({ time: startTime });
    const { messages } = (await import("../gallery/scenes.ts")).scenes.running?.() ?? { messages: [] };
    for (const message of messages) await panel.post(message);
    await page.clock.runFor(1_000);
    await page.getByRole("treeitem", { name: /^main/ }).focus();
    await page.keyboard.press("Alt+Enter");
    await page.clock.runFor(1_000);
    const details = page.getByRole("group", { name: "Details of main", exact: true });
    await details.getByText("41.2k · $0.06, with its agents 85.2k · $0.16").waitFor();
    const time = details.locator("dd").nth(1);
    await page.clock.runFor(60_000);
    // The last tick may have come up to a second before, the first one as late as that after the row was opened.
    assert.match((await time.textContent()) ?? "", /^(59s|1m 0[0-2]s)$/);
  });
});
