import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Intent } from "../../../src/protocol/messages.ts";
import { oneHunk, scenes, twoHunks } from "../gallery/scenes.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { demo, local, recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

async function intentsOf<Type extends Intent["type"]>(panel: PanelPage, type: Type): Promise<Intent[]> {
  return (await panel.intents()).filter((intent) => intent.type === type);
}

/** Opens a picker and takes an entry. */
async function choose(picker: Locator, entry: string): Promise<void> {
  await picker.click();
  await picker.getByRole("option", { name: entry, exact: true }).click();
}

describe("answers that hold for more than once", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("are in a menu of the card, reached and taken by keys", async () => {
    const panel = await show("approval");
    const { page } = panel;
    const opener = page.getByRole("button", { name: "More answers" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("menu", { name: "Always allow edits for:" });
    assert.deepEqual(await menu.getByRole("menuitem").allTextContents(), [
      "This agent and its sub-agents",
      "All agents in this chat",
      "src/auth/** in this chat",
      "Accept all 2 edits",
      "Reject all 2 edits",
    ]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    assert.equal(await opener.evaluate((button) => button === document.activeElement), true);
    assert.deepEqual(await intentsOf(panel, "decide"), []);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.deepEqual(await intentsOf(panel, "decide"), [
      { type: "decide", approvalId: "a1", decision: "accepted", scope: "pattern" },
    ]);
  });

  it("are not there for what is asked each time", async () => {
    const log = recording();
    const main = log.agent("main");
    log.host({ type: "approval_requested", approval: { ...oneHunk, agentId: main.id } });
    const { page } = await show([log.chat()]);
    await page.getByRole("group", { name: /^Approval/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: "More answers" }).count(), 0);
  });

  it("are shown on what they allowed, and can be withdrawn", async () => {
    const panel = await show("granted");
    const { page } = panel;
    await page.getByRole("log").getByText("Allowed by you for this chat").waitFor();
    const grants = page.getByRole("region", { name: "Allowed without asking" });
    await grants.getByRole("button", { name: "Allowed without asking: 3" }).click();
    assert.equal(await grants.getByRole("listitem").count(), 3);
    await grants.getByRole("button", { name: "Remove Edits of src/auth/**" }).click();
    assert.deepEqual(await intentsOf(panel, "removeGrant"), [{ type: "removeGrant", grantId: "g2" }]);
  });
});

describe("the panel's pickers", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("choose the mode and how much is thought", async () => {
    const panel = await show([recording().chat()]);
    const mode = panel.page.getByRole("combobox", { name: "Mode", exact: true });
    const thinking = panel.page.getByRole("combobox", { name: "Thinking", exact: true });
    await choose(mode, "Plan (read-only)");
    await choose(thinking, "High");
    const chosen = (await panel.intents()).filter(({ type }) => type === "setMode" || type === "setThinking");
    assert.deepEqual(chosen, [
      { type: "setMode", mode: "plan" },
      { type: "setThinking", level: "high" },
    ]);
  });

  it("explain each mode in the list, and show its name alone as the choice", async () => {
    const { page } = await show([recording().chat({ mode: "plan" })], { width: 700, height: 720 });
    const mode = page.getByRole("combobox", { name: "Mode", exact: true });
    assert.equal((await mode.locator("[part=selected-value]").textContent())?.trim(), "Plan (read-only)");
    await mode.click();
    const hintOf = (option: Element) => {
      const { content, height } = getComputedStyle(option, "::after");
      return Number.parseFloat(height) > 10 ? content : "";
    };
    const hints = await Promise.all(
      ["Plan (read-only)", "Ask first", "Auto-edit"].map((name) =>
        mode.getByRole("option", { name, exact: true }).evaluate(hintOf),
      ),
    );
    assert.deepEqual(hints, [
      '"Agents only read and search."',
      '"Agents ask before they act."',
      '"Files are edited at once; commands outside the sandbox are asked for."',
    ]);
  });

  it("say of the mode that asks what the setting makes of edits", async () => {
    const shown: (string | null)[][] = [];
    for (const editReview of ["before", "after", "off"] as const) {
      const { page } = await show([recording().chat(editReview === "before" ? {} : { editReview })]);
      const mode = page.getByRole("combobox", { name: "Mode", exact: true });
      const option = mode.getByRole("option", { name: "Ask first", exact: true, includeHidden: true });
      shown.push([await mode.getAttribute("title"), await option.getAttribute("data-hint")]);
    }
    const expected = [
      "Agents ask before they act.",
      "Files are edited at once, for you to keep or undo; agents ask before anything else.",
      "Files are edited at once, without a review; agents ask before anything else.",
    ];
    assert.deepEqual(
      shown,
      expected.map((hint) => [`Mode: ask first. ${hint}`, hint]),
    );
  });

  it("offer the levels that the model knows, and none where it can't think", async () => {
    const panel = await show([recording().chat({ model: { ...local, thinkingLevels: ["off", "low"] } })]);
    const thinking = panel.page.getByRole("combobox", { name: "Thinking", exact: true });
    await thinking.click();
    await thinking.getByRole("option", { name: "Low", exact: true }).waitFor();
    assert.deepEqual(await thinking.getByRole("option").allTextContents(), ["No thinking", "Low"]);
    const { page } = await show([recording().chat({ model: { ...local, thinkingLevels: ["low", "high"] } })]);
    const options = page.getByRole("combobox", { name: "Thinking", exact: true }).locator("[role=option]");
    await options.nth(2).waitFor({ state: "attached" });
    assert.deepEqual(await options.allTextContents(), ["No thinking", "Low", "High"]);
    for (const model of [{ ...local, thinkingLevels: ["off" as const] }, demo]) {
      const { page } = await show([recording().chat({ model })]);
      await page.getByRole("combobox", { name: "Mode", exact: true }).waitFor();
      assert.equal(await page.getByRole("combobox", { name: "Thinking", exact: true }).count(), 0);
    }
  });

  it("show that the editor's state is sent, and remove it", async () => {
    const panel = await show([recording().chat({ editorState: { isSent: true, openFiles: 1, problems: 2 } })]);
    const chip = (shown: PanelPage) =>
      shown.page.getByRole("button", { name: "Send what the editor shows", exact: true });
    assert.match((await chip(panel).getAttribute("title")) ?? "", /open files \(1\).*problems \(2\)/);
    assert.equal(await chip(panel).getAttribute("aria-pressed"), "true");
    await chip(panel).click();
    assert.deepEqual(await intentsOf(panel, "setEditorState"), [{ type: "setEditorState", isSent: false }]);
    const removed = await show([recording().chat({ editorState: { isSent: false, openFiles: 1, problems: 2 } })]);
    assert.equal(await chip(removed).getAttribute("aria-pressed"), "false");
    await chip(removed).click();
    assert.deepEqual(await intentsOf(removed, "setEditorState"), [{ type: "setEditorState", isSent: true }]);
  });

  for (const width of [280, 320, 440, 600]) {
    it(`fit beside the model, the gauge and Send at ${width} pixels`, async () => {
      const { messages } = scenes.running?.() ?? { messages: [] };
      const agents = [{ name: "a-reviewer-of-many-things", description: "Reviews." }];
      const withAgents = messages.map((message) =>
        "status" in message ? { ...message, status: { ...message.status, agents } } : message,
      );
      const { page } = await show(withAgents, { width });
      await page.getByRole("combobox", { name: "Who answers", exact: true }).waitFor();
      const bar = page.locator(".composer-bar");
      const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, width: 0 };
      const outer = await boxOf(bar);
      let last = outer.x;
      const parts = [
        page.getByRole("combobox", { name: "Who answers", exact: true }),
        page.getByRole("combobox", { name: "Mode", exact: true }),
        page.getByRole("combobox", { name: "Model", exact: true }),
        page.getByRole("combobox", { name: "Thinking", exact: true }),
        page.getByRole("meter", { name: "Context window" }),
        page.getByRole("button", { name: "Send", exact: true }),
      ];
      for (const part of parts) {
        const { x, width: own } = await boxOf(part);
        assert.ok(own >= 16, "too narrow to be seen");
        assert.ok(x >= last - 1, "one covers the other");
        last = x + own;
      }
      assert.ok(last <= outer.x + outer.width + 1, "the last is cut off");
      // What agents may do unasked is in words.
      const mode = parts[1]?.locator("[part=selected-value]");
      const cut = await mode?.evaluate((words) => words.scrollWidth - words.clientWidth);
      assert.equal((await mode?.textContent())?.trim(), "Ask first");
      assert.ok(await mode?.isVisible());
      assert.ok(cut !== undefined && cut <= 0, `${cut} px of it are cut off`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    });
  }
});

