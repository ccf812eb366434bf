import assert from "node:assert/strict";
import type { Rewind } from "../../../src/protocol/hostEvents.ts";
import { recording, text, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

function twoTurns() {
  const log = recording();
  const main = log.agent("main");
  for (const question of ["First question", "Second question"]) {
    const attachments = [{ kind: "file", path: "src/auth.ts" }];
    log.user(main, question, { attachments });
    log.answer(main, [text(`Answer to the ${question.toLowerCase()}`)]);
  }
  return { log, main };
}

describe("actions on messages in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("rewind to a message, report it, and undo it", async () => {
    const { log, main } = twoTurns();
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    const second = page.getByRole("article", { name: "You" }).last();
    await second.getByRole("button", { name: "Rewind to here", exact: true }).click();
    const asked = (await panel.intents()).at(-1);
    assert.ok(asked?.type === "rewind");
    assert.equal(asked.what, "both");
    const seq = log.lastSeq;
    log.host({ type: "rewind_changed", undoable: { messageId: asked.messageId, what: "both" } });
    await panel.post(log.since(seq));
    await page.getByText("Files and conversation were rewound.").waitFor();
    const composer = page.getByRole("textbox", { name: "Ask Agent" });
    assert.equal(await composer.inputValue(), "Second question", "to be written again");
    await page.getByRole("button", { name: "Undo rewind", exact: true }).click();
    assert.deepEqual((await panel.intents()).filter(({ type }) => type === "undoRewind").length, 1);
    const undone = log.lastSeq;
    log.host({ type: "rewind_changed" });
    await panel.post(log.since(undone));
    await panel.drawn();
    assert.equal(await composer.inputValue(), "", "it is in the conversation again");
  });

  it("leave no result of a run, and not how it ended, where a rewind removed all of it", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    log.answer(main, [toolCall("c1", "delegate_to_agent", {})]);
    log.toolStart(main, "c1", "delegate_to_agent", "Delegate", {});
    log.end(log.agent("explore", main, "c1"), "done");
    log.end(main, "aborted");
    const panel = await show([log.chat()]);
    const result = panel.page.getByRole("region", { name: "Result of the run", exact: true });
    const stop = panel.page.getByRole("log").getByText("Stopped.");
    await result.waitFor();
    await stop.waitFor();
    const seq = log.lastSeq;
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
    log.event(main, { type: "transcript", messages: [], own: none, total: none, reason: "rewind" });
    await panel.post(log.since(seq));
    await result.waitFor({ state: "detached" });
    await stop.waitFor({ state: "detached" });
  });

  it("name the files of a rewind that the end of the editor cut off, and none while one is made", async () => {
    const { log, main } = twoTurns();
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    const note = page.getByRole("note", { name: "Rewind", exact: true });
    const noteOf = async (undoable: Rewind) => {
      const seq = log.lastSeq;
      log.host({ type: "rewind_changed", undoable });
      await panel.post(log.since(seq));
      await panel.drawn();
      return (await note.count()) === 0 ? undefined : note.textContent();
    };
    const rewind: Rewind = { messageId: "m", what: "files", id: "r" };
    assert.equal(await noteOf({ ...rewind, underWay: "rewind" }), undefined);
    const paths = Array.from({ length: 12 }, (_, at) => `src/${at}.ts`);
    const interrupted = { in: "rewind" as const, done: ["a.ts"], left: paths };
    const cutOff = await noteOf({ ...rewind, interrupted });
    assert.match(
      cutOff ?? "",
      /^A rewind was interrupted when the editor ended\. Restored: a\.ts\. Not restored: src\/0/,
    );
    assert.match(cutOff ?? "", /src\/4\.ts and 7 more\./);
    assert.equal(await note.getByRole("button", { name: "Undo rewind", exact: true }).count(), 1);
    const undo = await noteOf({ ...rewind, interrupted: { in: "undo", done: ["a.ts"], left: [] } });
    assert.match(undo ?? "", /^The undo of a rewind was interrupted when the editor ended\. Restored: a\.ts\./);
    const branch = { agentId: "x", name: "tests" };
    const ofBranch = await noteOf({ ...rewind, branch, interrupted: { ...interrupted, left: [] } });
    assert.match(ofBranch ?? "", /^Undoing the changes of tests was interrupted/);
  });

  it("ask for the last answer again, once the host has removed it", async () => {
    const { log, main } = twoTurns();
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    const retry = page.getByRole("button", { name: "Retry", exact: true });
    assert.equal(await retry.count(), 1, "the last one alone");
    await retry.click();
    const asked = (await panel.intents()).findLast((intent) => intent.type === "rewind");
    assert.ok(asked?.type === "rewind");
    assert.equal(asked.isResend, true);
    const sent = async () => (await panel.intents()).filter((intent) => intent.type === "send");
    assert.deepEqual(await sent(), [], "not before the user has confirmed");
    const seq = log.lastSeq;
    log.host({ type: "rewind_changed", undoable: { messageId: asked.messageId, what: "both" } });
    await panel.post(log.since(seq));
    await panel.drawn();
    const attachments = [{ kind: "file", path: "src/auth.ts" }];
    assert.deepEqual(await sent(), [{ type: "send", text: "Second question", attachments, whenBusy: "queue" }]);
    assert.equal(await page.getByRole("textbox", { name: "Ask Agent" }).inputValue(), "");
  });

  it("take a message back into the composer once the host has rewound to it, in front of what is typed", async () => {
    const { log, main } = twoTurns();
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    const composer = page.getByRole("textbox", { name: "Ask Agent" });
    await composer.fill("half a thought");
    const second = page.getByRole("article", { name: "You" }).last();
    await second.getByRole("button", { name: "Edit and resend", exact: true }).click();
    const asked = (await panel.intents()).findLast((intent) => intent.type === "rewind");
    assert.ok(asked?.type === "rewind");
    assert.equal(asked.isResend, true);
    assert.equal(await composer.inputValue(), "half a thought", "not before the user has confirmed");
    const before = log.lastSeq;
    log.host({ type: "rewind_changed", undoable: { messageId: asked.messageId, what: "files" } });
    await panel.post(log.since(before));
    await panel.drawn();
    assert.equal(await composer.inputValue(), "half a thought", "not while the message stays in the conversation");
    const seq = log.lastSeq;
    log.host({ type: "rewind_changed", undoable: { messageId: asked.messageId, what: "both" } });
    await panel.post(log.since(seq));
    await panel.drawn();
    assert.equal(await composer.inputValue(), "Second question\nhalf a thought");
    await page.getByRole("button", { name: "Remove auth.ts" }).waitFor();
    assert.equal(await composer.evaluate((element) => element.ownerDocument.hasFocus()), true);
  });

  it("that undo something are not offered while agents run, nor for messages to another agent", async () => {
    const { log } = twoTurns();
    const panel = await show([log.chat()]);
    const you = panel.page.getByRole("article", { name: "You" }).first();
    await you.hover();
    assert.equal(await you.getByRole("button", { name: "Copy", exact: true }).count(), 1);
    assert.equal(await you.getByRole("button", { name: "Rewind to here" }).count(), 0);
    const child = await show("child");
    await child.page.getByRole("treeitem", { name: "tests" }).click();
    await child.drawn();
    assert.equal(await child.page.getByRole("button", { name: "Edit and resend" }).count(), 0);
  });

  it("leave a short question readable, and the buttons of code that an answer consists of free", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Go");
    log.answer(main, [text("Here it is.")]);
    log.answer(main, [text("```ts\nconst x = 1;\nconst y = 2;\n```")]);
    log.end(main, "done");
    const { page } = await show([log.chat()], { width: 280 });
    const words = page.getByText("Go", { exact: true });
    await words.hover();
    const bottom = await words.evaluate((element) => element.getBoundingClientRect().bottom);
    const actions = await page
      .getByRole("article", { name: "You" })
      .getByRole("button", { name: "Copy", exact: true })
      .boundingBox();
    assert.ok(actions !== null && actions.y > bottom - 6, `${actions?.y} is above ${bottom}`);
    await page.locator(".code-block").hover();
    for (const name of ["Apply as edit", "Insert at cursor", "Copy code"]) {
      // Fails where something else would be hit.
      await page.getByRole("button", { name, exact: true }).click({ trial: true, timeout: 5_000 });
    }
    await page
      .getByRole("article", { name: "main" })
      .last()
      .getByRole("button", { name: "Copy", exact: true })
      .click({ trial: true, timeout: 5_000 });
  });

  it("say what is missing of a text that is too long, and have the host show, copy and resend all of it", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "A long question");
    const chat = log.chat();
    assert.ok(chat.type === "chat");
    const [question] = chat.entries.flatMap((entry) =>
      "agent" in entry && entry.agent.type === "message_end" ? [entry.agent.message] : [],
    );
    assert.ok(question?.role === "user");
    const source = { agentId: main.id, id: question.id, part: 0 } as const;
    Object.assign(question.content[0] ?? {}, { omitted: { source, bytes: 58_200_000 } });
    const cut = { source: { ...source, id: "answer" }, bytes: 2_400_000 };
    log.answer(main, [Object.assign(text("Here it is:\n\n```ts\nconst x = 1;\n```"), { omitted: cut })]);
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    const asked = page.getByRole("article", { name: "You" });
    await asked.getByText("58.2 MB more").waitFor();
    await asked.getByRole("button", { name: "Show all", exact: true }).click();
    const answer = page.getByRole("article", { name: "main" });
    await answer.getByText("2.4 MB more").waitFor();
    assert.equal(await answer.getByRole("button", { name: "Copy code" }).count(), 0, "no code without its end");
    await asked.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    const seq = log.lastSeq;
    log.host({ type: "rewind_changed", undoable: { messageId: question.id, what: "both" } });
    await panel.post(log.since(seq));
    await panel.drawn();
    const about = ["showWhole", "copy", "copyMessage", "send", "composeMessage"];
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => about.includes(type)),
      [
        { type: "showWhole", source },
        { type: "copyMessage", agentId: main.id, messageId: question.id },
        { type: "composeMessage", agentId: main.id, messageId: question.id, isSent: true },
      ],
    );
  });

  it("say when a message is read that waits for sub-agents, and interrupt these", async () => {
    const log = recording();
    const main = log.agent("main");
    const children = [log.agent("explore", main), log.agent("edit", main)];
    log.host({ type: "queue_changed", items: [{ id: "q1", text: "first", kind: "steering" }] });
    const panel = await show([log.chat()]);
    await panel.page.getByText("Sends when its 2 agents return").waitFor();
    await panel.page.getByRole("button", { name: "Interrupt", exact: true }).click();
    const stopped = (await panel.intents()).flatMap((intent) => (intent.type === "stop" ? [intent.agentId] : []));
    assert.deepEqual(
      stopped,
      children.map(({ id }) => id),
    );
  });

  it("send any queued message now once the run is over", async () => {
    const log = recording();
    const main = log.agent("main");
    const items = [
      { id: "q1", text: "first", kind: "steering" as const },
      { id: "q2", text: "second", kind: "followUp" as const },
    ];
    log.host({ type: "queue_changed", items });
    log.end(main, "aborted");
    const panel = await show([log.chat()]);
    const sendNow = panel.page.getByRole("button", { name: "Send now", exact: true });
    await sendNow.nth(1).waitFor();
    await sendNow.first().click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "sendQueued", messageId: "q1" });
  });

  it("send a queued message now, take it back to edit it, or remove it", async () => {
    const panel = await show("queue");
    const queue = panel.page.getByRole("region", { name: "Queue", exact: true });
    assert.equal(await queue.getByRole("button", { name: "Send now", exact: true }).count(), 1, "one steers already");
    await queue.getByRole("button", { name: "Send now", exact: true }).click();
    await queue.getByRole("button", { name: "Edit", exact: true }).first().click();
    await queue.getByRole("button", { name: "Remove", exact: true }).last().click();
    assert.deepEqual((await panel.intents()).slice(-3), [
      { type: "sendQueued", messageId: "q2" },
      { type: "editQueued", messageId: "q1" },
      { type: "removeQueued", messageId: "q2" },
    ]);
  });

  it("show their words and when they are sent, each in its line", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    for (const name of ["one", "two"]) log.event(log.agent(name, main), { type: "agent_start" });
    const text = "What about the vouchers, which come before the taxes?";
    log.host({ type: "queue_changed", items: [{ id: "q1", text, kind: "steering" }] });
    const panel = await show([log.chat()]);
    await panel.page.setViewportSize({ width: 360, height: 700 });
    const queue = panel.page.getByRole("region", { name: "Queue", exact: true });
    const width = async (part: string) => (await queue.locator(part).boundingBox())?.width ?? 0;
    await queue.getByText("Sends when its 2 agents return").waitFor();
    assert.ok((await width(".queued-text")) > 200, `${await width(".queued-text")} px`);
    const isCut = await queue
      .locator(".queued-kind")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    assert.ok(!isCut, "When it is sent is cut off.");
  });

  it("name the sub-agent that gets a message by its title, as its row does", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    const explore = { ...log.agent("explore", main), label: "Audit the cart" };
    log.event(explore, { type: "agent_start" });
    log.host({
      type: "queue_changed",
      items: [{ id: "q1", text: "taxes too", kind: "steering", to: "explore", agentId: explore.id }],
    });
    const panel = await show([log.chat()]);
    const queue = panel.page.getByRole("region", { name: "Queue", exact: true });
    await queue.getByText("Audit the cart", { exact: true }).waitFor();
    assert.equal(await queue.getByText("explore", { exact: true }).count(), 0);
  });

  it("name the sub-agent that gets a message, whose text is not put into the composer", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    log.host({
      type: "queue_changed",
      items: [{ id: "q1", text: "taxes too", kind: "steering", to: "explore" }],
    });
    const panel = await show([log.chat()]);
    const queue = panel.page.getByRole("region", { name: "Queue", exact: true });
    await queue.getByText("explore", { exact: true }).waitFor();
    assert.equal(await queue.getByRole("button", { name: "Edit", exact: true }).count(), 0);
    await queue.getByRole("button", { name: "Remove", exact: true }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "removeQueued", messageId: "q1" });
  });
});
