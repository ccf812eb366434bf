import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/agent/vocabulary/model.ts";
import { plan } from "../../../src/extension/demo/plan.ts";
import { user } from "../../support/events.ts";

const request = (conversation: string): ModelRequest => ({
  systemPrompt: "You summarize the work of a coding agent.",
  messages: [user("c", conversation)],
  tools: [],
});

describe("the demo model's summary", () => {
  it("names what the user asked, in order, and nothing else", () => {
    const step = plan(request("User: Where is the price?\n\nAssistant: In price.ts.\n\nUser: Rename it\nto cost"));
    assert.deepEqual(step, {
      type: "answer",
      text: "The demo model keeps what was asked so far:\n- Where is the price?\n- Rename it",
    });
  });

  it("does so at the end of the conversation itself, with all its tools", () => {
    const asked = (text: string, note = "") =>
      note === ""
        ? user("m", text)
        : { ...user("m", text), content: [text, note].map((part) => ({ type: "text" as const, text: part })) };
    const { text } = plan({
      systemPrompt: "You are Arbor.",
      messages: [
        asked("The conversation so far was compacted. This is its summary:\n\nIt began."),
        asked("Where is the price?", "<environment>\nDate: 2026-01-01\n</environment>"),
        asked("Rename it\nto cost"),
        asked("<summary_request>\nStop here.\n</summary_request>"),
      ],
      tools: [{ name: "read_file", description: "Reads.", parameters: {} }],
    });
    assert.equal(text, "The demo model keeps what was asked so far:\n- Where is the price?\n- Rename it");
  });

  it("is never empty, and never long", () => {
    assert.match(plan(request("Assistant: Hello")).text, /- nothing/);
    const many = Array.from({ length: 500 }, (_, index) => `User: ${index} ${"x".repeat(1_000)}`).join("\n\n");
    assert.ok(plan(request(many)).text.length < 5_000);
  });
});
