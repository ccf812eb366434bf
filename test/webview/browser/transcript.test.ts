import assert from "node:assert/strict";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { oneHunk } from "../gallery/scenes.ts";
import { chatId, recording, text, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

describe("transcript in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("grows with what streams in, and only its last block is made again", async () => {
    const log = recording();
    const main = log.agent("main");
    const messageId = log.streaming(main, "# One\n\nfirst\n\nsecond ");
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page
      .locator(".markdown p")
      .first()
      .evaluate((element) => element.setAttribute("data-mark", "kept"));
    for (const delta of ["grows", " on\n\n", "third"]) {
      const seq = log.lastSeq;
      log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } });
      await panel.post(log.since(seq));
      await panel.drawn();
    }
    assert.deepEqual(await page.locator(".markdown > *").allTextContents(), [
      "One",
      "first",
      "second grows on",
      "third",
    ]);
    assert.equal(await page.locator(".markdown p").first().getAttribute("data-mark"), "kept");
  });

  it("asks for what it missed and then shows the same as if nothing had been lost", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "One");
    const panel = await show([log.chat()]);
    const known = log.lastSeq;
    log.answer(main, [text("Two")]);
    const lost = log.lastSeq;
    log.answer(main, [text("Three")]);
    await panel.post(log.since(lost));
    await panel.drawn();
    assert.deepEqual((await panel.intents()).at(-1), { type: "ready", chatId, lastSeq: known });
    assert.equal(await panel.page.getByRole("article").count(), 1);
    const missing = log.entries.filter((entry) => entry.seq > known);
    // Spreading the union loses which member it was.
    await panel.post({ ...log.chat(), reset: false, entries: missing } as HostMessage);
    await panel.drawn();
    const resumed = await panel.page.getByRole("log").textContent();
    const whole = await show([log.chat()]);
    assert.equal(resumed, await whole.page.getByRole("log").textContent());
  });

  it("stays at the end while the reader is there, and where the reader went otherwise", async () => {
    const log = recording();
    const main = log.agent("main");
    for (let turn = 0; turn < 30; turn++) log.answer(main, [text(`Turn ${turn}\n\nwith two lines`)]);
    const panel = await show([log.chat()]);
    const { page } = panel;
    const scroller = page.getByRole("log");
    const distance = () =>
      scroller.evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
    const more = async () => {
      const seq = log.lastSeq;
      log.answer(main, [text("More")]);
      await panel.post(log.since(seq));
      await panel.drawn();
    };
    await more();
    assert.equal(await distance(), 0);
    await scroller.evaluate((element) => element.scrollTo(0, 40));
    await panel.drawn();
    await more();
    assert.equal(await scroller.evaluate((element) => element.scrollTop), 40);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await panel.drawn();
    assert.equal(await distance(), 0);
    assert.equal(await page.getByRole("button", { name: "Jump to latest" }).count(), 0);
  });

  it("shows two thousand messages: the end at once, the rest while nothing else happens", async () => {
    const log = recording();
    const main = log.agent("main");
    for (let turn = 0; turn < 1_000; turn++) {
      log.user(main, `Question ${turn}`);
      log.answer(main, [text(`**Answer** ${turn}\n\n- one\n- two`)]);
    }
    const panel = await show([log.chat()]);
    await panel.page.getByText("Answer 999").waitFor();
    await panel.page.waitForFunction(() => document.querySelectorAll("[role=log] article").length === 2_000);
    const isAtEnd = await panel.page
      .getByRole("log")
      .evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight <= 1);
    assert.ok(isAtEnd);
    assert.deepEqual(panel.problems, []);
  });

  it("links a delegation to its child, and the child back to who sent it", async () => {
    const panel = await show("running");
    const { page } = panel;
    await page.getByRole("button", { name: /^2 agents/ }).click();
    await page.getByRole("button", { name: "Open explore running", exact: true }).click();
    await panel.drawn();
    const bar = page.getByRole("navigation", { name: "Agent shown" });
    assert.match((await bar.textContent()) ?? "", /main\s*explore\s*claude-opus · 18k tokens · 35k with its agents/);
    await page.getByRole("article", { name: "main" }).getByText("Find every caller of login()").waitFor();
    await bar.getByRole("link", { name: "main" }).click();
    await bar.waitFor({ state: "detached" });
    assert.deepEqual(
      (await panel.intents()).map(({ type }) => type).filter((type) => type.endsWith("Agent")),
      ["openAgent", "closeAgent"],
    );
  });

  it("counts the agents of a fan-out in one line, and leaves what they do to the tree", async () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [toolCall("c1", "spawn_agents", {})]);
    log.toolStart(main, "c1", "spawn_agents", "Delegate", {});
    const agents = ["a", "b", "c", "d", "e"].map((name) => log.agent("explore", main, "c1", `Task ${name}`));
    const [first, second, third, fourth] = agents;
    assert.ok(first && second && third && fourth);
    log.end(first, "done");
    log.end(second, "done");
    log.end(third, "error", "no key");
    log.answer(fourth, [text("I work on it.")]);
    const waits = { agentId: fourth.id, agentPath: ["main", "explore"], callId: "w" };
    log.host({ type: "approval_requested", approval: { ...oneHunk, ...waits } });
    const { page } = await show([log.chat()]);
    const fold = page.getByRole("log").getByRole("button", { name: /agents/ });
    assert.equal((await fold.textContent())?.trim(), "5 agents · 2 done · 1 failed · 1 needs you");
    const words = await page.getByRole("log").textContent();
    assert.doesNotMatch(words ?? "", /Task a|I work on it/);
  });

  it("shows the task of a child without the frame that models read", async () => {
    const log = recording();
    const main = log.agent("main");
    const child = log.agent("explore", main);
    log.user(child, "<delegation_context>\nThe shop sells books.\n</delegation_context>");
    log.user(child, "Find the taxes.");
    const { page } = await show([log.chat()]);
    await page.getByRole("treeitem", { name: /^explore/ }).click();
    await page.getByRole("log").getByText("Find the taxes.").waitFor();
    assert.deepEqual(await page.getByRole("log").locator(".brief").allInnerTexts(), [
      "The shop sells books.",
      "Find the taxes.",
    ]);
  });

  it("turns to the agent that answers when words are sent while another one is read", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    const child = log.agent("explore", main);
    log.answer(child, [text("Looked around.")]);
    log.end(child, "done");
    log.end(main, "done");
    const { page } = await show([log.chat()]);
    await page.getByRole("treeitem", { name: /^explore/ }).click();
    await page.getByRole("log").getByText("Looked around.").waitFor();
    await page.getByRole("textbox", { name: "Ask Agent" }).fill("And now?");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("Look around", { exact: true }).waitFor();
    assert.equal(await page.getByRole("treeitem", { name: /^main/ }).getAttribute("aria-selected"), "true");
  });

  it("opens a tool card to arguments and result, and thinking to its words", async () => {
    const panel = await show("markdown");
    const { page } = panel;
    const card = page.getByRole("group", { name: "Run npm test -- --grep cache" });
    assert.equal(await card.getAttribute("data-status"), "error");
    await card.getByRole("button").click();
    await card.getByRole("group", { name: "Arguments" }).getByText("command: npm test").waitFor();
    await card.getByRole("group", { name: "Error" }).getByText("2 failing").waitFor();
    assert.equal(await page.getByText("The user asks two things.").count(), 0);
    await page.getByRole("button", { name: "Thought" }).click();
    await page.getByText("The user asks two things.").waitFor();
  });

  it("shows a first message as sent while something is asked before, with a way to stop, and once", async () => {
    const log = recording();
    log.host({ type: "queue_changed", items: [{ id: "m1", text: "Fix the totals", kind: "held" }] });
    const panel = await show([log.chat()]);
    const { page } = panel;
    const sent = page.getByRole("log").getByRole("article", { name: "You" });
    await sent.getByText("Fix the totals").waitFor();
    await sent.getByText("Not sent yet").waitFor();
    assert.equal(await page.getByText("What should we work on?").count(), 0, "the chat is not empty");
    assert.equal(await page.getByRole("region", { name: "Queue" }).count(), 0);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "stop" });
    const seq = log.lastSeq;
    log.host({ type: "queue_changed", items: [] });
    const main = log.agent("main");
    log.user(main, "Fix the totals");
    log.host({ type: "queue_changed", items: [{ id: "m2", text: "And the tests", kind: "held" }] });
    await panel.post(log.since(seq));
    const queue = page.getByRole("region", { name: "Queue" });
    await queue.getByText("And the tests").waitFor();
    assert.equal(await sent.count(), 1);
    assert.equal(await queue.getByRole("button").count(), 0, "it is in no queue yet");
    assert.deepEqual(panel.problems, []);
  });

  it("offers to try again after a failure, once", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    log.end(main, "error", "The server did not answer.");
    const panel = await show([log.chat()]);
    await panel.page.getByText("The server did not answer.").last().waitFor();
    await panel.page.getByRole("button", { name: "Retry", exact: true }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "noticeAction", action: "retry" });
    const noticed = await show("notices");
    assert.equal(await noticed.page.getByRole("button", { name: "Retry", exact: true }).count(), 1);
  });
});
