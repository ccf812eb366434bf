import assert from "node:assert/strict";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { chatsOfBefore, history } from "../gallery/historyScenes.ts";
import { openPanel } from "../support/panelPage.ts";
import { chatId, recording, text } from "../support/recording.ts";
import { usePages } from "../support/usePages.ts";
import { usePanel } from "../support/usePanel.ts";

const openHistory: HostMessage = { type: "focus", target: "history" };

/** A chat of one question and its answer. */
function answered() {
  const log = recording();
  log.host({ type: "chat_titled", title: "Where is the price?" });
  const main = log.agent("main");
  log.user(main, "Where is the price?");
  log.answer(main, [text("In price.ts.")]);
  log.end(main, "done");
  return log;
}

describe("the history", () => {
  const open = usePages();
  const show = usePanel();
  const listed = async () => {
    const panel = await show([recording().chat(), openHistory, history(chatsOfBefore)]);
    await panel.page.getByRole("list", { name: "Chats" }).waitFor();
    return panel;
  };

  it("opens by its button, asks for the chats, and names each with all that its row shows", async () => {
    const panel = await show([recording().chat()]);
    await panel.page.getByRole("button", { name: "History", exact: true }).click();
    await panel.drawn();
    const asked = (await panel.intents()).at(-1);
    assert.deepEqual(asked, { type: "listHistory", query: "", limit: 50 });
    await panel.page.clock.setFixedTime(1_763_600_000_000 + 60_000);
    await panel.post(history(chatsOfBefore));
    await panel.drawn();
    const rows = panel.page.getByRole("list", { name: "Chats" }).getByRole("listitem");
    assert.equal(await rows.count(), chatsOfBefore.length);
    const named = (name: string) => panel.page.getByRole("button", { name, exact: true }).count();
    assert.equal(await named("Refactor the authentication into middleware , now , running · 41.2k tokens · $0.12"), 1);
    assert.equal(await named("Local model: tidy the README , 5 d , 1.3M tokens · no price"), 1);
    assert.deepEqual(panel.problems, []);
  });

  it("shows the chats that came before its own script was loaded", async () => {
    const { promise: chunksReady, resolve: load } = Promise.withResolvers<void>();
    const panel = await open((browser) => openPanel(browser, { chunksReady }));
    const asks = (limit: number) =>
      panel.page.waitForFunction((rows) => posted.some((it) => it.type === "listHistory" && it.limit === rows), limit);
    await panel.post(recording().chat());
    await panel.post(openHistory);
    await panel.post(history(chatsOfBefore));
    load();
    await asks(50);
    await panel.page.getByRole("list", { name: "Chats" }).getByRole("listitem").last().waitFor();
    assert.equal(await panel.page.getByRole("listitem").count(), chatsOfBefore.length);
  });

  it("is worked by keyboard alone", async () => {
    const panel = await listed();
    const { page } = panel;
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return (element?.getAttribute("aria-label") ?? element?.textContent)?.split(",")[0];
      });
    assert.equal(await focused(), "Search chats");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "Refactor the authentication into middleware");
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "Local model: tidy the README");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Rename", "the buttons of the row follow it");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "Search chats");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "openChat"),
      [{ type: "openChat", chatId: "b" }],
    );
    await panel.drawn();
    assert.equal(await focused(), "Ask Agent");
  });

  it("closes by Esc, and goes back to the composer", async () => {
    const panel = await listed();
    await panel.page.keyboard.press("Escape");
    await panel.drawn();
    assert.equal(await panel.page.getByRole("region", { name: "History" }).count(), 0);
    const asked = (await panel.intents()).filter(({ type }) => type.endsWith("History"));
    assert.deepEqual(asked.at(-1), { type: "listHistory", query: "", limit: 3 }, "the recent ones are there again");
    assert.equal(
      await panel.page.getByRole("textbox", { name: "Ask Agent" }).evaluate((box) => box.matches(":focus-within")),
      true,
    );
  });

  it("searches as one types, says what it found, and Esc clears the search first", async () => {
    const panel = await listed();
    await panel.page.keyboard.type("auth");
    assert.deepEqual((await panel.intents()).at(-1), { type: "listHistory", query: "auth", limit: 50 });
    await panel.post(history(chatsOfBefore.slice(0, 2), "auth"));
    await panel.drawn();
    assert.equal(await panel.page.getByRole("listitem").count(), 2);
    await panel.page.getByRole("status", { name: "Announcements" }).filter({ hasText: "2 chats found" }).waitFor();
    await panel.post(history(chatsOfBefore.slice(0, 1), "aut"));
    await panel.drawn();
    assert.equal(await panel.page.getByRole("listitem").count(), 2, "a late answer changes nothing");
    await panel.post(history([], "auth"));
    await panel.page.getByText("No chats match “auth”.").waitFor();
    await panel.page.keyboard.press("Escape");
    assert.deepEqual((await panel.intents()).at(-1), { type: "listHistory", query: "", limit: 50 });
    assert.equal(await panel.page.getByRole("region", { name: "History" }).count(), 1);
  });

  it("renames in place: Enter keeps the words, Esc does not, and nothing is renamed to nothing", async () => {
    const panel = await listed();
    const { page } = panel;
    const renames = async () => (await panel.intents()).filter(({ type }) => type === "renameChat");
    const title = page.getByRole("textbox", { name: "Title of the chat" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("F2");
    await title.fill("Another title");
    await page.keyboard.press("Escape");
    await page.keyboard.press("F2");
    await title.fill("   ");
    await page.keyboard.press("Enter");
    assert.deepEqual(await renames(), []);
    await page.getByRole("button", { name: "Rename", exact: true }).nth(0).click();
    await title.fill("Middleware for auth");
    await page.keyboard.press("Enter");
    assert.deepEqual(await renames(), [{ type: "renameChat", chatId, title: "Middleware for auth" }]);
    await title.waitFor({ state: "detached" });
    const focused = await page.evaluate(() => document.activeElement?.className);
    assert.equal(focused, "history-open", "the focus is not lost");
  });

  it("deletes at once, keeps the focus in the list, and takes it back by Undo", async () => {
    const panel = await listed();
    const { page } = panel;
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    await panel.drawn();
    assert.deepEqual((await panel.intents()).at(-1), { type: "deleteChat", chatId: "b" });
    assert.equal(await page.getByRole("listitem").count(), chatsOfBefore.length - 1);
    assert.match((await page.evaluate(() => document.activeElement?.textContent)) ?? "", /^Add tests for the cart/);
    const note = page.getByRole("note", { name: "Deleted chat" });
    await note.getByText("Deleted “Rename auth helpers”.").waitFor();
    await note.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "restoreChat", chatId: "b" });
    await note.waitFor({ state: "detached" });
  });

  it("forks, exports, imports and opens in an editor by names alone", async () => {
    const panel = await listed();
    const row = panel.page.getByRole("listitem").nth(3);
    await row.hover();
    for (const name of ["Export", "Open in editor"]) {
      await row.getByRole("button", { name, exact: true }).click();
    }
    await panel.page.getByRole("button", { name: "Import chat" }).click();
    await row.hover();
    await row.getByRole("button", { name: "Fork", exact: true }).click();
    const asked = (await panel.intents()).filter(({ type }) => /export|Editor|import|fork/.test(type));
    assert.deepEqual(asked, [
      { type: "exportChat", chatId: "d" },
      { type: "openInEditor", chatId: "d" },
      { type: "importChat" },
      { type: "forkChat", chatId: "d" },
    ]);
  });

  it("asks for more at its end", async () => {
    const panel = await show([recording().chat(), openHistory, history(chatsOfBefore, "", true)]);
    await panel.page.getByRole("button", { name: "Show more" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "listHistory", query: "", limit: 100 });
  });

  it("says that it is empty, and shows titles as text", async () => {
    const panel = await show([recording().chat(), openHistory, history([])]);
    await panel.page.getByText("No chats yet.").waitFor();
    const title = '<img src=x onerror="alert(1)">\u202Egnp.exe';
    const first = chatsOfBefore[0];
    assert.ok(first !== undefined);
    await panel.post(history([{ ...first, title }]));
    await panel.drawn();
    assert.equal(await panel.page.locator("img").count(), 0);
    assert.deepEqual([panel.dialogs, panel.strangeRequests], [[], []]);
    assert.doesNotMatch((await panel.page.getByRole("list", { name: "Chats" }).textContent()) ?? "", /\u202E/);
  });

  it("fits into 280 pixels", async () => {
    const panel = await show([recording().chat(), openHistory, history(chatsOfBefore, "", true)], { width: 280 });
    await panel.page.getByRole("listitem").nth(2).hover();
    const wide = await panel.page.evaluate(() =>
      [...document.querySelectorAll(".history *")]
        .filter((element) => element.getBoundingClientRect().right > 280.5)
        .map((element) => element.className),
    );
    assert.deepEqual(wide, []);
  });
});

