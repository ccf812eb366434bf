import assert from "node:assert/strict";
import type { UserMessage } from "../../../src/agent/index.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import { Conversation } from "../../../src/extension/chat/conversation.ts";
import { composeUserMessage } from "../../../src/extension/chat/userMessage.ts";
import type { Attachment } from "../../../src/protocol/hostEvents.ts";

const workspace = { read: () => Promise.reject(new Error("not found")) };

function conversationWith(queued: UserMessage | undefined) {
  const given: [string, readonly Attachment[]][] = [];
  // All of the chat that editing a queued message concerns.
  const chat = { removeQueued: () => queued } as Partial<Chat> as Chat;
  const conversation = new Conversation({
    chat: () => chat,
    startNew: () => {},
    workspace,
    findModelProblem: async () => undefined,
    giveBack: (text, attachments) => given.push([text, attachments]),
  });
  return { conversation, given };
}

describe("editing a queued message", () => {
  it("gives its words and attachments back to the composer", async () => {
    const attached: Attachment[] = [{ kind: "selection", path: "src/a.ts", startLine: 3, endLine: 9 }];
    const signal = new AbortController().signal;
    const { conversation, given } = conversationWith(await composeUserMessage("Fix it", attached, workspace, signal));
    conversation.editQueued("u1");
    assert.deepEqual(given, [["Fix it", attached]]);
  });

  it("gives nothing back once the message was delivered", () => {
    const { conversation, given } = conversationWith(undefined);
    conversation.editQueued("u1");
    assert.deepEqual(given, []);
  });
});
