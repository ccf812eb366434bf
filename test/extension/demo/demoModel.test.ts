import assert from "node:assert/strict";
import type { AssistantMessage } from "../../../src/agent/vocabulary/messages.ts";
import { userMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { ModelRequest, StreamEvent } from "../../../src/agent/vocabulary/model.ts";
import { demoModel, demoStream, type Pace, pacedBy } from "../../../src/extension/demo/demoModel.ts";

function requestOf(text: string, tools: string[] = []): ModelRequest {
  return {
    systemPrompt: "<identity>\nYou are main.\n</identity>",
    messages: [userMessage(text)],
    tools: tools.map((name) => ({ name, description: "", parameters: {} })),
  };
}

async function collect(request: ModelRequest, signal?: AbortSignal, pace?: Pace): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  const options = signal === undefined ? {} : { signal };
  for await (const event of demoStream(pace)(demoModel, request, options)) events.push(event);
  return events;
}

function finalOf(events: readonly StreamEvent[]): AssistantMessage {
  const last = events.at(-1);
  assert.ok(last?.type === "done" || last?.type === "error");
  return last.message;
}

function deltaText(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.delta : "")).join("");
}

describe("the demo model's stream", () => {
  it("says what it is and what it can do when it can't do what is asked", async () => {
    const message = finalOf(await collect(requestOf("Write me a poem", ["search_text"])));
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    assert.match(text, /rules, not a language model/);
    assert.match(text, /Where is the price computed\?/);
    assert.equal(message.stopReason, "stop");
  });

  it("grows its text in small deltas that add up to the message", async () => {
    const events = await collect(requestOf("hello"));
    const message = finalOf(events);
    assert.deepEqual(message.content, [{ type: "text", text: deltaText(events) }]);
    const deltas = events.filter((event) => event.type === "text_delta");
    assert.ok(deltas.length > 20);
    assert.ok(deltas.every((event) => event.type === "text_delta" && event.delta.length < 60));
  });

  it("streams each call from its start to its end, with arguments as JSON", async () => {
    const events = await collect(requestOf("Where is the price computed?", ["search_text", "read_file"]));
    const message = finalOf(events);
    assert.equal(message.stopReason, "toolUse");
    const calls = message.content.filter((part) => part.type === "toolCall");
    const ended = events.flatMap((event) => (event.type === "toolcall_end" ? [event.call] : []));
    assert.deepEqual(ended, calls);
    const written = events.flatMap((event) => (event.type === "toolcall_delta" ? [JSON.parse(event.delta)] : []));
    assert.deepEqual(
      written,
      calls.map((call) => call.arguments),
    );
    assert.equal(new Set(calls.map((call) => call.id)).size, calls.length);
  });

  it("calls no tool that is not on offer", async () => {
    const message = finalOf(await collect(requestOf("Where is the price computed?", ["search_text"])));
    assert.ok(message.content.every((part) => part.type !== "toolCall" || part.name === "search_text"));
  });

  it("stops at once when it is aborted, keeping what it has said", async () => {
    const controller = new AbortController();
    const events: StreamEvent[] = [];
    for await (const event of demoStream()(demoModel, requestOf("hello"), { signal: controller.signal })) {
      events.push(event);
      if (events.filter(({ type }) => type === "text_delta").length === 3) controller.abort();
    }
    const message = finalOf(events);
    assert.equal(message.stopReason, "aborted");
    assert.deepEqual(message.content, [{ type: "text", text: deltaText(events) }]);
  });

  it("says nothing when it is aborted before it begins", async () => {
    const events = await collect(requestOf("hello"), AbortSignal.abort());
    assert.deepEqual(
      events.map(({ type }) => type),
      ["start", "error"],
    );
    assert.deepEqual(finalOf(events).content, []);
  });

  it("does not wait out its pace when it is aborted", async () => {
    const controller = new AbortController();
    const stream = demoStream(pacedBy(3_600_000))(demoModel, requestOf("hello"), { signal: controller.signal });
    const events: StreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === "text_start") queueMicrotask(() => controller.abort());
    }
    assert.equal(finalOf(events).stopReason, "aborted");
  });
});
