import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { AgentRegistry, type AgentTree } from "../../../src/agent/index.ts";
import { agentAfter } from "../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import { Chats } from "../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import { takenMessages } from "../../../src/extension/chat/restore/openSession.ts";
import { foldLog, type RestoredChat } from "../../../src/extension/chat/restore/restoredChat.ts";
import { chatMarkdown } from "../../../src/extension/panel/history/historyActions.ts";
import type { SessionStorage } from "../../../src/extension/sessions/session.ts";
import { openSessionStorage } from "../../../src/extension/sessions/storage.ts";
import { said } from "../../support/agents.ts";
import { user } from "../../support/events.ts";
import { call, hang, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

const asked = { id: "q1", agentPath: ["main"], callId: "c", text: "Which?", options: [] };

describe("chats on disk", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A window; the next one on the same folder comes when this one has gone. */
  function windowWith(script: Script, page?: { bytes: number; entries: number }) {
    const { model, streamFn, requests } = scriptedModel(script);
    const troubles: string[] = [];
    const restored: RestoredChat[] = [];
    const looks: (() => void)[] = [];
    const returned: Chat[] = [];
    const reads: string[] = [];
    const sessions: SessionStorage = openSessionStorage({
      folder,
      onTrouble: (message) => troubles.push(message),
      ...(page !== undefined && { page }),
      snapshotEvery: { bytes: 1_000_000, entries: 30, maxShare: 1 },
    });
    const readNew = sessions.readNew.bind(sessions);
    const chats = new Chats({
      sessions: Object.assign(sessions, {
        readNew(id: string, from: number) {
          reads.push(id);
          return readNew(id, from);
        },
      }),
      createAgent(chat) {
        const registry = new AgentRegistry();
        registry.register({ name: "explore", description: "Looks around." }, () => ({ instructions: "Explore." }));
        return agentAfter(chat.earlier, { name: "main", instructions: "Main.", model, streamFn, registry });
      },
      configure: () => {},
      noticeFor: runNotice,
      onActivity: () => {},
      onReturn: (chat) => returned.push(chat),
      onOpen: (_chat, from) => restored.push(from),
      warn: (message) => troubles.push(message),
      repeatedly(look) {
        looks.push(look);
        return { dispose: () => void looks.splice(looks.indexOf(look), looks.includes(look) ? 1 : 0) };
      },
    });
    const requested = async (count: number) => {
      while (requests.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    return { chats, sessions, requests, requested, troubles, restored, looks, returned, reads };
  }

  const treeOf = (chat: Chat): AgentTree => foldLog(chat.log.entriesAfter(0) ?? []).tree;
  const rootOfChat = (chat: Chat) => treeOf(chat).nodes[treeOf(chat).roots[0] ?? ""];
  const delegate = call("delegate_to_agent", { agent: "explore", task: "Look into a.ts", context: "" }, "d1");
  /** What the panel shows of each agent. */
  const shownOf = (tree: AgentTree) =>
    Object.values(tree.nodes).map(({ meta, status, own, total, tools }) => ({ meta, status, own, total, tools }));

  it("come back with the same tree, the same words and the same figures", async () => {
    const first = windowWith([
      { ...delegate, usage: { input: 10, output: 1 } },
      text("It is in line 3.", { usage: { input: 20, output: 2 } }),
      text("Line 3.", { usage: { input: 30, output: 3 } }),
    ]);
    const chat = first.chats.create();
    await chat.send(user("u1", "Where is it?"), "queue");
    const before = treeOf(chat);
    await first.chats.dispose();

    const second = windowWith([]);
    const again = await second.chats.open(chat.id);
    assert.deepEqual(shownOf(treeOf(again)), shownOf(before));
    assert.deepEqual(
      said(rootOfChat(again)?.messages ?? []),
      said(before.nodes[before.roots[0] ?? ""]?.messages ?? []),
    );
    const child = Object.values(before.nodes).find(({ meta }) => meta.depth === 1);
    assert.ok(child !== undefined);
    assert.equal(again.transcriptOf(child.meta.id), undefined, "a sub-agent's words are not in memory");
    assert.deepEqual(await again.past?.messagesOf(child.meta.id), child.messages);
    assert.match(await chatMarkdown(again), /^# Where is it\?\n\n## User\n\nWhere is it\?\n.*## Agent\n\nLine 3\.\n$/s);
    assert.deepEqual([...first.troubles, ...second.troubles], []);
    await second.chats.dispose();
  });

  it("keep what was being said when the window was closed, and do not take it for an answer", async () => {
    const first = windowWith([
      { text: "As far as it came", calls: [{ name: "read_file" }], hang: true },
      text("Whole."),
    ]);
    const chat = first.chats.create();
    const isSaid = new Promise<void>((resolve) => {
      chat.log.onAppend((entry) => {
        if ("agent" in entry && entry.agent.type === "message_update" && entry.agent.delta.type === "toolcall_end")
          resolve();
      });
    });
    void chat.send(user("u1", "Tell me"), "queue");
    await isSaid;
    await first.chats.dispose();

    const second = windowWith([text("Whole.")]);
    const again = await second.chats.open(chat.id);
    assert.deepEqual(said(rootOfChat(again)?.messages ?? []), ["user: Tell me", "assistant: As far as it came"]);
    assert.equal(rootOfChat(again)?.status, "aborted");
    assert.equal(again.isInterrupted, true);
    await again.send(user("u2", "Once more"), "queue");
    assert.equal(
      second.requests[0]?.messages.some(({ role }) => role === "assistant"),
      false,
    );
    assert.deepEqual([...first.troubles, ...second.troubles], []);
    await second.chats.dispose();
  });

  it("keep a rewind, and restore what it removed after the window was opened again", async () => {
    const first = windowWith([text("one"), text("two")]);
    const chat = first.chats.create();
    await chat.send(user("u1", "first"), "queue");
    await chat.send(user("u2", "second"), "queue");
    await chat.rewindTo("u2");
    chat.emit({ type: "rewind_changed", undoable: { messageId: "u2", what: "conversation" } });
    await first.chats.dispose();

    const second = windowWith([text("three")]);
    const again = await second.chats.open(chat.id);
    assert.deepEqual(said(rootOfChat(again)?.messages ?? []), ["user: first", "assistant: one"]);
    const rewind = second.restored[0]?.rewinds[0];
    assert.ok(rewind !== undefined);
    assert.deepEqual([rewind.messageId, rewind.what], ["u2", "conversation"]);
    await again.putBack(await takenMessages(second.sessions, again, rewind));
    assert.equal((await second.sessions.list()).length, 1, "the copy is gone");
    assert.equal(rootOfChat(again)?.messages.length, 4);
    await second.chats.dispose();

    const third = windowWith([text("three")]);
    const last = await third.chats.open(chat.id);
    await last.send(user("u3", "third"), "queue");
    assert.deepEqual(
      third.requests[0]?.messages.map((message) => (message.role === "user" ? message.id : message.role)),
      ["u1", "assistant", "u2", "assistant", "u3"],
    );
    await third.chats.dispose();
  });

  it("can only be read in a second window, until the first closes it", async () => {
    const first = windowWith([text("one")]);
    const chat = first.chats.create();
    await chat.send(user("u1", "first"), "queue");
    const second = windowWith([text("two")]);
    const shown = await second.chats.open(chat.id);
    assert.equal(shown.isReadOnly, true);
    assert.deepEqual(said(rootOfChat(shown)?.messages ?? []), ["user: first", "assistant: one"]);
    await first.chats.dispose();
    await second.chats.close(shown);
    const own = await second.chats.open(chat.id);
    assert.equal(own.isReadOnly, false);
    assert.equal((await own.send(user("u2", "second"), "queue")).text, "two");
    await second.chats.dispose();
  });

  describe("in a second window", () => {
    /** Looks for what the first window wrote, until it is there. */
    async function heard(second: ReturnType<typeof windowWith>, isThere: () => boolean): Promise<void> {
      while (!isThere()) {
        for (const look of [...second.looks]) look();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const saidIn = (chat: Chat) => said(rootOfChat(chat)?.messages ?? []);

    it("show what is said in the first, when it is said, and what is rewound there", async () => {
      const first = windowWith([text("one"), text("two"), text("three")]);
      const chat = first.chats.create();
      await chat.send(user("u1", "first"), "queue");
      const second = windowWith([]);
      const shown = await second.chats.open(chat.id);
      await chat.send(user("u2", "second"), "queue");
      chat.rename("A name");
      const id = rootOfChat(chat)?.meta.id ?? "";
      chat.emit({ type: "plan_changed", agentId: id, items: [{ text: "Read", status: "pending" }] });
      chat.emit({ type: "question_asked", question: { ...asked, agentId: id } });
      await heard(second, () => shown.title === "A name" && saidIn(shown).length === 4);
      assert.deepEqual(saidIn(shown), ["user: first", "assistant: one", "user: second", "assistant: two"]);
      const state = () => foldLog(shown.log.entriesAfter(0) ?? []).host;
      await heard(second, () => state().plans[id] !== undefined);
      assert.deepEqual(state().questions, [], "what waits for an answer waits in the first");
      const notices = () => state().notices.map(({ text }) => text);
      assert.match(notices().join(), /main waits for your answer: Which\? Answer in the window/);
      chat.emit({ type: "question_answered", questionId: asked.id, answer: "This" });
      await heard(second, () => notices().length === 1);
      assert.equal(rootOfChat(shown)?.status, "done");
      assert.deepEqual(shown.transcriptOf(id)?.messages.length, 4);

      await chat.rewindTo("u2");
      await heard(second, () => saidIn(shown).length === 2);
      assert.deepEqual(shown.transcriptOf(id)?.messages.length, 2);
      await chat.send(user("u3", "third"), "queue");
      await heard(second, () => saidIn(shown).length === 4);
      assert.deepEqual(saidIn(shown).slice(2), ["user: third", "assistant: three"]);
      assert.deepEqual(treeOf(shown), treeOf(await windowWith([]).chats.open(chat.id)), "as if opened now");
      await second.chats.dispose();
      await first.chats.dispose();
    });

    it("show an answer while it is said in the first, from wherever it is", async () => {
      const first = windowWith([{ text: "As far as it came", hang: true }]);
      const chat = first.chats.create();
      const early = windowWith([]);
      void chat.send(user("u1", "Tell me"), "queue");
      await first.requested(1);
      const shown = await early.chats.open(chat.id);
      await heard(early, () => saidIn(shown)[1] === "assistant: As far as it came");
      const late = windowWith([]);
      const shownLate = await late.chats.open(chat.id);
      assert.deepEqual(saidIn(shownLate), saidIn(shown));
      await heard(late, () => late.reads.length > 2);
      assert.deepEqual(saidIn(shownLate), ["user: Tell me", "assistant: As far as it came"], "and once only");
      await first.chats.dispose();
      await heard(early, () => rootOfChat(shown)?.status === "aborted");
      assert.deepEqual(saidIn(shown), ["user: Tell me", "assistant: As far as it came"]);
      for (const { chats } of [early, late]) await chats.dispose();
    });

    it("show a run that goes on in the first, and its end when that window goes away", async () => {
      const first = windowWith([text("one"), hang()]);
      const chat = first.chats.create();
      await chat.send(user("u1", "first"), "queue");
      void chat.send(user("u2", "second"), "queue");
      await first.requested(2);
      const second = windowWith([]);
      const shown = await second.chats.open(chat.id);
      assert.equal(rootOfChat(shown)?.status, "running");
      await assert.rejects(shown.stop(), /open in another window/);
      await first.chats.dispose();
      const notice = () => foldLog(shown.log.entriesAfter(0) ?? []).host.notices.at(-1);
      await heard(second, () => shown.isClosedElsewhere);
      assert.match(notice()?.text ?? "", /^The other window has closed this chat/);
      assert.equal(rootOfChat(shown)?.status, "running", "it may only be reloaded");
      await heard(second, () => rootOfChat(shown)?.status === "aborted");
      assert.deepEqual(notice()?.actions, ["continueHere"]);
      await assert.rejects(shown.retry(), /Continue here/);
      await second.chats.dispose();
    });

    it("are followed further when the first window was only reloaded, and opened again when it was away for longer", async () => {
      const first = windowWith([text("one"), text("two")]);
      const chat = first.chats.create();
      await chat.send(user("u1", "first"), "queue");
      const second = windowWith([]);
      const shown = await second.chats.open(chat.id);
      await first.chats.close(chat);
      await heard(second, () => shown.isClosedElsewhere);
      const reloaded = await first.chats.open(chat.id);
      await heard(second, () => !shown.isClosedElsewhere);
      await reloaded.send(user("u2", "second"), "queue");
      await heard(second, () => saidIn(shown).length === 4);
      assert.deepEqual(second.returned, []);

      await first.chats.close(reloaded);
      const before = second.reads.length;
      await heard(second, () => second.reads.length > before + 10);
      const later = await first.chats.open(chat.id);
      await heard(second, () => second.returned.length > 0);
      assert.deepEqual([second.returned, second.looks], [[shown], []]);
      await later.dispose();
      await second.chats.dispose();
      await first.chats.dispose();
    });

    it("say when the first window has deleted them, and when it has restored them", async () => {
      const first = windowWith([text("one")]);
      const chat = first.chats.create();
      await chat.send(user("u1", "first"), "queue");
      const second = windowWith([]);
      const shown = await second.chats.open(chat.id);
      const notice = () => foldLog(shown.log.entriesAfter(0) ?? []).host.notices.at(-1)?.text ?? "";
      await assert.rejects(second.sessions.remove(chat.id), /open in another window/);
      await first.chats.close(chat);
      await first.sessions.remove(chat.id);
      await heard(second, () => notice().startsWith("This chat was deleted in another window"));
      await first.sessions.restore(chat.id);
      await heard(second, () => notice().startsWith("The other window has closed this chat"));
      await second.chats.dispose();
      await first.chats.dispose();
    });

    it("are looked at no more once they are closed", async () => {
      const first = windowWith([text("one")]);
      const chat = first.chats.create();
      await chat.send(user("u1", "first"), "queue");
      const second = windowWith([]);
      const shown = await second.chats.open(chat.id);
      assert.equal(second.looks.length, 1);
      await second.chats.close(shown);
      assert.equal(second.looks.length, 0);
      await first.chats.dispose();
    });
  });

  it("fork, export and import with all that was said", async () => {
    const first = windowWith([text("one"), text("two")]);
    const chat = first.chats.create();
    await chat.send(user("u1", "first"), "queue");
    const { id } = chat;
    const copy = await first.chats.open(await first.sessions.fork(id), { isCopy: true });
    await copy.send(user("u2", "second"), "queue");
    assert.equal(rootOfChat(copy)?.messages.length, 4);
    const imported = await first.chats.open(await first.sessions.importFrom(await first.sessions.exportJson(copy.id)));
    assert.deepEqual(said(rootOfChat(imported)?.messages ?? []), said(rootOfChat(copy)?.messages ?? []));
    assert.equal(rootOfChat(chat)?.messages.length, 2);
    await first.chats.dispose();
  });

  it("open a long chat by its last page, with all of it for the model", async () => {
    const replies = Array.from({ length: 12 }, (_, index) => text(`answer ${index}`));
    const first = windowWith(replies);
    const chat = first.chats.create();
    for (let index = 0; index < 12; index++) await chat.send(user(`u${index}`, `question ${index}`), "queue");
    const whole = said(rootOfChat(chat)?.messages ?? []);
    await first.chats.dispose();

    const second = windowWith([text("last")], { bytes: 1_000_000, entries: 30 });
    const again = await second.chats.open(chat.id);
    assert.equal(again.past?.hasEarlier, true);
    assert.equal(again.title, "question 0");
    assert.ok((rootOfChat(again)?.messages.length ?? 0) < whole.length);
    while (again.past?.hasEarlier === true) await again.past.showEarlier();
    assert.deepEqual(said(rootOfChat(again)?.messages ?? []), whole);
    await again.send(user("u99", "and now?"), "queue");
    assert.equal(second.requests[0]?.messages.length, 25);
    await second.chats.dispose();
  });
});