describe("the gauge's dialog", function () {
  this.timeout(60_000);
  const show = usePanel();
  const open = ({ page }: PanelPage) => page.getByRole("button", { name: /^Context details/ }).click();

  it("compacts the agent that is shown, and marks where that happens on its own", async () => {
    const panel = await show("running");
    const { page } = panel;
    await open(panel);
    const dialog = page.getByRole("dialog", { name: "Context of main" });
    await dialog.getByText("Compacts automatically at 80%").waitFor();
    assert.equal(await dialog.locator(".threshold").count(), 1);
    await page.getByRole("treeitem", { name: /^tests/ }).click();
    const ofTests = page.getByRole("dialog", { name: "Context of tests" });
    await ofTests.getByRole("button", { name: "Compact now", exact: true }).click();
    const [asked] = await intentsOf(panel, "compact");
    assert.ok(asked?.type === "compact");
    assert.match(asked.agentId ?? "", /tests/);
  });

  it("shows no mark and no button where nothing can be compacted", async () => {
    const { messages } = scenes.running?.() ?? { messages: [] };
    const panel = await show(messages);
    const { compactAt: _, ...without } = await statusOf(messages);
    await panel.post({ type: "status", status: without });
    await panel.drawn();
    await open(panel);
    const dialog = panel.page.getByRole("dialog", { name: "Context of main" });
    await dialog.waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Compact now" }).count(), 0);
    assert.equal(await dialog.locator(".threshold").count(), 0);
  });
});

