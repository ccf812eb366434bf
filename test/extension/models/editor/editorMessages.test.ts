import assert from "node:assert/strict";
import { type AssistantMessage, type LlmMessage, userMessage } from "../../../../src/agent/vocabulary/messages.ts";
import { editorMessages } from "../../../../src/extension/models/editor/editorMessages.ts";

function said(content: AssistantMessage["content"]): AssistantMessage {
  return { role: "assistant", id: "a", content, model: "m", provider: "p", stopReason: "stop", timestamp: 0 };
}
function result(callId: string, text: string): LlmMessage {
  const content = text === "" ? [] : [{ type: "text" as const, text }];
  return { role: "toolResult", id: callId, callId, toolName: "look", content, isError: false, timestamp: 0 };
}
const written = (systemPrompt: string, ...messages: LlmMessage[]) =>
  editorMessages({ systemPrompt, messages, tools: [] });

describe("messages to a model of the editor", () => {
  it("begin with the system prompt as what the user says", () => {
    assert.deepEqual(written("Be brief.", userMessage("Hi")), [
      { role: "user", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
    ]);
    assert.deepEqual(written(""), []);
  });

  it("carry pictures as bytes, of the user and of tools", () => {
    const image = { type: "image" as const, mimeType: "image/png", data: "AQID" };
    const bytes = { type: "image", mimeType: "image/png", data: Buffer.from([1, 2, 3]) };
    const shot: LlmMessage = { ...result("1", ""), content: [image] } as LlmMessage;
    const [asked, shown] = written("", userMessage("See", image), shot);
    assert.deepEqual(asked?.content, [{ type: "text", text: "See" }, bytes]);
    assert.deepEqual(shown?.content, [{ type: "result", callId: "1", content: [bytes] }]);
  });

  it("keep a call and its result together by the call's id", () => {
    const call = { type: "toolCall" as const, id: "c1", name: "look", arguments: { at: "x" } };
    assert.deepEqual(written("", said([{ type: "text", text: "Let me see." }, call]), result("c1", "there")), [
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { type: "call", id: "c1", name: "look", input: { at: "x" } },
        ],
      },
      { role: "user", content: [{ type: "result", callId: "c1", content: [{ type: "text", text: "there" }] }] },
    ]);
  });

  it("give the results of one batch in one message, and those of the next in another", () => {
    const call = (id: string) => said([{ type: "toolCall", id, name: "look", arguments: {} }]);
    const messages = written("", call("1"), result("1", "a"), result("2", "b"), call("3"), result("3", ""));
    assert.deepEqual(
      messages.map((message) => [message.role, message.content.length]),
      [
        ["assistant", 1],
        ["user", 2],
        ["assistant", 1],
        ["user", 1],
      ],
    );
    assert.deepEqual(messages.at(-1)?.content, [{ type: "result", callId: "3", content: [] }]);
  });

  it("leave out thinking and messages that hold nothing", () => {
    assert.deepEqual(written("", said([{ type: "thinking", text: "Hm." }]), said([])), []);
  });

  it("turn arguments that are no object into none", () => {
    const [message] = written("", said([{ type: "toolCall", id: "1", name: "look", arguments: "cut {" }]));
    assert.deepEqual(message?.content, [{ type: "call", id: "1", name: "look", input: {} }]);
  });

  it("do not change what they were made of", () => {
    const messages = [result("1", "a"), result("2", "b")];
    const before = structuredClone(messages);
    written("", ...messages);
    assert.deepEqual(messages, before);
  });
});
