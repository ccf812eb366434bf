import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/index.ts";
import { Chat, type ChatDependencies } from "../../../src/extension/chat/chat.ts";
import { Conversation } from "../../../src/extension/chat/conversation.ts";
import { noticeOf } from "../../../src/extension/chat/notices.ts";
import type { Attachment } from "../../../src/protocol/attachments.ts";
import { attachmentSources } from "../../support/attachmentSources.ts";
import { hang, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

/** A conversation whose messages wait at a gate before they reach the agent. */
function arrange(
  script: Script = [text("one"), text("two")],
  { beforeSend, drafts }: Pick<ChatDependencies, "beforeSend" | "drafts"> = {},
) {
  const { model, streamFn, requests } = scriptedModel(script);
  const chat = new Chat({
    createAgent: () => new Agent({ name: "main", model, streamFn }),
    configure: () => {},
    noticeFor: () => undefined,
    onActivity: () => {},
    ...(beforeSend && { beforeSend }),
    ...(drafts && { drafts }),
  });
  const gate = Promise.withResolvers<undefined>();
  const given: [string, readonly Attachment[]][] = [];
  const conversation = new Conversation({
    chat: () => chat,
    startNew: () => {},
    sources: attachmentSources(),
    model: () => ({ label: "Model" }),
    settingsWrites: () => undefined,
    findModelProblem: () => gate.promise,
    returnToComposer: (words, attachments) => given.push([words, attachments]),
  });
  return { chat, conversation, requests, given, open: () => gate.resolve(undefined) };
}

describe("a stop before a run has started", () => {
  it("keeps it from starting, and gives the words back", async () => {
    const { chat, conversation, requests, given, open } = arrange();
    const sending = conversation.send("Do it", [], "queue");
    await chat.stop();
    open();
    assert.deepEqual(await sending, { reason: "aborted", text: "" });
    assert.deepEqual(given, [["Do it", []]]);
    assert.equal(requests.length, 0);
  });

  it("means what was said before it alone", async () => {
    const { chat, conversation, requests, open } = arrange();
    await chat.stop();
    open();
    assert.equal((await conversation.send("Do it", [], "queue"))?.text, "one");
    assert.equal(requests.length, 1);
  });

  it("of one agent leaves what is about to be sent alone", async () => {
    const { chat, conversation, given, open } = arrange();
    const sending = conversation.send("Do it", [], "queue");
    await chat.stop("somebody");
    open();
    assert.equal((await sending)?.text, "one");
    assert.deepEqual(given, []);
  });
});

/** A run is at work, and a message that can be withdrawn waits for its end. */
async function withQueued({ chat, conversation, requests, open }: ReturnType<typeof arrange>) {
  open();
  const first = conversation.send("Do it", [], "queue");
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const withdrawn = new AbortController();
  const second = conversation.send("And that", [], "queue", withdrawn.signal);
  while (!chat.host.queue.some(({ kind }) => kind === "followUp"))
    await new Promise((resolve) => setImmediate(resolve));
  return { first, second, withdrawn };
}

describe("a message that is withdrawn by its sender", () => {
  it("stops the run that works on it, and none that comes later", async () => {
    const { conversation, requests, open } = arrange([hang(), text("two")]);
    open();
    const withdrawn = new AbortController();
    const sending = conversation.send("Do it", [], "queue", withdrawn.signal);
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    withdrawn.abort();
    assert.equal((await sending)?.reason, "aborted");
    assert.equal((await conversation.send("Do that", [], "queue", new AbortController().signal))?.text, "two");
  });

  it("leaves the queue, and the run that it waited for goes on", async () => {
    const gate = Promise.withResolvers<void>();
    const session = arrange([text("one", { until: gate.promise })]);
    const { chat, requests } = session;
    const { first, second, withdrawn } = await withQueued(session);
    withdrawn.abort();
    assert.deepEqual(await second, { reason: "aborted", text: "" });
    assert.deepEqual(chat.host.queue, []);
    gate.resolve();
    assert.equal((await first)?.text, "one");
    assert.equal(requests.length, 1);
  });

  it("stops the run that has taken it out of the queue", async () => {
    const gate = Promise.withResolvers<void>();
    const session = arrange([text("one", { until: gate.promise }), hang()]);
    const { requests } = session;
    const { first, second, withdrawn } = await withQueued(session);
    gate.resolve();
    while (requests.length === 1) await new Promise((resolve) => setImmediate(resolve));
    withdrawn.abort();
    assert.equal((await second)?.reason, "aborted");
    assert.equal((await first)?.reason, "aborted");
  });

  it("leaves the run alone where the user took it out of the queue", async () => {
    const gate = Promise.withResolvers<void>();
    const session = arrange([text("one", { until: gate.promise })]);
    const { chat } = session;
    const { first, second, withdrawn } = await withQueued(session);
    chat.removeQueued(chat.host.queue[0]?.id ?? "");
    withdrawn.abort();
    assert.deepEqual(await second, { reason: "aborted", text: "" });
    gate.resolve();
    const { reason, text: said } = (await first) ?? {};
    assert.deepEqual([reason, said], ["done", "one"]);
  });

  it("is not sent at all where that comes first", async () => {
    const { conversation, requests, open } = arrange();
    const sending = conversation.send("Do it", [], "queue", AbortSignal.abort());
    open();
    assert.deepEqual(await sending, { reason: "aborted", text: "" });
    assert.equal(requests.length, 0);
  });
});

describe("a message that no agent has yet", () => {
  const shown = ({ host: { queue } }: Chat) => queue.map(({ kind, text }) => [kind, text]);
  const sources = { of: () => undefined };

  it("is shown at once, and no more as waiting once it is in the conversation", async () => {
    const { chat, conversation, open } = arrange();
    const sending = conversation.send("Do it", [], "queue");
    assert.deepEqual(shown(chat), [["held", "Do it"]]);
    open();
    assert.equal((await sending)?.text, "one");
    assert.deepEqual(shown(chat), []);
  });

  it("closes the notices that the user saw when they sent it, and none that came since", async () => {
    const { chat, conversation, open } = arrange();
    chat.notices.show(noticeOf("warning", { text: "before", actions: [] }));
    // As of the chat's file, which is written with what waits.
    const sending = conversation.send("Do it", [], "queue");
    chat.notices.show(noticeOf("warning", { text: "since", actions: [] }));
    open();
    await sending;
    assert.deepEqual(
      chat.host.notices.map(({ text: words }) => words),
      ["since"],
    );
  });

  it("is in the composer again after a stop while something is asked, and is not sent whatever the answer", async () => {
    const asked = Promise.withResolvers<void>();
    const { chat, conversation, requests, given, open } = arrange(undefined, { beforeSend: () => asked.promise });
    open();
    const sending = conversation.send("Do it", [], "queue");
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(shown(chat), [["held", "Do it"]]);
    await chat.stop();
    assert.equal((await sending)?.reason, "aborted");
    assert.deepEqual([given, shown(chat)], [[["Do it", []]], []]);
    asked.resolve();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(requests.length, 0);
  });

  it("is kept among the drafts until then, and stays there where the window ends before", async () => {
    const held = new Set<string>();
    const hold = (_chatId: string, _id: string, { text: words }: { text: string }) => {
      held.add(words);
      return { dispose: () => void held.delete(words) };
    };
    const drafts = { ...sources, hold };
    const sent = arrange(undefined, { drafts });
    sent.open();
    const sending = sent.conversation.send("Do it", [], "queue");
    assert.deepEqual([...held], ["Do it"]);
    await sending;
    assert.deepEqual([...held], []);
    const asked = Promise.withResolvers<void>();
    const left = arrange(undefined, { drafts, beforeSend: () => asked.promise });
    left.open();
    void left.conversation.send("Do that", [], "queue");
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await left.chat.dispose();
    asked.resolve();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([...held], ["Do that"]);
    assert.equal(left.requests.length, 0);
  });
});