describe("chats beside the one on show", () => {
  const show = usePanel();

  it("are offered where nothing was said yet, three of them", async () => {
    const panel = await show([recording().chat(), history(chatsOfBefore)]);
    assert.deepEqual((await panel.intents()).at(-1), { type: "listHistory", query: "", limit: 3 });
    const recent = panel.page.getByRole("region", { name: "Recent chats" }).getByRole("button");
    assert.equal(await recent.count(), 3);
    await recent.first().click();
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "openChat"),
      [{ type: "openChat", chatId: "b" }],
    );
  });

  it("are forked from a message of one's own", async () => {
    const log = answered();
    const panel = await show([log.chat()]);
    const you = panel.page.getByRole("article", { name: "You" });
    await you.hover();
    await you.getByRole("button", { name: "Fork from here" }).click();
    const asked = (await panel.intents()).at(-1);
    assert.ok(asked?.type === "forkChat");
    assert.equal(typeof asked.messageId, "string");
    assert.equal(
      await panel.page.getByRole("article", { name: "main" }).getByRole("button", { name: "Fork from here" }).count(),
      0,
    );
  });

  it("go on where they were interrupted by one click", async () => {
    const panel = await show("interrupted");
    await panel.page.getByText("Interrupted.", { exact: true }).waitFor();
    await panel.page.getByRole("note", { name: "Problem" }).getByRole("button", { name: "Resume" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "noticeAction", noticeId: "n", action: "resume" });
  });

  it("show what lies before, without moving what is read", async () => {
    const log = answered();
    const late = recording();
    const main = late.agent("main");
    for (let turn = 0; turn < 30; turn++) {
      late.user(main, `Question ${turn}`);
      late.answer(main, [text(`Answer ${turn} `.repeat(20))]);
    }
    const chat = late.chat();
    assert.ok(chat.type === "chat");
    const panel = await show([{ ...chat, hasEarlier: true }]);
    const scroller = panel.page.getByRole("log", { name: "Conversation" });
    await scroller.evaluate((element) => {
      element.scrollTop = 0;
    });
    const before = await panel.page.getByText("Question 0", { exact: true }).boundingBox();
    await panel.page.getByRole("button", { name: "Show earlier messages" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "showEarlier" });
    // Its messages have ids of their own.
    const entries = JSON.parse(JSON.stringify(log.entries).replace(/"id":"m(\d)/g, '"id":"e$1'));
    await panel.post({ type: "earlier", chatId, entries, hasEarlier: false });
    await panel.drawn();
    // All but the last few are drawn when the browser finds the time.
    await panel.page.getByRole("article", { name: "You" }).nth(30).waitFor({ state: "attached" });
    assert.equal(await panel.page.getByRole("article", { name: "You" }).count(), 31);
    assert.equal(await panel.page.getByRole("button", { name: "Show earlier messages" }).count(), 0);
    const after = await panel.page.getByText("Question 0", { exact: true }).boundingBox();
    assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 0)) < 60, `${before?.y} → ${after?.y}`);
  });
});
