import assert from "node:assert/strict";
import type { AgentTool } from "../../../src/agent/index.ts";
import { agentAfter } from "../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import { Chats } from "../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import { foldLog, interruptedWords } from "../../../src/extension/chat/restore/restoredChat.ts";
import type { ShownGrant } from "../../../src/protocol/grants.ts";
import { aborted, gate, said, tool } from "../../support/agents.ts";
import { user } from "../../support/events.ts";
import { type MemorySessions, memorySessions } from "../../support/memorySessions.ts";
import { call, calls, hang, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

/** The chats of one window; another window may have the same sessions. */
function windowWith(script: Script, options: { sessions?: MemorySessions; tools?: AgentTool[] } = {}) {
  const { model, streamFn, requests } = scriptedModel(script);
  const { sessions = memorySessions(), tools = [] } = options;
  const warnings: string[] = [];
  const chats = new Chats({
    sessions,
    createAgent: (chat) => agentAfter(chat.earlier, { name: "main", systemPrompt: "", model, streamFn, tools }),
    configure: () => {},
    noticeFor: runNotice,
    onActivity: () => {},
    warn: (message) => warnings.push(message),
  });
  return { chats, sessions, requests, warnings };
}

const stateOf = (chat: Chat) => foldLog(chat.log.entriesAfter(0) ?? []);
function rootOfChat(chat: Chat) {
  const { tree } = stateOf(chat);
  return tree.nodes[tree.roots[0] ?? ""];
}
const saidIn = (chat: Chat) => said(rootOfChat(chat)?.messages ?? []);

/** What a window leaves that ends in the middle of a run: the first session, as it was written so far. */
async function cutOff(script: Script, tools: AgentTool[], isReached: (chat: Chat) => boolean) {
  const before = windowWith(script, { tools });
  const chat = before.chats.create();
  const reached = gate();
  chat.log.onAppend(() => {
    if (isReached(chat)) reached.open();
  });
  void chat.send(user("u1", "Do it"), "queue");
  await reached.opened;
  const sessions = memorySessions();
  const id = await sessions.importFrom(await before.sessions.exportJson(chat.id));
  await before.chats.dispose();
  return { sessions, id };
}

describe("several chats", () => {
  it("stay open when what they were before is closed again after they were opened again", async () => {
    const { chats } = windowWith(() => ({ text: "answer" }));
    const before = chats.create();
    await before.send(user("u1", "Hello"), "queue");
    await chats.close(before);
    const again = await chats.open(before.id);
    await chats.close(before);
    assert.deepEqual(chats.all, [again]);
    await again.send(user("u2", "Hello again"), "queue");
    assert.equal(chats.find(before.id), again);
  });

  it("run at once, each with its own session", async () => {
    const gates = [gate(), gate()];
    const { chats, sessions } = windowWith((request, index) => ({
      text: `answer to ${request.messages.length} ${index}`,
      ...(gates[index] !== undefined && { until: gates[index].opened }),
    }));
    const [one, two] = [chats.create(), chats.create()];
    const ends = [one.send(user("u1", "one"), "queue"), two.send(user("u2", "two"), "queue")];
    while (!(one.isRunning && two.isRunning)) await new Promise(setImmediate);
    assert.equal(chats.activity.isRunning, true);
    for (const { open } of gates) open();
    await Promise.all(ends);
    assert.equal(chats.activity.isRunning, false);
    const titles = (await sessions.list()).map(({ title }) => title);
    assert.deepEqual(titles.sort(), ["one", "two"]);
  });

  it("stop the one agent whose id is given, in whichever of them it works", async () => {
    const { chats } = windowWith(() => ({ text: "never", until: new Promise<void>(() => {}) }));
    const [one, two] = [chats.create(), chats.create()];
    const first = one.send(user("u1", "one"), "queue");
    const second = two.send(user("u2", "two"), "queue");
    while (rootOfChat(one)?.status !== "running" || rootOfChat(two)?.status !== "running") {
      await new Promise(setImmediate);
    }
    await chats.stopAgent("no such agent");
    await chats.stopAgent(rootOfChat(one)?.meta.id ?? "");
    await first;
    assert.deepEqual([one.isRunning, two.isRunning], [false, true]);
    await chats.dispose();
    await second;
  });

  it("write each entry before it is emitted", async () => {
    const { chats, sessions } = windowWith([text("hello")]);
    const chat = chats.create();
    const unwritten: number[] = [];
    chat.log.onAppend(({ seq }) => {
      if (!sessions.written(chat.id).some((entry) => entry.seq === seq)) unwritten.push(seq);
    });
    await chat.send(user("u1", "hi"), "queue");
    assert.deepEqual(unwritten, []);
    assert.equal(sessions.written(chat.id).length, chat.log.lastSeq);
  });

  it("have no session before anything is said", async () => {
    const { chats, sessions } = windowWith([]);
    chats.create().notices.show({ id: "n", level: "info", text: "Set up a model.", actions: [] });
    assert.deepEqual(await sessions.list(), []);
  });

  it("go on with one warning when the session can't be written", async () => {
    const { chats, sessions, warnings } = windowWith([text("first"), text("second")]);
    sessions.fails = true;
    const chat = chats.create();
    assert.equal((await chat.send(user("u1", "one"), "queue")).text, "first");
    assert.equal((await chat.send(user("u2", "two"), "queue")).text, "second");
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /The disk is full/);
  });

  it("warn once in each chat when what is said can't be written, and the next window warns again", async () => {
    const { chats, sessions, warnings } = windowWith([text("hello")]);
    const chat = chats.create();
    await chat.send(user("u1", "hi"), "queue");
    chats.showTrouble("The disk is full.");
    chats.showTrouble("The disk is full.");
    assert.equal(warnings.length, 2);
    assert.deepEqual(
      stateOf(chat).host.notices.map(({ text: words }) => words),
      ["The disk is full."],
    );
    await chats.dispose();
    const next = windowWith([], { sessions });
    assert.deepEqual(stateOf(await next.chats.open(chat.id)).host.notices, []);
  });

  it("start empty where the one of before can't be opened, and say why if it should be there", async () => {
    const { chats, sessions, warnings } = windowWith([text("hello")]);
    const noticesOf = (chat: Chat) => stateOf(chat).host.notices.map(({ text: words }) => words);
    const neverSaid = await chats.openAgain("nothing was said in it");
    assert.deepEqual([neverSaid.hasMessages, noticesOf(neverSaid), warnings], [false, [], []]);
    const chat = chats.create();
    await chat.send(user("u1", "hi"), "queue");
    await chats.close(chat);
    const { open } = sessions;
    sessions.open = () => Promise.reject(new Error("The file can't be read."));
    assert.deepEqual(noticesOf(await chats.openAgain(chat.id)), ["The file can't be read."]);
    sessions.open = open;
    assert.equal((await chats.openAgain(chat.id)).title, "hi");
  });

  it("are one when they are opened twice, and come back from the session when they were closed", async () => {
    const { chats } = windowWith([text("hello"), text("again")]);
    const first = chats.create();
    await first.send(user("u1", "hi"), "queue");
    await chats.close(first);
    const [again, same] = await Promise.all([chats.open(first.id), chats.open(first.id)]);
    assert.equal(again, same);
    assert.deepEqual(saidIn(again), ["user: hi", "assistant: hello"]);
  });
});