async function statusOf(messages: readonly { type: string }[]) {
  const chat = messages.find((message) => message.type === "chat");
  assert.ok(chat !== undefined && "status" in chat);
  // The type of the message is the one that the scenes' recording makes.
  return chat.status as ReturnType<typeof import("../support/recording.ts").status>;
}

describe("what a command of the editor asks of the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("brings the oldest that waits to the front, with the focus on it", async () => {
    const panel = await show("approval");
    const { page } = panel;
    await page.getByRole("button", { name: "Next approval" }).click();
    await page.getByText("2 of 2 pending").waitFor();
    await page.getByRole("textbox", { name: "Ask Agent" }).fill("half a thought");
    await panel.post({ type: "focus", target: "waiting" });
    await page.getByText("1 of 2 pending").waitFor();
    await page.waitForFunction(() => document.activeElement?.classList.contains("approval"));
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), nameOf(twoHunks));
    await panel.answerable();
    await page.keyboard.press("Control+Enter");
    assert.deepEqual(await intentsOf(panel, "decide"), [{ type: "decide", approvalId: "a1", decision: "accepted" }]);
  });

  it("answers what is shown, and nothing when nothing is asked", async () => {
    const panel = await show("approval");
    await panel.page.getByRole("button", { name: "Next approval" }).click();
    await panel.page.getByText("2 of 2 pending").waitFor();
    await panel.answerable();
    await panel.post({ type: "answer", decision: "rejected" });
    await panel.drawn();
    assert.deepEqual(await intentsOf(panel, "decide"), [{ type: "decide", approvalId: "a2", decision: "rejected" }]);
    const idle = await show("running");
    await idle.post({ type: "answer", decision: "accepted" });
    await idle.drawn();
    assert.deepEqual(await intentsOf(idle, "decide"), []);
  });
});

function nameOf({ toolName, files }: typeof twoHunks): string {
  return `Approval: ${toolName} ${files[0]?.path ?? ""}`;
}

describe("the height of the agent tree", function () {
  this.timeout(60_000);
  const show = usePanel();
  const heightOf = ({ page }: PanelPage) => page.getByRole("tree").evaluate((tree) => tree.clientHeight);

  it("is drawn by the pointer, moved by keys, kept, and set back by a double click", async () => {
    const { messages } = scenes.many?.() ?? { messages: [] };
    const panel = await show(messages);
    const { page } = panel;
    const byItself = await heightOf(panel);
    const divider = page.getByRole("separator", { name: "Height of the agent tree" });
    const box = await divider.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 100, box.y + 3);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y + 3 - 100, { steps: 3 });
    await page.mouse.up();
    assert.equal(await heightOf(panel), byItself - 100);
    await divider.focus();
    await page.keyboard.press("Home");
    assert.equal(await heightOf(panel), 22);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await heightOf(panel), 66);
    const again = await show(messages, { saved: await page.evaluate(() => globalThis.savedState) });
    assert.equal(await heightOf(again), 66);
    await divider.dblclick();
    assert.equal(await heightOf(panel), byItself);
  });
});

describe("a run with an agent at work", function () {
  this.timeout(60_000);
  const show = usePanel();

  function working() {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    const explore = log.agent("explore", main);
    log.event(explore, { type: "agent_start" });
    return { log, main, explore };
  }

  it("says in the conversation that it is paused, and no more that it works", async () => {
    const { log, main } = working();
    const { page, post } = await show([log.chat()]);
    await page.getByText("Working…", { exact: true }).waitFor();
    log.host({ type: "branches_paused", agentIds: [main.id] });
    await post(log.chat());
    await page.getByText("Paused", { exact: true }).waitFor();
    assert.equal(await page.getByText("Working…", { exact: true }).count(), 0);
    await page.getByRole("treeitem", { name: /^explore/ }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
  });

  it("says in the conversation of an agent that it is queued, and not that it asks again", async () => {
    const { log, explore } = working();
    log.event(explore, { type: "retry", attempt: 0, delayMs: 0, error: "" });
    const { page } = await show([log.chat()]);
    await page.getByRole("treeitem", { name: /^explore/ }).click();
    await page.getByRole("log").getByText("Queued", { exact: true }).waitFor();
    assert.equal(await page.getByText("Retrying…", { exact: true }).count(), 0);
  });

  it("says why no row is left when a filter matches none", async () => {
    const { page } = await show([working().log.chat()]);
    const failed = page.getByRole("button", { name: "Failed", exact: true });
    await failed.click();
    const hint = page.getByText("No agents match. Choose the filter again to show all.");
    await hint.waitFor();
    assert.equal(await page.getByRole("treeitem").count(), 0);
    await failed.click();
    await hint.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("treeitem").count(), 2);
  });
});
