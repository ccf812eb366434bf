import assert from "node:assert/strict";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { scenes } from "../gallery/scenes.ts";
import { usePanel } from "../support/usePanel.ts";

describe("panel by keyboard", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("reports the focus that the page has before its script runs", async () => {
    const panel = await show([]);
    assert.deepEqual((await panel.intents())[0], { type: "focusChanged", isFocused: true });
  });

  it("moves, closes, opens and selects in the agent tree", async () => {
    const panel = await show("running");
    const { page } = panel;
    const focused = () => page.evaluate(() => document.activeElement?.querySelector(".agent-name")?.textContent);
    await page.getByRole("treeitem", { name: "main" }).focus();
    const walk: [string, string][] = [
      ["ArrowDown", "explore"],
      ["ArrowRight", "docs"],
      ["ArrowLeft", "explore"],
      ["ArrowLeft", "explore"],
      ["ArrowDown", "edit"],
      ["Home", "main"],
      ["End", "edit"],
      ["m", "main"],
    ];
    for (const [key, expected] of walk) {
      await page.keyboard.press(key);
      await panel.drawn();
      assert.equal(await focused(), expected, key);
    }
    assert.equal(await page.getByRole("treeitem", { name: "explore" }).getAttribute("aria-expanded"), "false");
    assert.equal(await page.getByRole("treeitem").count(), 3);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await panel.drawn();
    assert.equal(await page.getByRole("treeitem", { name: "edit" }).getAttribute("aria-selected"), "true");
    await page.getByRole("log").getByText("I write the adapter so that the callers stay as they are").waitFor();
    assert.ok((await panel.intents()).some((intent) => intent.type === "openAgent"));
  });

  it("opens a collapsed tree by the pointer, too, where its only row is left", async () => {
    const { page } = await show("running");
    const main = page.getByRole("treeitem", { name: /^main/ });
    for (const isExpanded of ["false", "true"]) {
      await main.locator(".twistie").click();
      await page.waitForFunction(
        (wanted) => document.querySelector("[role=treeitem]")?.getAttribute("aria-expanded") === wanted,
        isExpanded,
      );
    }
    assert.equal(await page.getByRole("treeitem").count(), 5);
  });

  it("types into the composer right after New chat", async () => {
    const panel = await show("running");
    await panel.page.getByRole("button", { name: "New chat" }).click();
    await panel.page.keyboard.type("words at once");
    assert.equal(await panel.page.getByRole("textbox", { name: "Ask Agent" }).inputValue(), "words at once");
    assert.ok((await panel.intents()).some(({ type }) => type === "newChat"));
  });

  it("reaches the actions of a row and sends the agent a message", async () => {
    const panel = await show("running");
    const { page } = panel;
    await page.getByRole("treeitem", { name: "tests" }).focus();
    await panel.drawn();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Message tests…" }).fill("look at the mocks");
    await page.keyboard.press("Enter");
    await panel.drawn();
    const sent = (await panel.intents()).find((intent) => intent.type === "messageAgent");
    assert.ok(sent?.type === "messageAgent");
    assert.match(sent.agentId, /tests/);
    assert.equal(sent.text, "look at the mocks");
    assert.equal(await page.getByRole("textbox", { name: "Message tests…" }).count(), 0);
    await page.getByRole("button", { name: "Stop tests", exact: true }).focus();
    await page.keyboard.press("Enter");
    assert.deepEqual((await panel.intents()).at(-1), { type: "stop", agentId: sent.agentId });
  });

  it("sends with Enter, breaks lines with Shift+Enter, recalls with the arrow", async () => {
    const panel = await show("answered");
    const { page } = panel;
    const composer = page.getByRole("textbox", { name: "Ask Agent" });
    await composer.focus();
    await page.keyboard.press("ArrowUp");
    await panel.drawn();
    assert.equal(await composer.inputValue(), "Where is the price computed?");
    await composer.fill("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await panel.drawn();
    const sent = (await panel.intents()).find((intent) => intent.type === "send");
    assert.deepEqual(sent, { type: "send", text: "one\ntwo", attachments: [], whenBusy: "queue" });
    assert.equal(await composer.inputValue(), "");
  });

  it("steers with Ctrl+Enter while a run goes on", async () => {
    const panel = await show("running");
    await panel.page.getByRole("textbox", { name: "Ask Agent" }).fill("faster");
    await panel.page.keyboard.press("Control+Enter");
    const sent = (await panel.intents()).find((intent) => intent.type === "send");
    assert.deepEqual(sent, { type: "send", text: "faster", attachments: [], whenBusy: "steer" });
  });

  it("leaves Enter to an input method that composes", async () => {
    const panel = await show("idle");
    const composer = panel.page.getByRole("textbox", { name: "Ask Agent" });
    await composer.fill("にほん");
    await composer.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, composed: true });
    assert.deepEqual(
      (await panel.intents()).filter((intent) => intent.type === "send"),
      [],
    );
  });

  it("closes the gauge with Esc, warns with the next and stops with the one after", async () => {
    const panel = await show("running");
    const { page } = panel;
    const stops = async () => (await panel.intents()).filter((intent) => intent.type === "stop").length;
    await page.getByRole("button", { name: /Context details/ }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByText("Press Esc again to stop all agents.").waitFor();
    assert.equal(await stops(), 0);
    await page.keyboard.press("a");
    await page.keyboard.press("Escape");
    assert.equal(await stops(), 0);
    await page.keyboard.press("Escape");
    assert.equal(await stops(), 1);
  });

  it("keeps the focus where the user types when approvals and answers come", async () => {
    const panel = await show("running");
    const { page } = panel;
    await page.getByRole("textbox", { name: "Ask Agent" }).pressSequentially("half a ");
    const { messages } = scenes.approval?.() ?? { messages: [] };
    for (const message of messages) await panel.post(message);
    await panel.drawn();
    await page.keyboard.type("thought");
    assert.equal(await page.getByRole("textbox", { name: "Ask Agent" }).inputValue(), "half a thought");
    await page.getByRole("group", { name: /^Approval/ }).waitFor();
  });

  it("has the focus somewhere when what had it is removed: an answered card, a closed notice, Stop", async () => {
    const { messages } = scenes.approval?.() ?? { messages: [] };
    const [chat] = messages;
    assert.ok(chat?.type === "chat");
    const panel = await show(messages);
    const { page } = panel;
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    let seq = chat.upToSeq;
    const happen = async (host: HostEvent) => {
      const post = { afterSeq: seq, upToSeq: seq + 1, entries: [{ seq: seq + 1, host }] };
      seq++;
      await panel.post({ type: "entries", chatId: chat.chatId, ...post });
      await panel.drawn();
    };
    await page.getByRole("button", { name: "Accept", exact: true }).focus();
    await happen({ type: "approval_closed", approvalId: "a1", outcome: "accepted" });
    assert.equal(await focused(), "Approval: edit_file src/login.ts");
    await happen({ type: "approval_closed", approvalId: "a2", outcome: "accepted" });
    assert.equal(await focused(), "Ask Agent");
    const notice = { id: "n", level: "info", text: "Something happened.", actions: [] } as const;
    await happen({ type: "notice_shown", notice: { ...notice, actions: [] } });
    assert.equal(await focused(), "Ask Agent", "what comes takes nothing");
    await page.getByRole("button", { name: "Dismiss", exact: true }).focus();
    await happen({ type: "notice_closed", noticeId: "n" });
    assert.equal(await focused(), "Ask Agent");
  });
});
