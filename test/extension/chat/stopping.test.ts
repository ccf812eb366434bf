import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/index.ts";
import { Chat } from "../../../src/extension/chat/chat.ts";
import { Conversation } from "../../../src/extension/chat/conversation.ts";
import type { Attachment } from "../../../src/protocol/attachments.ts";
import { attachmentSources } from "../../support/attachmentSources.ts";
import { scriptedModel, text } from "../../support/scriptedModel.ts";

/** A conversation whose messages wait at a gate before they reach the agent. */
function arrange() {
  const { model, streamFn, requests } = scriptedModel([text("one"), text("two")]);
  const chat = new Chat({
    createAgent: () => new Agent({ name: "main", model, streamFn }),
    configure: () => {},
    noticeFor: () => undefined,
    onActivity: () => {},
  });
  const gate = Promise.withResolvers<undefined>();
  const given: [string, readonly Attachment[]][] = [];
  const conversation = new Conversation({
    chat: () => chat,
    startNew: () => {},
    sources: attachmentSources(),
    model: () => ({ label: "Model" }),
    findModelProblem: () => gate.promise,
    giveBack: (words, attachments) => given.push([words, attachments]),
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
