import assert from "node:assert/strict";
import {
  estimateTokens,
  type ImagePart,
  isLlmMessage,
  textOf,
  userMessage,
} from "../../../src/agent/vocabulary/messages.ts";
import { assistant, user } from "../../support/events.ts";
import { calling, result, summary, toolCall } from "../../support/messages.ts";

const image = (data: string): ImagePart => ({ type: "image", mimeType: "image/png", data });

describe("messages", () => {
  it("C59: a user message has its text first and its images in order", () => {
    const { content } = userMessage("look", image("a"), image("b"));
    assert.deepEqual(content, [{ type: "text", text: "look" }, image("a"), image("b")]);
  });

  it("C59: a user message does not share the caller's images", () => {
    const picture = image("a");
    const message = userMessage("look", picture);
    picture.data = "changed";
    assert.deepEqual(message.content[1], image("a"));
  });

  it("gives each user message an id of its own", () => {
    assert.notEqual(userMessage("a").id, userMessage("a").id);
  });

  it("joins the text parts of a message and nothing else", () => {
    const message = assistant("a", "");
    message.content = [
      { type: "thinking", text: "hm" },
      { type: "text", text: "one " },
      toolCall("1"),
      { type: "text", text: "two" },
    ];
    assert.equal(textOf(message), "one two");
    assert.equal(textOf(summary("s", "before")), "before");
  });

  it("distinguishes the messages a model understands from the others", () => {
    assert.deepEqual([user("u", ""), assistant("a", ""), result("1", ""), summary("s", "")].map(isLlmMessage), [
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("estimateTokens", () => {
  it("E27: is 0 for no messages", () => {
    assert.equal(estimateTokens([]), 0);
  });

  it("E27: counts a quarter of the characters, floored per part", () => {
    const message = assistant("a", "");
    message.content = [
      { type: "thinking", text: "seven.." },
      { type: "text", text: "seven.." },
    ];
    assert.equal(estimateTokens([message]), 2);
  });

  it("E27: counts tool results, and calls by name and arguments", () => {
    assert.equal(estimateTokens([result("1", "12345678")]), 2);
    assert.equal(estimateTokens([calling("a", toolCall("1", "abc", { a: 1 }))]), Math.floor((3 + 7) / 4));
  });

  it("E27: counts nothing for images", () => {
    assert.equal(estimateTokens([userMessage("abcd", image("x".repeat(400)))]), 1);
  });
});