describe("a restored chat", () => {
  it("goes on with its messages, its usage and its numbers", async () => {
    const first = windowWith([text("hello", { usage: { input: 10, output: 2 } })]);
    const chat = first.chats.create();
    await chat.send(user("u1", "hi"), "queue");
    await first.chats.dispose();
    const second = windowWith([text("still here", { usage: { input: 20, output: 3 } })], { sessions: first.sessions });
    const again = await second.chats.open(chat.id);
    await again.send(user("u2", "are you there?"), "queue");
    assert.deepEqual(
      second.requests[0]?.messages.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
    assert.deepEqual(saidIn(again), ["user: hi", "assistant: hello", "user: are you there?", "assistant: still here"]);
    assert.equal(rootOfChat(again)?.total.input, 30);
    const { tree } = stateOf(again);
    assert.deepEqual(tree.roots.length, 1);
    assert.equal(again.title, "hi");
    const seqs = first.sessions.written(chat.id).map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
      "every number once, and rising",
    );
  });

  it("can be rewound to a message of before, and that be undone", async () => {
    const first = windowWith([text("one"), text("two")]);
    const chat = first.chats.create();
    await chat.send(user("u1", "first"), "queue");
    await chat.send(user("u2", "second"), "queue");
    await first.chats.dispose();
    const { chats } = windowWith([], { sessions: first.sessions });
    const again = await chats.open(chat.id);
    const { messages: removed, after } = await again.rewindTo("u2");
    assert.deepEqual(saidIn(again), ["user: first", "assistant: one"]);
    await again.putBack(removed, after);
    assert.deepEqual(saidIn(again).slice(2), ["user: second", "assistant: two"]);
  });

  it("shows a run that was cut off as interrupted, and goes on with it by one click", async () => {
    const never = tool("wait", async (_, { signal }) => {
      await aborted(signal);
      return "stopped";
    });
    const quick = tool("look", "seen");
    const isWaiting = (chat: Chat) => {
      const tools = Object.values(rootOfChat(chat)?.tools ?? {});
      return tools.length === 2 && tools.some(({ status }) => status === "done");
    };
    const { sessions, id } = await cutOff([calls({ name: "look" }, { name: "wait" })], [never, quick], isWaiting);
    const { chats, requests } = windowWith([text("Done after all.")], { sessions, tools: [never, quick] });
    const chat = await chats.open(id);
    const root = rootOfChat(chat);
    assert.equal(root?.status, "aborted");
    assert.deepEqual(stateOf(chat).host.interrupted, [root?.meta.id]);
    assert.deepEqual(
      stateOf(chat).host.notices.map(({ text: words, actions }) => [words, actions]),
      [[interruptedWords(), ["resume"]]],
    );
    await chat.retry();
    const results = requests[0]?.messages.flatMap((message) =>
      message.role === "toolResult" ? [[message.toolName, message.isError]] : [],
    );
    assert.deepEqual(results, [
      ["look", false],
      ["wait", true],
    ]);
    assert.equal(saidIn(chat).at(-1), "assistant: Done after all.");
    assert.equal(rootOfChat(chat)?.status, "done");
    assert.deepEqual(stateOf(chat).host.notices, []);
  });

  it("keeps no half-written message and grants nothing that was asked", async () => {
    const { sessions, id } = await cutOff([hang({ text: "I beg" })], [], (chat) =>
      (rootOfChat(chat)?.messages ?? []).some(({ role }) => role === "assistant"),
    );
    const lastSeq = sessions.written(id).at(-1)?.seq ?? 0;
    const question = { id: "q", agentId: "main", agentPath: ["main"], callId: "c", text: "Which?", options: [] };
    sessions.written(id).push({ seq: lastSeq + 1, host: { type: "question_asked", question } });
    const queued = { id: "later", text: "and this", kind: "followUp" as const };
    sessions.written(id).push({ seq: lastSeq + 2, host: { type: "queue_changed", items: [queued] } });
    const grant: ShownGrant = { id: "g", kind: "edit", scope: "session", text: "all files" };
    sessions.written(id).push({ seq: lastSeq + 3, host: { type: "grants_changed", grants: [grant] } });
    const { chats } = windowWith([text("Here I am.")], { sessions });
    const chat = await chats.open(id);
    assert.deepEqual(saidIn(chat), ["user: Do it"]);
    const { questions, queue, grants } = stateOf(chat).host;
    assert.deepEqual([questions, queue, grants, chat.openQuestionCount], [[], [], [], 0]);
    await chat.retry();
    assert.deepEqual(saidIn(chat), ["user: Do it", "assistant: Here I am."]);
  });

  it("runs no command any more, and says how those ended that ran", async () => {
    const { sessions, id } = await cutOff([hang()], [], (chat) => chat.isRunning);
    const lastSeq = sessions.written(id).at(-1)?.seq ?? 0;
    const running = { agentId: "main", agentPath: ["main"], command: "npm run dev", startedAt: 1 };
    const commands = [
      { ...running, id: "r1", callId: "own" },
      { ...running, id: "r2", callId: "foreign", chatTitle: "Another chat" },
    ];
    sessions.written(id).push({ seq: lastSeq + 1, host: { type: "commands_changed", commands } });
    const chat = await windowWith([], { sessions }).chats.open(id);
    const { host } = stateOf(chat);
    assert.deepEqual([host.commands, host.commandOutcomes], [[], { own: { cause: "closed" } }]);
  });

  it("is interrupted, not stopped, when the window closes in the middle of its run", async () => {
    const first = windowWith([hang()]);
    const cut = first.chats.create();
    const end = cut.send(user("u1", "Do it"), "queue");
    while (!cut.isRunning) await new Promise(setImmediate);
    await first.chats.dispose();
    assert.equal((await end).reason, "aborted");
    const { chats } = windowWith([], { sessions: first.sessions });
    assert.equal((await chats.open(cut.id)).isInterrupted, true);
  });

  it("is not interrupted a second time when it is only opened again", async () => {
    const { sessions, id } = await cutOff([hang()], [], (chat) => chat.isRunning);
    for (let time = 0; time < 2; time++) {
      const { chats } = windowWith([], { sessions });
      const chat = await chats.open(id);
      assert.equal(stateOf(chat).host.notices.length, 1);
      await chats.dispose();
    }
    const ends = sessions.written(id).filter((entry) => "agent" in entry && entry.agent.type === "agent_end");
    assert.equal(ends.length, 1);
  });

  it("can only be read while another window has it", async () => {
    const first = windowWith([text("hello")]);
    const chat = first.chats.create();
    await chat.send(user("u1", "hi"), "queue");
    const { chats } = windowWith([], { sessions: first.sessions });
    const shown = await chats.open(chat.id);
    assert.equal(shown.isReadOnly, true);
    assert.deepEqual(
      stateOf(shown).host.notices.map(({ actions }) => actions),
      [["fork"]],
    );
    const { length } = first.sessions.written(chat.id);
    shown.notices.clear();
    assert.equal(first.sessions.written(chat.id).length, length);
  });

  it("brings the older part of a long chat page by page", async () => {
    const sessions = memorySessions();
    const first = windowWith([text("one"), text("two"), text("three")], { sessions });
    const chat = first.chats.create();
    for (const id of ["u1", "u2", "u3"]) await chat.send(user(id, id), "queue");
    await first.chats.dispose();
    const paged = memorySessions(12);
    const id = await paged.importFrom(await sessions.exportJson(chat.id));
    const { chats, requests } = windowWith([text("four")], { sessions: paged });
    const again = await chats.open(id);
    assert.equal(again.past?.hasEarlier, true);
    assert.doesNotMatch(saidIn(again).join(), /u1/);
    const heard: number[] = [];
    again.past?.onEarlier((entries) => heard.push(entries.length));
    while (again.past?.hasEarlier === true) await again.past.showEarlier();
    assert.equal(saidIn(again).length, 6);
    assert.ok(heard.length > 1);
    await again.send(user("u4", "u4"), "queue");
    assert.equal(requests[0]?.messages.length, 7, "the model was shown all of it");
  });
});

describe("opening a sub-agent that ended before the editor was opened", () => {
  it("reads its messages from the session", async () => {
    const sessions = memorySessions();
    const first = windowWith([call("look"), text("done")], { sessions, tools: [tool("look", "seen")] });
    const chat = first.chats.create();
    await chat.send(user("u1", "hi"), "queue");
    await first.chats.dispose();
    const { chats } = windowWith([], { sessions });
    const again = await chats.open(chat.id);
    const messages = await again.past?.messagesOf(rootOfChat(again)?.meta.id ?? "");
    assert.equal(messages?.length, 4);
  });
});
