import assert from "node:assert/strict";
import type { Model, StreamOptions } from "../../../src/agent/vocabulary/model.ts";
import type { Enforcement, WireName } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { asking, assistant, type Heard, hear, providerAt, textOf, toolResult, user } from "./support.ts";

interface Refused {
  wire: WireName;
  /** What the server does not take. */
  rule: Enforcement;
  model: string;
  options?: StreamOptions;
  /** What the warning calls it. */
  field: string;
  /** What is not in the second request. */
  gone: RegExp;
  /** And what is, where something else takes its place. */
  instead?: RegExp;
}

const typed: StreamOptions = { output: { name: "output", schema: { type: "object" } } };
const high: StreamOptions = { thinkingLevel: "high" };
const minimal: StreamOptions = { thinkingLevel: "minimal" };
const limited: StreamOptions = { maxOutput: 99 };
const long: StreamOptions = { cacheLifetime: "long" };

const cases: Refused[] = [
  {
    wire: "anthropic",
    rule: { enforce: "adaptiveOnly" },
    model: "house-model",
    options: high,
    field: "thinking.budget",
    gone: /budget_tokens/,
    instead: /"adaptive"/,
  },
  {
    wire: "anthropic",
    rule: { enforce: "budgetOnly" },
    model: "claude-next",
    options: high,
    field: "thinking.adaptive",
    gone: /adaptive|effort/,
    instead: /budget_tokens/,
  },
  {
    wire: "anthropic",
    rule: { enforce: "alwaysThinks" },
    model: "claude-opus-5",
    options: { thinkingLevel: "off" },
    field: "thinking.disabled",
    gone: /"thinking"/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "thinking.display" },
    model: "claude-opus-4-6",
    options: high,
    field: "thinking.display",
    gone: /display/,
    instead: /"adaptive"/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "thinking.block_binding" },
    model: "claude-opus-5-5",
    options: high,
    field: "thinking.block_binding",
    gone: /block_binding/,
    instead: /"adaptive"/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "output_config.effort" },
    model: "claude-opus-4-6",
    options: high,
    field: "output_config.effort",
    gone: /effort/,
    instead: /"adaptive"/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "output_config.format" },
    model: "m",
    options: typed,
    field: "output_config.format",
    gone: /json_schema/,
  },
  {
    wire: "responses",
    rule: { refuse: "text.format" },
    model: "m",
    options: typed,
    field: "text.format",
    gone: /json_schema/,
  },
  {
    wire: "chat",
    rule: { refuse: "response_format" },
    model: "m",
    options: typed,
    field: "response_format",
    gone: /json_schema/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "thinking" },
    model: "claude-opus-4-6",
    options: high,
    field: "thinking",
    gone: /thinking|effort/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "system.*.cache_control.ttl" },
    model: "m",
    options: long,
    field: "cache_control.ttl",
    gone: /ttl/,
    instead: /cache_control/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "system.*.cache_control" },
    model: "m",
    field: "cache_control",
    gone: /cache_control/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "tools.*.eager_input_streaming" },
    model: "claude-opus-4-6",
    field: "eager_input_streaming",
    gone: /eager/,
  },
  {
    wire: "anthropic",
    rule: { refuse: "temperature" },
    model: "m",
    options: { temperature: 0.5 },
    field: "temperature",
    gone: /temperature/,
  },
  {
    wire: "responses",
    rule: { enforce: "noMinimalEffort" },
    model: "house-model",
    options: minimal,
    field: "reasoning.effort",
    gone: /effort/,
    instead: /summary/,
  },
  {
    wire: "responses",
    rule: { refuse: "reasoning.summary" },
    model: "gpt-5.6",
    options: high,
    field: "reasoning.summary",
    gone: /summary/,
    instead: /"effort":"high"/,
  },
  {
    wire: "responses",
    rule: { refuse: "reasoning" },
    model: "gpt-5.6",
    options: high,
    field: "reasoning",
    gone: /"reasoning"/,
  },
  {
    wire: "responses",
    rule: { refuse: "include" },
    model: "gpt-5.6",
    options: high,
    field: "include",
    gone: /include/,
    instead: /"effort":"high"/,
  },
  {
    wire: "responses",
    rule: { refuse: "text.verbosity" },
    model: "gpt-5.6",
    field: "text.verbosity",
    gone: /verbosity/,
  },
  {
    wire: "responses",
    rule: { refuse: "prompt_cache_key" },
    model: "gpt-5.6",
    options: { sessionId: "chat" },
    field: "prompt_cache_key",
    gone: /prompt_cache_key/,
  },
  {
    wire: "responses",
    rule: { refuse: "prompt_cache_options" },
    model: "gpt-5.6",
    options: long,
    field: "prompt_cache_options",
    gone: /prompt_cache_options/,
  },
  { wire: "responses", rule: { refuse: "input.*.phase" }, model: "gpt-5.6", field: "phase", gone: /phase/ },
  {
    wire: "responses",
    rule: { refuse: "max_output_tokens" },
    model: "m",
    options: limited,
    field: "max_output_tokens",
    gone: /max_output_tokens/,
  },
  {
    wire: "chat",
    rule: { enforce: "noMinimalEffort" },
    model: "house-model",
    options: minimal,
    field: "reasoning_effort",
    gone: /effort/,
  },
  { wire: "chat", rule: { refuse: "stream_options" }, model: "m", field: "stream_options", gone: /stream_options/ },
  {
    wire: "chat",
    rule: { refuse: "max_tokens" },
    model: "m",
    options: limited,
    field: "max_tokens",
    gone: /"max_tokens"/,
    instead: /"max_completion_tokens":99/,
  },
  {
    wire: "chat",
    rule: { refuse: "messages.*.reasoning_content" },
    model: "m",
    field: "reasoning_content",
    gone: /reasoning_content/,
  },
  {
    wire: "chat",
    rule: { refuse: "messages.*.tool_calls.*.extra_content" },
    model: "m",
    field: "extra_content",
    gone: /extra_content/,
  },
  {
    wire: "chat",
    rule: { refuse: "temperature" },
    model: "m",
    options: { temperature: 0.5 },
    field: "temperature",
    gone: /temperature/,
  },
];

