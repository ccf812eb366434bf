import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { UserMessage } from "../../../src/agent/index.ts";
import type { Chat, RunSummary } from "../../../src/extension/chat/chat.ts";
import { composeUserMessage } from "../../../src/extension/chat/compose/userMessage.ts";
import { Conversation, type ConversationDependencies } from "../../../src/extension/chat/conversation.ts";
import type { Attachment } from "../../../src/protocol/attachments.ts";
import type { Notice } from "../../../src/protocol/hostEvents.ts";
import { attachmentSources } from "../../support/attachmentSources.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const done: RunSummary = { reason: "done", text: "" };
const picture: Attachment = { kind: "image", name: "shot.png", mimeType: "image/png", data: "AAAA" };

interface Setting extends Partial<ConversationDependencies> {
  queued?: UserMessage;
  running?: string[];
}

function conversationWith({ queued, running = [], ...dependencies }: Setting) {
  const given: [string, readonly Attachment[]][] = [];
  const notices: string[] = [];
  const sent: UserMessage[] = [];
  const steered: [string, UserMessage][] = [];
  // All of the chat that a conversation needs; a whole one has private parts.
  const chat = {
    removeQueued: () => queued,
    held: { add: () => "u1", release: () => {} },
    nextStop: new AbortController().signal,
    notices: { clear: () => {}, show: ({ text }: Notice) => void notices.push(text) },
    send: async (message: UserMessage) => {
      sent.push(message);
      return done;
    },
    steer: (agentId: string, message: UserMessage) => {
      steered.push([agentId, message]);
      return running.includes(agentId);
    },
  } as unknown as Chat;
  const conversation = new Conversation({
    chat: () => chat,
    startNew: () => {},
    sources: attachmentSources(),
    model: () => ({ label: "Model" }),
    settingsWrites: () => undefined,
    findModelProblem: async () => undefined,
    returnToComposer: (text, attachments) => given.push([text, attachments]),
    ...dependencies,
  });
  return { conversation, given, notices, sent, steered };
}

describe("a message that hooks are asked about", () => {
  it("is back in the composer when they can't be asked", async () => {
    const revise = () => Promise.reject(new Error("EIO"));
    const { conversation, given, sent } = conversationWith({ revise });
    await assert.rejects(conversation.send("Fix it", [picture], "queue"), /EIO/);
    assert.deepEqual([given, sent], [[["Fix it", [picture]]], []]);
  });
});

const noted = (message: UserMessage | undefined) => message?.meta?.attachments;

describe("editing a queued message", () => {
  it("gives its words, attachments and pictures back to the composer", async () => {
    const attached: Attachment[] = [
      { kind: "selection", path: "src/a.ts", startLine: 3, endLine: 9 },
      picture,
      { kind: "text", name: "log", text: "one\ntwo\n" },
    ];
    const options = { sources: attachmentSources(), takesImages: true, signal: new AbortController().signal };
    const { conversation, given } = conversationWith({ queued: await composeUserMessage("Fix it", attached, options) });
    conversation.editQueued("u1");
    assert.deepEqual(given, [["Fix it", attached]]);
  });

  it("gives nothing back once the message was delivered", () => {
    const { conversation, given } = conversationWith({});
    conversation.editQueued("u1");
    assert.deepEqual(given, []);
  });
});

describe("a message", () => {
  it("brings the files that its words mention, each once", async () => {
    const sources = attachmentSources({ workspace: memoryWorkspace({ files: { "src/a.ts": "one", "b.md": "two" } }) });
    const { conversation, sent } = conversationWith({ sources });
    await conversation.send("Compare @src/a.ts with @b.md, please", [{ kind: "file", path: "b.md" }], "queue");
    assert.deepEqual(noted(sent[0]), [
      { kind: "file", path: "b.md" },
      { kind: "file", path: "src/a.ts" },
    ]);
  });

  it("goes back with a clear sentence when the model is known to take no pictures", async () => {
    const { conversation, sent, given, notices } = conversationWith({
      model: () => ({ label: "Blind", images: false }),
    });
    const summary = await conversation.send("Look", [picture], "queue");
    assert.equal(summary?.reason, "error");
    assert.deepEqual(sent, []);
    assert.deepEqual(given, [["Look", [picture]]]);
    assert.deepEqual(notices, ["Blind can't be shown pictures: remove them, or choose another model."]);
  });

  it("waits for a mode that was chosen just before it, also on its way to an agent that runs", async () => {
    const written = Promise.withResolvers<void>();
    const { conversation, sent, steered } = conversationWith({
      settingsWrites: () => written.promise,
      running: ["a1"],
    });
    const said = Promise.all([conversation.send("Go on", [], "queue"), conversation.messageAgent("a1", "Look there")]);
    await setImmediate();
    assert.deepEqual([sent, steered], [[], []]);
    written.resolve();
    await said;
    assert.deepEqual([sent.length, steered.length], [1, 1]);
  });

  it("takes pictures to a model of which nothing is known", async () => {
    const { conversation, sent } = conversationWith({});
    await conversation.send("Look", [picture], "queue");
    assert.deepEqual(sent[0]?.content.at(-1), { type: "image", mimeType: "image/png", data: "AAAA" });
  });

  it("to an agent that runs steers it, and main gets nothing", async () => {
    const { conversation, sent, steered } = conversationWith({ running: ["a1"] });
    const to: Attachment = { kind: "agent", name: "tests", agentId: "a1" };
    await conversation.send("@tests look at the mocks", [to], "queue");
    assert.deepEqual(sent, []);
    assert.deepEqual(
      steered.map(([id]) => id),
      ["a1"],
    );
    assert.equal(noted(steered[0]?.[1]), undefined);
  });

  it("to an agent that has ended goes back to the composer without it", async () => {
    const { conversation, given, notices } = conversationWith({});
    const file: Attachment = { kind: "file", path: "a.ts" };
    await conversation.send("Look", [{ kind: "agent", name: "tests", agentId: "a1" }, file], "queue");
    assert.deepEqual(given, [["Look", [file]]]);
    assert.match(notices[0] ?? "", /has ended/);
  });

  it("that begins with an agent's name is handed to that agent", async () => {
    const { conversation, sent } = conversationWith({});
    await conversation.send("@explore where is it?", [], "queue");
    assert.deepEqual(noted(sent[0]), [{ kind: "agent", name: "explore" }]);
    assert.match(JSON.stringify(sent[0]?.content), /Delegate this to the agent/);
  });
});
