import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/index.ts";
import { Chat } from "../../../src/extension/chat/chat.ts";
import { Panel } from "../../../src/extension/panel/panel.ts";
import { Panels } from "../../../src/extension/panel/panels.ts";
import type { HostMessage, Intent } from "../../../src/protocol/messages.ts";
import { user } from "../../support/events.ts";
import { panelStatus, receivedMessage } from "../../support/hostMessages.ts";
import { scriptedModel, text } from "../../support/scriptedModel.ts";

function newChat(): Chat {
  const { model, streamFn } = scriptedModel([text("hello")]);
  return new Chat({
    createAgent: () => new Agent({ name: "main", systemPrompt: "", model, streamFn }),
    configure: () => {},
    noticeFor: () => undefined,
    onActivity: () => {},
  });
}

function newPanel(chat = newChat()) {
  const carried: Intent[] = [];
  const turned: string[] = [];
  const warnings: string[] = [];
  let loads = 0;
  const panel = new Panel(chat, {
    status: () => panelStatus,
    onIntent: (intent) => carried.push(intent),
    suggest: async () => [],
    warn: (message) => warnings.push(message),
    reportFailure: assert.fail,
    onLoad: () => {
      loads++;
    },
    onTurn: (_panel, before) => turned.push(before.id),
  });
  const connect = () => {
    const posted: HostMessage[] = [];
    return { posted, page: panel.connect({ postMessage: (json) => posted.push(receivedMessage(json)) }) };
  };
  return { panel, carried, turned, warnings, connect, loads: () => loads };
}

const types = (messages: readonly HostMessage[]) => messages.map(({ type }) => type);
const chatIds = (messages: readonly HostMessage[]) =>
  messages.flatMap((message) => (message.type === "chat" ? [message.chatId] : []));

describe("a panel", () => {
  it("shows another chat at once while its page is up, else when the page says that it is", () => {
    const { panel, connect, turned } = newPanel();
    const first = panel.chat;
    const { posted, page } = connect();
    page.receive({ type: "ready" });
    const second = newChat();
    panel.show(second);
    panel.show(second);
    assert.deepEqual([chatIds(posted), turned], [[first.id, second.id], [first.id]]);
    page.hide();
    const third = newChat();
    panel.show(third);
    assert.equal(posted.length, 2);
    page.receive({ type: "ready", chatId: second.id, lastSeq: 0 });
    assert.deepEqual(chatIds(posted), [first.id, second.id, third.id]);
  });

  it("keeps words for a page that is not up, and forgets what that page would ask for on its own", () => {
    const { panel, connect } = newPanel();
    panel.send({ type: "compose", text: "later", attachments: [] });
    panel.send({ type: "history", query: "", items: [], hasMore: false });
    const { posted, page } = connect();
    page.receive({ type: "ready" });
    assert.deepEqual(types(posted), ["chat", "compose"]);
  });

  it("answers no page that is gone or that another one has replaced, but takes its last words", () => {
    const { panel, connect, carried } = newPanel();
    const before = connect();
    const { posted, page } = connect();
    before.page.receive({ type: "ready" });
    before.page.receive({ type: "draft", text: "half a sent" });
    panel.send({ type: "status", status: panelStatus });
    assert.deepEqual([before.posted, posted, carried.map(({ type }) => type)], [[], [], ["draft"]]);
    page.receive({ type: "ready" });
    panel.send({ type: "status", status: panelStatus });
    page.dispose();
    page.receive({ type: "ready" });
    panel.send({ type: "status", status: panelStatus });
    assert.deepEqual(types(posted), ["chat", "status"]);
  });

  it("distinguishes a page that is new from one that has only missed a post", () => {
    const { panel, connect, loads } = newPanel();
    const { page } = connect();
    page.receive({ type: "ready" });
    page.receive({ type: "ready", chatId: panel.chat.id, lastSeq: 0 });
    assert.equal(loads(), 1);
    connect().page.receive({ type: "ready", chatId: panel.chat.id });
    assert.equal(loads(), 2);
  });

  it("lets the page before say and hide nothing any more once another took its place", () => {
    const { panel, connect } = newPanel();
    const before = connect();
    before.page.receive({ type: "ready" });
    const now = connect();
    now.page.receive({ type: "ready" });
    before.page.hide();
    before.page.dispose();
    panel.send({ type: "focus", target: "composer" });
    assert.deepEqual(types(now.posted), ["chat", "focus"]);
    assert.deepEqual(types(before.posted), ["chat"]);
  });

  it("drops what is no intent, with a word in the log", () => {
    const { connect, carried, warnings } = newPanel();
    const { page } = connect();
    for (const raw of [
      undefined,
      "newChat",
      { type: "run" },
      { type: "openChat" },
      { type: "renameChat", chatId: "a", title: "" },
    ]) {
      page.receive(raw);
    }
    assert.deepEqual([carried, warnings.length], [[], 5]);
  });
});

describe("two panels on one chat", () => {
  it("both get what is said, live", async () => {
    const chat = newChat();
    const both = [newPanel(chat).connect(), newPanel(chat).connect()];
    for (const { page } of both) page.receive({ type: "ready" });
    await chat.send(user("u", "hi"), "queue");
    const heard = ({ posted }: { posted: HostMessage[] }) =>
      posted.some((message) => message.type === "entries" && JSON.stringify(message.entries).includes("hello"));
    while (!both.every(heard)) await new Promise(setImmediate);
    for (const { page } of both) page.dispose();
  });
});

describe("the panel that commands act on", () => {
  it("is the tab that is active, else the view", () => {
    const view = newPanel().panel;
    const panels = new Panels(view);
    const [one, two] = [newPanel().panel, newPanel().panel];
    panels.add(one);
    panels.add(two);
    assert.equal(panels.active, view);
    panels.setActive(one, true);
    panels.setActive(two, true);
    panels.setActive(one, false);
    assert.equal(panels.active, two);
    assert.equal(panels.shows(one.chat), true);
    panels.remove(two);
    assert.deepEqual([panels.active, panels.shows(two.chat), panels.all], [view, false, [view, one]]);
  });
});