describe("a field that a provider refuses", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  const bodies = async () => (await server.requests()).map(({ body }) => JSON.stringify(body));
  const warningsOf = ({ events }: Heard) => events.flatMap((e) => (e.type === "warning" ? [e.message] : []));
  const retriesOf = ({ events }: Heard) => events.filter(({ type }) => type === "retry").length;

  /** A conversation that has everything which goes back to some provider. */
  function conversation(wire: WireName, modelId: string) {
    const tools = [{ name: "read", description: "Reads", parameters: { type: "object" } }];
    const answer = { ...assistant({ type: "text", text: "Reading.", phase: "commentary" }), model: modelId };
    const request = { ...asking(user("Go"), answer, user("On")), tools };
    if (wire !== "chat") return request;
    const called = assistant(
      { type: "thinking", text: "So.", signature: "reasoning_content" },
      { type: "toolCall", id: "a", name: "read", arguments: {}, signature: '{"google":{"thought_signature":"s"}}' },
    );
    return { ...request, messages: [user("Go"), { ...called, model: modelId }, toolResult("a", "A")] };
  }

  for (const { wire, rule, model: id, options = {}, field, gone, instead } of cases) {
    it(`is left out from then on: ${field} over ${wire} (${JSON.stringify(rule)})`, async () => {
      const asked: Model = { id, provider: "test" };
      const stream = providerAt(wire, server.url, { maxRetries: 0 });
      await server.script(rule, { when: {}, reply: { steps: [{ text: "Yes." }] } });
      const request = conversation(wire, id);
      const heard = await hear(stream, request, options, asked);
      assert.equal(textOf(heard.message), "Yes.", heard.message.errorMessage);
      assert.equal(warningsOf(heard).length, 1);
      assert.ok(warningsOf(heard)[0]?.startsWith(`test does not take ${field} for ${id}, so it is left out (`));
      assert.equal(retriesOf(heard), 0, "it is no failure that the user has to know of");
      const [first, second] = await bodies();
      assert.match(first ?? "", gone);
      assert.doesNotMatch(second ?? "", gone);
      if (instead !== undefined) assert.match(second ?? "", instead);

      const again = await hear(stream, request, options, asked);
      assert.deepEqual(warningsOf(again), [], "it is remembered");
      assert.equal((await bodies()).length, 3);
      const other = await hear(stream, request, options, { ...asked, id: `${id}-b` });
      assert.equal(other.terminal, "done", other.message.errorMessage);
    });
  }

  it("is one of several, each of them found in its turn", async () => {
    const refused = ["thinking.display", "output_config.effort", "tools.*.eager_input_streaming"];
    await server.script(...refused.map((refuse) => ({ refuse })), { when: {}, reply: { steps: [{ text: "Yes." }] } });
    const asked: Model = { id: "claude-opus-4-6", provider: "test" };
    const heard = await hear(providerAt("anthropic", server.url), conversation("anthropic", asked.id), high, asked);
    assert.equal(heard.terminal, "done", heard.message.errorMessage);
    assert.equal(warningsOf(heard).length, refused.length);
    assert.equal((await bodies()).length, refused.length + 1);
  });

  it("is said once, also when several requests find it out together", async () => {
    await server.script({ refuse: "stream_options" }, { when: {}, reply: { steps: [{ text: "Yes." }] } });
    const stream = providerAt("chat", server.url);
    const heard = await Promise.all([hear(stream), hear(stream), hear(stream)]);
    for (const { terminal, message } of heard) assert.equal(terminal, "done", message.errorMessage);
    assert.equal(heard.flatMap(warningsOf).length, 1);
  });

  it("is shown to the host once for each request that is sent, and for no other", async () => {
    const rejection = { status: 400, body: { error: { message: "Unknown parameter: 'seed'." } } };
    await server.script({ refuse: "stream_options" }, rejection, { steps: [{ text: "Yes." }] });
    const seen: unknown[] = [];
    await hear(providerAt("chat", server.url), conversation("chat", "m"), { onRequest: (body) => seen.push(body) });
    const sent = (await server.requests()).map(({ body }) => body);
    assert.deepEqual(seen, sent);
  });

  it("may be nothing that was sent: then the error is the answer", async () => {
    const body = { error: { type: "invalid_request_error", message: "Unknown parameter: 'reasoning_effort'." } };
    await server.script({ when: {}, reply: { status: 400, body } });
    const heard = await hear(providerAt("chat", server.url));
    assert.equal(heard.message.errorKind, "rejected");
    assert.deepEqual(warningsOf(heard), []);
    assert.equal((await bodies()).length, 1);
  });

  it("is not what a server misses", async () => {
    const body = { error: { message: "The `reasoning_content` in the thinking mode must be passed back to the API." } };
    await server.script({ when: {}, reply: { status: 400, body } });
    const heard = await hear(providerAt("chat", server.url), conversation("chat", "test-model"));
    assert.deepEqual(warningsOf(heard), []);
    assert.ok((await bodies())[0]?.includes('"reasoning_content":"So."'));
  });

  it("is not what an error about the history speaks of", async () => {
    const message =
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
    await server.script({ status: 400, body: { error: { message } } }, { steps: [{ text: "Yes." }] });
    const asked: Model = { id: "claude-opus-5-5", provider: "test" };
    const thought = { ...assistant({ type: "thinking", text: "So.", signature: "s" }, { type: "text", text: "Hm." }) };
    const request = asking(user("Go"), { ...thought, model: asked.id }, user("On"));
    const heard = await hear(providerAt("anthropic", server.url), request, high, asked);
    assert.equal(textOf(heard.message), "Yes.", heard.message.errorMessage);
    assert.deepEqual(warningsOf(heard), []);
    const [first, second] = await bodies();
    assert.match(first ?? "", /"signature":"s"/);
    assert.doesNotMatch(second ?? "", /"signature"/);
    assert.match(second ?? "", /block_binding/);
  });

  it("is none while the provider only fails", async () => {
    const body = { error: { message: "Internal error in stream_options handling" } };
    await server.script({ status: 500, body }, { steps: [{ text: "Yes." }] });
    const heard = await hear(providerAt("chat", server.url));
    assert.equal(heard.terminal, "done");
    assert.deepEqual(warningsOf(heard), []);
    assert.match((await bodies())[1] ?? "", /stream_options/);
  });
});
