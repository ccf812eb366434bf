import assert from "node:assert/strict";
import { agentAfter } from "../../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../../src/extension/chat/chat.ts";
import { Chats } from "../../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../../src/extension/chat/notices.ts";
import { foldLog } from "../../../../src/extension/chat/restore/restoredChat.ts";
import { createHistoryActions } from "../../../../src/extension/panel/history/historyActions.ts";
import { HistoryBoard, listChats } from "../../../../src/extension/panel/history/historyList.ts";
import { dispatch } from "../../../../src/extension/panel/intents/intentHandlers.ts";
import { Panel } from "../../../../src/extension/panel/panel.ts";
import type { HistoryIntent } from "../../../../src/protocol/intents.ts";
import type { HostMessage } from "../../../../src/protocol/messages.ts";
import { gate, said } from "../../../support/agents.ts";
import { user } from "../../../support/events.ts";
import { panelStatus, receivedMessage } from "../../../support/hostMessages.ts";
import { type MemorySessions, memorySessions } from "../../../support/memorySessions.ts";
import { type Script, scriptedModel, text } from "../../../support/scriptedModel.ts";

/** A window with one panel whose page only takes notes. */
function windowWith(script: Script, sessions: MemorySessions = memorySessions()) {
  const { model, streamFn, requests } = scriptedModel(script);
  const chats = new Chats({
    sessions,
    createAgent: (chat) => agentAfter(chat.earlier, { name: "main", systemPrompt: "", model, streamFn }),
    configure: () => {},
    noticeFor: runNotice,
    // As the window does: what neither runs nor is shown is closed.
    onActivity: (chat) => {
      if (!chat.isRunning && panel.chat !== chat) void chats.close(chat);
    },
    warn: () => {},
  });
  const fail = (error: unknown) => {
    throw error;
  };
  const panel = new Panel(chats.create(), {
    status: () => panelStatus,
    onIntent: () => {},
    suggest: async () => [],
    warn: () => {},
    reportFailure: fail,
    onLoad: () => {},
    onTurn: () => {},
  });
  const posted: HostMessage[] = [];
  const page = panel.connect({ postMessage: (json) => posted.push(receivedMessage(json)) });
  page.receive({ type: "ready" });
  const composed: string[] = [];
  const tabs: Chat[] = [];
  const replayed: string[] = [];
  const notes: string[] = [];
  const { handlers, writable, forkAt } = createHistoryActions({
    chats,
    sessions,
    board: new HistoryBoard(
      async (query, limit) =>
        listChats({
          summaries: await sessions.list(),
          find: (id) => chats.find(id),
          withWords: new Set(),
          query,
          limit,
        }),
      fail,
    ),
    followRecording: async () => undefined,
    leaveRecording: () => undefined,
    openInEditor: (chat) => tabs.push(chat),
    leave: (chat) => {
      if (panel.chat === chat) panel.show(chats.create());
    },
    showInstead: (chat, next) => {
      if (panel.chat === chat) panel.show(next);
    },
    exportChat: async () => {},
    readImport: async () => undefined,
    compose: (_panel, words) => composed.push(words),
    showFile: fail,
    replay: async (chatId) => void replayed.push(chatId),
    notify: (text) => notes.push(text),
    closeUnused: () => {},
  });
  const act = (intent: HistoryIntent) => dispatch(handlers, intent, panel);
  const listed = () => posted.flatMap((message) => (message.type === "history" ? [message.items] : [])).at(-1) ?? [];
  return { chats, sessions, panel, act, writable, listed, composed, requests, tabs, forkAt, replayed, notes };
}

function saidIn(chat: Chat): string[] {
  const { tree } = foldLog(chat.log.entriesAfter(0) ?? []);
  return said(tree.nodes[tree.roots[0] ?? ""]?.messages ?? []);
}

const list: HistoryIntent = { type: "listHistory", query: "", limit: 10 };

