import assert from "node:assert/strict";
import { applyDelta } from "../../../src/agent/vocabulary/applyDelta.ts";
import type { ModelRequest } from "../../../src/agent/vocabulary/model.ts";
import type { WireName } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import {
  asking,
  assistant,
  callsOf,
  fetchOf,
  hear,
  providerAt,
  runsTools,
  textOf,
  toolResult,
  user,
  wireNames,
} from "./support.ts";

const named = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const chunk = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;

/** Whole answers with a report of tokens that counts none. */
const uncounted: Record<WireName, string[]> = {
  anthropic: [
    named("message_start", { message: { usage: {} } }),
    named("content_block_start", { index: 0, content_block: { type: "text", text: "Hi" } }),
    named("content_block_stop", { index: 0 }),
    named("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: null } }),
    named("message_stop", {}),
  ],
  responses: [
    named("response.output_item.done", {
      output_index: 0,
      item: { type: "message", id: "m", content: [{ type: "output_text", text: "Hi" }] },
    }),
    named("response.completed", { response: { usage: {} } }),
  ],
  chat: [
    chunk({ choices: [{ delta: { content: "Hi" } }] }),
    chunk({ choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: null } }),
    "data: [DONE]\n\n",
  ],
};

describe("answers through the real SDKs", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  for (const wire of wireNames) {
    describe(wire, () => {
      const ask = (request?: ModelRequest) => hear(providerAt(wire, server.url), request);

      it("streams text in deltas and ends with the whole message", async () => {
        await server.script({ steps: [{ text: "Grüße, 😀 and a longer sentence.", chunk: 5 }], usage: { output: 9 } });
        const { events, terminal, message } = await ask();
        assert.equal(terminal, "done");
        assert.deepEqual(message.content, [{ type: "text", text: "Grüße, 😀 and a longer sentence." }]);
        assert.equal(message.stopReason, "stop");
        assert.equal(message.model, "test-model");
        assert.equal(message.provider, "test");
        const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
        assert.equal(deltas.join(""), "Grüße, 😀 and a longer sentence.");
        assert.equal(deltas.length, 7);
        assert.deepEqual(
          events.map((event) => event.type).filter((type) => type !== "text_delta"),
          ["start", "text_start", "text_end", "done"],
        );
      });

      it("streams thinking as a part of its own", async () => {
        await server.script({ steps: [{ thinking: "Let me see.", signature: "signed" }, { text: "Yes." }] });
        const { message } = await ask();
        // Where thinking is not signed, the field that it came in is what has to be known to give it back.
        const signature = wire === "chat" ? "reasoning_content" : "signed";
        assert.deepEqual(message.content, [
          { type: "thinking", text: "Let me see.", signature },
          { type: "text", text: "Yes." },
        ]);
      });

      it("gives parallel tool calls their parsed arguments and forwards the raw text", async () => {
        const paths = ["a.ts", "b.ts", "c.ts"];
        await server.script({
          steps: paths.map((path) => ({ tool: "read_file", arguments: { path, from: 1 }, chunk: 4 })),
        });
        const heard = await ask();
        assert.ok(runsTools(heard));
        const calls = callsOf(heard.message);
        assert.deepEqual(
          calls.map((call) => call.arguments),
          paths.map((path) => ({ path, from: 1 })),
        );
        assert.equal(new Set(calls.map((call) => call.id)).size, 3);
        const raw = heard.events.flatMap((e) => (e.type === "toolcall_delta" && e.index === 1 ? [e.delta] : []));
        assert.equal(raw.join(""), '{"path":"b.ts","from":1}');
      });

      it("grows, delta by delta, into the message that it ends with", async () => {
        await server.script({
          steps: [{ thinking: "Hm." }, { text: "One." }, { tool: "read", arguments: { path: "a" } }],
        });
        const { events, message } = await ask();
        let grown = assistant();
        for (const event of events) {
          if ("index" in event) grown = applyDelta(grown, event);
        }
        // Signatures are for the provider alone, and no deltas.
        const content = message.content.map((part) => (part.type === "thinking" ? { ...part, signature: "" } : part));
        assert.deepEqual(
          grown.content.map((part) => (part.type === "thinking" ? { ...part, signature: "" } : part)),
          content,
        );
      });

      it("counts tokens without what came from or went to the cache", async () => {
        const usage = { input: 70, output: 20, cacheRead: 1000, cacheWrite: 30, reasoning: 5 };
        await server.script({ steps: [{ text: "Counted." }], usage });
        assert.deepEqual((await ask()).message.usage, { ...usage, cost: 0 });
      });

      if (wire === "anthropic") {
        it("says what of the cache is kept for an hour", async () => {
          const cache_creation = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 };
          const usage = { cache_creation_input_tokens: 30, output_tokens: 1, cache_creation };
          const raw = named("message_delta", { delta: { stop_reason: "end_turn" }, usage });
          await server.script({ steps: [{ text: "Kept." }, { raw }], usage: { cacheWrite: 30 } });
          const { usage: reported } = (await ask()).message;
          assert.deepEqual([reported?.cacheWriteHour, reported?.cacheWrite], [20, 30]);
        });
      }

      it("leaves usage unknown when the provider reports none", async () => {
        await server.script({ steps: [{ text: "Not counted." }], usage: null });
        const { message, terminal } = await ask();
        assert.equal(terminal, "done");
        assert.equal("usage" in message, false);
      });

      it("leaves usage unknown when the provider's report holds nothing", async () => {
        const body = new TextEncoder().encode(uncounted[wire].join(""));
        const { message, terminal } = await hear(providerAt(wire, "http://fake.test", { fetch: fetchOf([body]) }));
        assert.equal(terminal, "done");
        assert.equal(textOf(message), "Hi");
        assert.equal("usage" in message, false);
      });

      it("marks an answer that the output limit cut, with its arguments as the text they are", async () => {
        const steps = [{ text: "Writing." }, { tool: "write", rawArguments: '{"path":"a.ts","text":"half' }];
        await server.script({ steps, finish: "length" });
        const heard = await ask();
        assert.equal(heard.terminal, "done");
        assert.equal(heard.message.stopReason, "length");
        assert.equal(callsOf(heard.message)[0]?.arguments, '{"path":"a.ts","text":"half');
      });

      it("ends in an error when the model refuses, with the text so far", async () => {
        await server.script({ steps: [{ text: "Well" }], finish: "refusal" });
        const { terminal, message } = await ask();
        assert.equal(terminal, "error");
        assert.equal(message.errorKind, "rejected");
        assert.match(message.errorMessage ?? "", /declined to answer.*Change the request/);
        assert.equal(textOf(message), "Well");
      });

      it("ends in an error when arguments are not one JSON object", async () => {
        for (const rawArguments of ['{"path":"a"}, "b":1}', "[1]", '{"path":', "nothing"]) {
          await server.script({ steps: [{ tool: "read", rawArguments }] });
          const heard = await ask();
          assert.equal(heard.terminal, "error", rawArguments);
          assert.equal(heard.message.errorKind, "incomplete");
          assert.match(heard.message.errorMessage ?? "", /called read with arguments that are not whole JSON/);
        }
      });

      it("takes a call without any argument text as one without arguments", async () => {
        await server.script({ steps: [{ tool: "list", rawArguments: "" }] });
        assert.deepEqual(callsOf((await ask()).message)[0]?.arguments, {});
      });

      it("gives every call an id that nothing else has", async () => {
        const ids = ["call_0", "call_0", "__proto__", ""];
        await server.script({ steps: ids.map((id) => ({ tool: "read", id, arguments: { id } })) });
        const earlier = asking(
          user("Go"),
          assistant({ type: "toolCall", id: "call_0", name: "read", arguments: {} }),
          toolResult("call_0", "done"),
        );
        const heard = await ask(earlier);
        assert.ok(runsTools(heard));
        const given = callsOf(heard.message).map((call) => call.id);
        assert.deepEqual(given, ["call_0_1", "call_0_2", "call_1", "call_2"]);
        const started = heard.events.flatMap((e) => (e.type === "toolcall_start" ? [e.callId] : []));
        assert.deepEqual(started, given);
      });

      it("does not let arguments named __proto__ reach a prototype", async () => {
        await server.script({ steps: [{ tool: "read", rawArguments: '{"__proto__":{"polluted":true},"path":"a"}' }] });
        const [call] = callsOf((await ask()).message);
        assert.equal(Object.getPrototypeOf(call?.arguments), Object.prototype);
        assert.equal("polluted" in {}, false);
      });

      it("asks again at most twice for an answer that holds nothing", async () => {
        await server.script({ when: {}, reply: { steps: [] } });
        const { events, message, terminal } = await ask();
        assert.equal(terminal, "error");
        assert.match(message.errorMessage ?? "", /answered with nothing/);
        assert.equal(events.filter((event) => event.type === "retry").length, 2);
        assert.equal((await server.requests()).length, 3);
      });
    });
  }

  const places = [2 ** 53, 1e300, -1, 0.5];
  const argumentsText = '{"path":"a"}';
  const atPlace: Record<WireName, (index: number) => string> = {
    anthropic: (index) =>
      named("content_block_start", { index, content_block: { type: "tool_use", id: "c", name: "read", input: {} } }) +
      named("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: argumentsText } }) +
      named("content_block_stop", { index }),
    responses: (output_index) => {
      const item = { type: "function_call", id: "f", call_id: "c", name: "read", arguments: "" };
      return (
        named("response.output_item.added", { output_index, item }) +
        named("response.function_call_arguments.delta", { output_index, delta: argumentsText }) +
        named("response.output_item.done", { output_index, item: { ...item, arguments: argumentsText } })
      );
    },
    chat: (index) =>
      chunk({ choices: [{ delta: { tool_calls: [{ index, id: "c", function: { name: "read", arguments: "" } }] } }] }) +
      chunk({ choices: [{ delta: { tool_calls: [{ index, function: { arguments: argumentsText } }] } }] }),
  };
  for (const wire of wireNames) {
    it(`takes a call at any place of a ${wire} stream for the call that it is`, async () => {
      for (const place of places) {
        await server.script({ steps: [{ raw: atPlace[wire](place) }], finish: "toolUse" });
        const [call, ...others] = callsOf((await hear(providerAt(wire, server.url))).message);
        assert.deepEqual([call?.arguments, others.length], [{ path: "a" }, 0], `at ${place}`);
      }
    });
  }

  it("ends in an error when a gateway begins the answer again halfway", async () => {
    const again = 'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\n';
    await server.script({
      steps: [{ tool: "read", rawArguments: '{"path"' }, { raw: again }, { tool: "read", arguments: {} }],
    });
    const heard = await hear(providerAt("anthropic", server.url));
    assert.equal(runsTools(heard), false);
    assert.match(heard.message.errorMessage ?? "", /started its answer again halfway/);
  });

  it("treats a call of a tool use that never came as an error", async () => {
    await server.script({ steps: [{ text: "I will call." }], finish: "toolUse" });
    const { terminal, message } = await hear(providerAt("anthropic", server.url));
    assert.equal(terminal, "error");
    assert.match(message.errorMessage ?? "", /announced a tool call and made none/);
  });
});
