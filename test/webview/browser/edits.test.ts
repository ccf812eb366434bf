import assert from "node:assert/strict";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

describe("edits that have ended, in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("carry how many lines came and went, and open to their diff and what was rejected of it", async () => {
    const { page, intents, drawn, problems } = await show("run-ended");
    await drawn();
    const card = page.getByRole("group", { name: "Edit src/cart/totals.ts", exact: true });
    assert.match((await card.textContent()) ?? "", /1 rejected\s*\+2\s*−1/);
    await card.getByRole("button").first().click();
    await card.locator(".hunk-line.new").first().waitFor();
    assert.deepEqual(
      await card
        .locator(".hunk-line")
        .evaluateAll((lines) => lines.map((line) => line.textContent?.slice(0, 11).trim())),
      ["−  return i", "+  const su", "+  return r", "−export def"],
    );
    const backgrounds = await card
      .locator(".hunk-line")
      .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).backgroundColor));
    assert.equal(new Set(backgrounds).size, 3, `what was rejected has none: ${backgrounds}`);
    await card.getByText("Keep the default export.").waitFor();
    assert.equal(await card.getByText('"edits"').count(), 0, "no raw arguments");
    await card.getByRole("link", { name: "Line 12", exact: true }).click();
    assert.deepEqual((await intents()).at(-1), { type: "openFile", path: "src/cart/totals.ts", line: 12 });
    assert.deepEqual(problems, []);
  });

  it("have no tick where everything was rejected", async () => {
    const { page, drawn } = await show("run-ended");
    await drawn();
    const icon = (name: string) =>
      page.getByRole("group", { name, exact: true }).locator(".status-icon").getAttribute("data-status");
    assert.equal(await icon("Edit README.md"), "aborted");
    assert.equal(await icon("Edit test/cart/totals.test.ts"), "done");
    const words = await page.getByRole("group", { name: "Edit README.md", exact: true }).textContent();
    assert.match(words ?? "", /rejected/);
    assert.doesNotMatch(words ?? "", /done/);
  });

  it("are summed up at the end of a run, with the way to each file, each agent and all of the diff", async () => {
    const { page, intents, drawn } = await show("edited");
    await drawn();
    const result = page.getByRole("region", { name: "Result of the run", exact: true });
    const line = result.getByRole("button").first();
    assert.equal(
      (await line.textContent())?.replace(/\s+/g, " "),
      "3 files changed +9 −3 · 53k tokens · ≈$0.32 · 22 s",
    );
    await line.press("Enter");
    await result.getByRole("button", { name: "Open diff", exact: true }).click();
    assert.deepEqual((await intents()).at(-1), { type: "reviewRun", messageId: "m1" });
    await result.getByRole("link", { name: "totals.test.ts", exact: true }).click();
    assert.deepEqual((await intents()).at(-1), { type: "openFile", path: "test/cart/totals.test.ts" });
    await result.getByRole("link", { name: "Move the rounding", exact: true }).first().click();
    await page.getByRole("treeitem", { name: /^Move the rounding/, selected: true }).waitFor();
    assert.equal(await result.count(), 0, "another agent's transcript has no such line");
  });
});

describe("edits that are written and wait for Keep or Undo, in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("open their files, and say which are new and which are deleted, at 280 px too", async () => {
    const { page, intents } = await show("pending-edits", { width: 280 });
    const list = page.getByRole("region", { name: "Pending edits", exact: true });
    await list.getByRole("button", { name: /^4 files/ }).click();
    const row = (name: string) => list.getByRole("listitem").filter({ hasText: name });
    await row("session.ts").getByRole("link", { name: "session.ts", exact: true }).click();
    assert.deepEqual((await intents()).at(-1), { type: "openFile", path: "src/auth/session.ts" });
    const kinds = await list
      .locator(".file-kind")
      .evaluateAll((all) => all.map((each) => [each.textContent, each.scrollWidth <= each.clientWidth]));
    assert.deepEqual(kinds.slice(0, 2), [
      ["new", true],
      ["deleted", true],
    ]);
    assert.equal(await row("cookies.ts").getByRole("link").count(), 0, "there is nothing to open");
    const isWithin = await list.evaluate((region) => region.scrollWidth <= region.clientWidth);
    assert.ok(isWithin);
    await list.getByRole("button", { name: "Review", exact: true }).click();
    assert.deepEqual((await intents()).at(-1), { type: "reviewPending" });
  });

  it("name the work of the agent that wrote them", async () => {
    const log = recording();
    const main = log.agent("main");
    const lead = log.agent("edit", main, "c1", "Fix the totals");
    const { id: agentId } = log.agent("tests", lead, "c2", "Run the tests");
    const entry = { path: "src/total.ts", agentId, agentPath: ["main", "edit", "tests"] };
    log.host({ type: "pending_edits_changed", files: [{ ...entry, hunks: 1, added: 1, removed: 0 }] });
    const { page } = await show([log.chat()], { width: 400 });
    const list = page.getByRole("region", { name: "Pending edits", exact: true });
    await list.getByRole("button", { name: /^1 file/ }).click();
    await list.getByText("Run the tests · src", { exact: true }).waitFor();
    await list.getByTitle("src/total.ts, by Fix the totals › Run the tests").waitFor();
  });
});