describe("the history's actions", () => {
  it("list chats with their status, and again with each change until the list is closed", async () => {
    const open = gate();
    const { panel, act, listed, chats } = windowWith([text("hello", { until: open.opened }), text("again")]);
    const run = panel.chat.send(user("u1", "First words"), "queue");
    while (!panel.chat.isRunning) await new Promise(setImmediate);
    await act(list);
    assert.deepEqual(
      listed().map(({ title, state }) => [title, state]),
      [["First words", "running"]],
    );
    open.open();
    await run;
    await act({ type: "renameChat", chatId: panel.chat.id, title: "Other words" });
    while (listed()[0]?.title !== "Other words") await new Promise(setImmediate);
    assert.equal(listed()[0]?.state, "idle");
    await act({ type: "closeHistory" });
    await chats.dispose();
  });

  it("say that a chat waits as long as it needs an answer", async () => {
    const { panel, act, listed } = windowWith([text("hello")]);
    const { chat } = panel;
    await chat.send(user("u1", "hi"), "queue");
    const question = { id: "q", agentId: "main", agentPath: ["main"], callId: "c", text: "Which?", options: [] };
    const stateNow = async () => {
      await act(list);
      return listed()[0]?.state;
    };
    chat.emit({ type: "question_asked", question });
    assert.equal(await stateNow(), "waiting");
    chat.emit({ type: "question_answered", questionId: "q", answer: "this" });
    assert.equal(await stateNow(), "idle");
  });

  it("rename a chat that is not open, too", async () => {
    const { chats, panel, act, listed } = windowWith([text("hello")]);
    const chat = panel.chat;
    await chat.send(user("u1", "hi"), "queue");
    panel.show(chats.create());
    await chats.close(chat);
    await act({ type: "renameChat", chatId: chat.id, title: "Greeting" });
    await act(list);
    assert.equal(listed()[0]?.title, "Greeting");
    await act({ type: "openChat", chatId: chat.id });
    assert.equal(panel.chat.title, "Greeting");
  });

  it("delete a chat that runs and is shown, and give it back as interrupted", async () => {
    const { panel, act, listed } = windowWith([{ hang: true }]);
    const { chat } = panel;
    const run = chat.send(user("u1", "hi"), "queue");
    while (!chat.isRunning) await new Promise(setImmediate);
    await act(list);
    await act({ type: "deleteChat", chatId: chat.id });
    assert.equal((await run).reason, "aborted");
    assert.notEqual(panel.chat, chat);
    await act(list);
    assert.deepEqual(listed(), []);
    await act({ type: "restoreChat", chatId: chat.id });
    await act(list);
    assert.deepEqual(
      listed().map(({ id, state }) => [id, state]),
      [[chat.id, "interrupted"]],
    );
  });

  it("fork before a message: the copy has what stood before, and the composer its words", async () => {
    const { panel, act, composed, requests } = windowWith([text("one"), text("two"), text("other")]);
    const original = panel.chat;
    await original.send(user("u1", "first"), "queue");
    await original.send(user("u2", "second"), "queue");
    await act({ type: "forkChat", messageId: "u2" });
    const copy = panel.chat;
    assert.notEqual(copy.id, original.id);
    assert.deepEqual(saidIn(copy), ["user: first", "assistant: one"]);
    assert.deepEqual([copy.title, composed, copy.isInterrupted], ["first (fork)", ["second"], false]);
    await copy.send(user("u3", "third"), "queue");
    assert.equal(requests.at(-1)?.messages.length, 3);
    assert.equal(saidIn(original).length, 4, "the original is as it was");
  });

  it("fork: what is said in the copy is in its session", async () => {
    const { panel, act, chats } = windowWith([text("one"), text("two"), text("other")]);
    await panel.chat.send(user("u1", "first"), "queue");
    await panel.chat.send(user("u2", "second"), "queue");
    await act({ type: "forkChat", messageId: "u2" });
    const { id } = panel.chat;
    await panel.chat.send(user("u3", "third"), "queue");
    await chats.close(panel.chat);
    const again = await chats.open(id);
    assert.deepEqual(saidIn(again), ["user: first", "assistant: one", "user: third", "assistant: other"]);
    assert.equal(again.title, "first (fork)");
  });

  it("fork before the first message: an empty chat with its words", async () => {
    const { panel, act, composed } = windowWith([text("one")]);
    await panel.chat.send(user("u1", "first"), "queue");
    await act({ type: "forkChat", messageId: "u1" });
    assert.deepEqual([panel.chat.hasMessages, composed], [false, ["first"]]);
  });

  it("fork at a moment: after a run all of it, in the middle of one what stood before, which they say", async () => {
    const { panel, act, composed, forkAt, notes, replayed, chats } = windowWith([
      text("one"),
      text("two"),
      text("three"),
    ]);
    const { chat } = panel;
    await chat.send(user("u1", "first"), "queue");
    const afterFirst = chat.log.lastSeq;
    await chat.send(user("u2", "second"), "queue");
    await act({ type: "replayChat" });
    await act({ type: "replayChat", chatId: chat.id });
    assert.deepEqual(replayed, [chat.id, chat.id]);
    await forkAt(panel, chat.id, afterFirst);
    assert.notEqual(panel.chat, chat);
    const first = ["user: first", "assistant: one"];
    assert.deepEqual([saidIn(panel.chat), composed, notes], [first, [], []]);
    const second = (chat.log.entriesAfter(0) ?? []).find(
      (entry) => "agent" in entry && entry.agent.type === "message_end" && entry.agent.message.id === "u2",
    );
    await forkAt(panel, chat.id, second?.seq ?? 0);
    assert.deepEqual([saidIn(panel.chat), composed, panel.chat.isInterrupted], [first, ["second"], false]);
    assert.equal(notes.length, 1);
    await forkAt(panel, chat.id, afterFirst - 2);
    assert.deepEqual([panel.chat.hasMessages, composed.at(-1)], [false, "first"]);
    await assert.rejects(forkAt(panel, chat.id, 0), /nothing to fork/);
    await assert.rejects(act({ type: "replayChat" }), /nothing to replay/);
    await chats.dispose();
  });

  it("fork all of a chat while it runs: the copy rests", async () => {
    const { panel, act, chats } = windowWith([{ hang: true }]);
    void panel.chat.send(user("u1", "first"), "queue");
    while (!panel.chat.isRunning) await new Promise(setImmediate);
    await act({ type: "forkChat" });
    assert.deepEqual([panel.chat.isRunning, panel.chat.isInterrupted], [false, false]);
    assert.equal(chats.activity.isRunning, true);
    await chats.dispose();
  });

  it("refuse to fork or export where nothing was said", async () => {
    const { act } = windowWith([]);
    await assert.rejects(act({ type: "forkChat" }), /nothing to fork/);
    await assert.rejects(act({ type: "exportChat" }), /nothing to export/);
  });

  it("go on in the session when the other window has let it go, else in a copy", async () => {
    const first = windowWith([text("hello")]);
    const { id } = first.panel.chat;
    await first.panel.chat.send(user("u1", "hi"), "queue");
    for (const isClosedElsewhere of [false, true]) {
      const second = windowWith([text("hi again")], first.sessions);
      await second.act({ type: "openChat", chatId: id });
      const shown = second.panel.chat;
      await assert.rejects(shown.rewindTo("u1"), /another window/);
      if (isClosedElsewhere) await first.chats.dispose();
      const next = await second.writable(shown);
      assert.equal(second.panel.chat, next);
      assert.deepEqual([next.isReadOnly, next.id === id], [false, isClosedElsewhere]);
      await second.chats.dispose();
    }
  });

  it("open a chat in an editor without turning the panel", async () => {
    const { panel, act, tabs } = windowWith([]);
    const { chat } = panel;
    await act({ type: "openInEditor" });
    assert.deepEqual([tabs, panel.chat], [[chat], chat]);
  });
});
