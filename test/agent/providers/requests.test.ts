import assert from "node:assert/strict";
import { anthropicStream, openaiChatStream } from "../../../src/agent/providers/index.ts";
import type { ProviderConfig } from "../../../src/agent/providers/shared/provider.ts";
import type { LlmMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { Model, ModelRequest, StreamOptions } from "../../../src/agent/vocabulary/model.ts";
import type { WireName } from "../../support/fakeProvider/script.ts";
import { asking, assistant, hear, key, model, providerAt, toolResult, user, wireNames } from "./support.ts";

interface Sent {
  url: string;
  headers: Headers;
  // What a body holds is what these tests ask.
  // biome-ignore lint/suspicious/noExplicitAny: a body of any wire is read by name here.
  body: any;
}

interface Asked {
  request?: ModelRequest;
  options?: StreamOptions;
  config?: ProviderConfig;
  to?: Model;
}

/** What a wire sends, caught before the network. The answer is an error that is not retried. */
async function sent(
  wire: WireName,
  { request = asking(), options = {}, config = {}, to = model }: Asked = {},
): Promise<Sent> {
  const caught: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    caught.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
    return Response.json({ error: { message: "Caught." } }, { status: 400 });
  };
  const stream = providerAt(wire, "http://fake.test", { fetch, ...config });
  for await (const event of stream(to, request, options)) void event;
  const [first] = caught;
  assert.ok(first, "nothing was sent");
  return first;
}

const tools = [
  { name: "read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } },
  { name: "list", description: "Lists", parameters: { type: "object" } },
];
const image = { type: "image", mimeType: "image/png", data: "iVBORw0=" } as const;
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: { path: id } }) as const;
const conversation: LlmMessage[] = [
  user("Read both."),
  assistant(
    { type: "thinking", text: "Both.", signature: "signed" },
    { type: "text", text: "Reading." },
    call("a"),
    call("b"),
  ),
  toolResult("a", "A"),
  { ...toolResult("b", "B"), isError: true } as LlmMessage,
  user("Go on."),
];

describe("requests", () => {
  it("puts the conversation into the Messages format, neighbouring results into one message", async () => {
    const { url, body } = await sent("anthropic", {
      request: { systemPrompt: "Be brief.", messages: conversation, tools },
    });
    const cached = { cache_control: { type: "ephemeral" } };
    assert.equal(url, "http://fake.test/v1/messages");
    assert.deepEqual(body.system, [{ type: "text", text: "Be brief.", ...cached }]);
    assert.deepEqual(body.tools[0], { name: "read", description: "Reads", input_schema: tools[0]?.parameters });
    assert.deepEqual(body.tools[1], {
      name: "list",
      description: "Lists",
      input_schema: { type: "object" },
      ...cached,
    });
    assert.deepEqual(body.messages, [
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Both.", signature: "signed" },
          { type: "text", text: "Reading." },
          { type: "tool_use", id: "a", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "b", name: "read", input: { path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "A" },
          { type: "tool_result", tool_use_id: "b", content: "B", is_error: true, ...cached },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on.", ...cached }] },
    ]);
    assert.equal(body.stream, true);
    assert.ok(body.max_tokens > 0);
  });

  it("puts the conversation into the Responses format, encrypted thinking ahead of its calls", async () => {
    const { url, body } = await sent("responses", {
      request: { systemPrompt: "Be brief.", messages: conversation, tools },
    });
    assert.equal(url, "http://fake.test/v1/responses");
    assert.equal(body.instructions, "Be brief.");
    assert.equal(body.store, false);
    assert.equal(body.tools[0].name, "read");
    assert.equal(body.tools[0].type, "function");
    assert.deepEqual(body.input, [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read both." }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "Both." }], encrypted_content: "signed" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Reading.", annotations: [] }] },
      { type: "function_call", call_id: "a", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "b", name: "read", arguments: '{"path":"b"}' },
      { type: "function_call_output", call_id: "a", output: "A" },
      { type: "function_call_output", call_id: "b", output: "B" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ]);
  });

  it("puts the conversation into the Chat format, without thinking", async () => {
    const { url, body } = await sent("chat", { request: { systemPrompt: "Be brief.", messages: conversation, tools } });
    assert.equal(url, "http://fake.test/v1/chat/completions");
    assert.deepEqual(body.stream_options, { include_usage: true });
    assert.deepEqual(body.messages, [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: "Reading.",
        tool_calls: [
          { id: "a", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
          { id: "b", type: "function", function: { name: "read", arguments: '{"path":"b"}' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "tool", tool_call_id: "b", content: "B" },
      { role: "user", content: "Go on." },
    ]);
  });

  it("leaves another model's thinking out: its signature is worth nothing there", async () => {
    const to = { id: "other-model", provider: "test" };
    for (const wire of wireNames) {
      const { body } = await sent(wire, { request: asking(...conversation), to });
      assert.doesNotMatch(JSON.stringify(body), /signed|Both\."/);
    }
  });

  it("gives redacted thinking back as it came", async () => {
    const redacted = assistant(
      { type: "thinking", text: "", signature: "redacted_thinking:secret" },
      { type: "text", text: "Yes." },
    );
    const { body } = await sent("anthropic", { request: asking(user("Go"), redacted, user("On")) });
    assert.deepEqual(body.messages[1].content[0], { type: "redacted_thinking", data: "secret" });
  });

  it("calls a result with an image no error to Anthropic, which takes text alone of one", async () => {
    const failed = (content: unknown[]) => ({ ...toolResult("a", "Shot"), isError: true, content }) as LlmMessage;
    for (const [content, isError] of [
      [[{ type: "text", text: "No button." }, image], undefined],
      [[{ type: "text", text: "No button." }], true],
    ] as const) {
      const messages = [user("Look"), assistant(call("a")), failed([...content])];
      const { body } = await sent("anthropic", { request: { ...asking(), messages } });
      assert.equal(body.messages.at(-1).content[0].is_error, isError);
    }
  });

  it("sends images of the user and of tools in each format", async () => {
    const shown: LlmMessage = { ...user("Look"), content: [{ type: "text", text: "Look" }, image] };
    const result = { ...toolResult("a", "Shot"), content: [{ type: "text", text: "Shot" }, image] } as LlmMessage;
    const request = asking(shown, assistant(call("a")), result);
    const data = "data:image/png;base64,iVBORw0=";

    const messages = (await sent("anthropic", { request })).body.messages;
    const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } };
    assert.deepEqual({ ...messages[0].content[1], cache_control: undefined }, { ...block, cache_control: undefined });
    assert.deepEqual(messages[2].content[0].content, [{ type: "text", text: "Shot" }, block]);

    const input = (await sent("responses", { request })).body.input;
    assert.deepEqual(input[0].content[1], { type: "input_image", image_url: data, detail: "auto" });
    assert.deepEqual(input[2].output[1], { type: "input_image", image_url: data, detail: "auto" });

    const chat = (await sent("chat", { request })).body.messages;
    assert.deepEqual(chat[1].content[1], { type: "image_url", image_url: { url: data } });
    assert.deepEqual(chat[3], { role: "tool", tool_call_id: "a", content: "Shot" });
    assert.deepEqual(chat[4].content[1], { type: "image_url", image_url: { url: data } });
  });

  it("joins neighbouring messages of the user in the Chat format: templates refuse two in a row", async () => {
    const thought = assistant({ type: "thinking", text: "Hm.", signature: "signed" });
    const messages = [
      user('Say "A".'),
      user(""),
      thought,
      user("B"),
      assistant({ type: "text", text: "C" }),
      user("D"),
    ];
    // A chat asks again with more: what is joined later is joined to what was sent before.
    for (let length = 1; length < messages.length; length += 1) {
      await sent("chat", { request: asking(...messages.slice(0, length)) });
    }
    const { body } = await sent("chat", { request: asking(...messages) });
    assert.deepEqual(body.messages.slice(1), [
      { role: "user", content: 'Say "A".\n\nB' },
      { role: "assistant", content: "C" },
      { role: "user", content: "D" },
    ]);
  });

  it("joins pictures and texts of the user in the Chat format, a result between them keeps them apart", async () => {
    const shown: LlmMessage = { ...user("Look"), content: [{ type: "text", text: "Look" }, image] };
    const result = { ...toolResult("a", "Shot"), content: [{ type: "text", text: "Shot" }, image] } as LlmMessage;
    const messages = [user("A"), shown, user("B"), assistant(call("a")), result, user("C"), user("D")];
    const { body } = await sent("chat", { request: asking(...messages) });
    const text = (said: string) => ({ type: "text", text: said });
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=" } };
    assert.deepEqual(
      body.messages.slice(1).map(({ role, content }: { role: string; content: unknown }) => [role, content]),
      [
        ["user", [text("A"), text("Look"), picture, text("B")]],
        ["assistant", null],
        ["tool", "Shot"],
        ["user", [text("Images from the tool results above:"), picture, text("C"), text("D")]],
      ],
    );
  });

  it("keeps messages of the user apart where each may end what is cached", async () => {
    const messages = [user("A"), user("B"), user("C")];
    const to = { id: "anthropic/claude-opus-4.5", provider: "test" };
    const at = async (baseUrl: string) =>
      (await sent("chat", { request: asking(...messages), to, config: { baseUrl } })).body.messages.slice(1);
    const marked = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
    assert.deepEqual(await at("https://openrouter.ai/api/v1"), [
      { role: "user", content: "A" },
      { role: "user", content: marked("B") },
      { role: "user", content: marked("C") },
    ]);
    assert.deepEqual(await at("http://fake.test/v1"), [{ role: "user", content: "A\n\nB\n\nC" }]);
  });

  it("breaks the line between the texts of a result where the format takes one text", async () => {
    const text = (said: string) => ({ type: "text" as const, text: said });
    const of = (callId: string, ...content: unknown[]) => ({ ...toolResult(callId, ""), content }) as LlmMessage;
    const results = [of("a", text("a"), text("b")), of("b", text("a"), image, text("b"))];
    const request = asking(user("Go"), assistant(call("a"), call("b")), ...results);
    const chat = (await sent("chat", { request })).body.messages;
    assert.deepEqual([chat[3].content, chat[4].content], ["a\nb", "a\nb"]);
    const cached = await sent("chat", {
      request,
      to: { id: "anthropic/claude-opus-4.5", provider: "test" },
      config: { baseUrl: "https://openrouter.ai/api/v1" },
    });
    assert.equal(cached.body.messages[3].content[0].text, "a\nb");
    const { input } = (await sent("responses", { request })).body;
    assert.equal(input[3].output, "a\nb");
    assert.equal(input[4].output.length, 3);
    const [, , anthropic] = (await sent("anthropic", { request })).body.messages;
    assert.deepEqual(anthropic.content[0].content, [text("a"), text("b")]);
  });

  it("repairs lone surrogates and leaves pairs and written escapes alone", async () => {
    const text = "pair 😀, lone \ud83d and \ude00, written \\ud83d";
    const lone = assistant({ type: "toolCall", id: "a", name: "read", arguments: { "\ud800": "\udfff" } });
    for (const wire of wireNames) {
      const { body } = await sent(wire, { request: asking(user(text), lone, toolResult("a", "ok")) });
      const json = JSON.stringify(body);
      assert.ok(json.includes(JSON.stringify("pair 😀, lone \ufffd and \ufffd, written \\ud83d").slice(1, -1)), json);
      assert.equal(json.isWellFormed() && !/[^\\]\\ud[89a-f]/.test(json), true);
      assert.match(json, /\ufffd[\\"]+:[\\"]+\ufffd/);
    }
  });

  it("writes ids, names and arguments so that every provider accepts them", async () => {
    const odd = assistant({ type: "toolCall", id: "call|1 ü", name: "my tool!", arguments: '{"cut":' });
    const request = asking(user("Go"), odd, toolResult("call|1 ü", "no such tool"));
    const anthropic = (await sent("anthropic", { request })).body.messages;
    assert.deepEqual(anthropic[1].content[0], { type: "tool_use", id: "call_1__", name: "my_tool_", input: {} });
    assert.equal(anthropic[2].content[0].tool_use_id, "call_1__");
    const responses = (await sent("responses", { request })).body.input;
    assert.deepEqual(responses[1], { type: "function_call", call_id: "call_1__", name: "my_tool_", arguments: "{}" });
    const chat = (await sent("chat", { request })).body.messages;
    assert.equal(chat[2].tool_calls[0].function.arguments, "{}");
    assert.equal(chat[3].tool_call_id, "call_1__");
  });

  it("sends no blank text where the format refuses it", async () => {
    const { body } = await sent("anthropic", {
      request: asking(user("  "), assistant({ type: "text", text: "\n" }), user("Go")),
    });
    assert.deepEqual(
      body.messages.map((message: { role: string; content: { text: string }[] }) => [
        message.role,
        message.content[0]?.text,
      ]),
      [
        ["user", "(empty)"],
        ["user", "Go"],
      ],
    );
  });

  it("asks for JSON by a schema in the provider's own mode, strictly where the schema allows it", async () => {
    const properties = { city: { type: "string" } };
    const strict = { type: "object", properties, required: ["city"], additionalProperties: false };
    const loose = { type: "object", properties };
    const at = async (wire: WireName, schema: Record<string, unknown>, id = "m") => {
      const options = { output: { name: "output", schema }, thinkingLevel: "high" as const };
      return (await sent(wire, { options, to: { id, provider: "test" } })).body;
    };
    const format = { type: "json_schema", name: "output", schema: strict, strict: true };
    assert.deepEqual((await at("responses", strict)).text, { format });
    assert.deepEqual((await at("responses", loose)).text.format.strict, false);
    assert.deepEqual((await at("responses", strict, "gpt-5")).text.verbosity, "low");
    const { type, ...json_schema } = format;
    assert.deepEqual((await at("chat", strict)).response_format, { type, json_schema });
    assert.deepEqual((await at("anthropic", strict)).output_config, { format: { type, schema: strict } });
    assert.deepEqual((await at("anthropic", strict, "claude-opus-5-5")).output_config, {
      effort: "high",
      format: { type, schema: strict },
    });
  });

  it("asks for thinking by level, and for none when it is off", async () => {
    const at = async (wire: WireName, thinkingLevel: "off" | "minimal" | "high", id = "m") =>
      (await sent(wire, { options: { thinkingLevel, temperature: 0.5 }, to: { id, provider: "test" } })).body;
    assert.deepEqual((await at("anthropic", "high")).thinking, { type: "enabled", budget_tokens: 20_480 });
    assert.ok((await at("anthropic", "high")).max_tokens > 20_480);
    assert.equal((await at("anthropic", "high")).temperature, undefined);
    assert.equal((await at("anthropic", "minimal", "claude-sonnet-4-5-20250929")).thinking.budget_tokens, 1_024);
    const adaptive = await at("anthropic", "minimal", "claude-opus-5-5");
    assert.equal(adaptive.thinking.type, "adaptive");
    assert.deepEqual(adaptive.output_config, { effort: "low" });
    const responses = await at("responses", "high");
    assert.deepEqual(responses.reasoning, { effort: "high", summary: "auto" });
    assert.deepEqual(responses.include, ["reasoning.encrypted_content"]);
    assert.equal((await at("chat", "high")).reasoning_effort, "high");
    for (const wire of wireNames) {
      assert.doesNotMatch(JSON.stringify(await at(wire, "off")), /thinking|reasoning|effort/);
      assert.equal((await at(wire, "off")).temperature, 0.5);
    }
  });

  it("fits the thinking into a small output limit, or leaves it out", async () => {
    const at = async (maxOutput: number) =>
      (await sent("anthropic", { options: { thinkingLevel: "high", maxOutput } })).body;
    assert.equal((await at(4_096)).thinking.budget_tokens, 3_072);
    assert.equal((await at(1_500)).thinking, undefined);
  });

  it("limits the output by the name that the server knows", async () => {
    const options = { maxOutput: 99 };
    assert.equal((await sent("anthropic", { options })).body.max_tokens, 99);
    assert.equal((await sent("responses", { options })).body.max_output_tokens, 99);
    assert.equal((await sent("chat", { options })).body.max_tokens, 99);
    const openai = await sent("chat", { options, config: { baseUrl: "https://api.openai.com/v1" } });
    assert.equal(openai.body.max_completion_tokens, 99);
    assert.equal(openai.body.max_tokens, undefined);
  });

  it("lets the call's key and the model's base URL win, and sends the configured headers", async () => {
    for (const wire of wireNames) {
      const { url, headers } = await sent(wire, {
        config: { headers: { "x-team": "blue", "x-over": "config" } },
        options: { apiKey: "sk-of-the-call", headers: { "x-over": "call" } },
        to: { ...model, baseUrl: "http://model.test/v1" },
      });
      assert.match(url, /^http:\/\/model\.test\/v1\//);
      const credentials = `${headers.get("authorization")} ${headers.get("x-api-key")}`;
      assert.match(credentials, /sk-of-the-call/);
      assert.doesNotMatch(credentials, new RegExp(key));
      assert.equal(headers.get("x-team"), "blue");
      assert.equal(headers.get("x-over"), "call");
    }
  });

  it("shows the body to the host, which may replace it", async () => {
    for (const wire of wireNames) {
      const seen: unknown[] = [];
      const { body } = await sent(wire, {
        options: {
          rewriteRequest: (original) => ({ ...(original as object), extra: "added \ud800" }),
          onRequest: (final) => seen.push(final),
        },
      });
      assert.equal(body.extra, "added \ufffd");
      assert.equal(seen.length, 1);
      assert.equal((seen[0] as { model: string }).model, "test-model");
    }
  });

  it("reports to the host the status and headers of every response", async () => {
    for (const wire of wireNames) {
      const fetch = async () => Response.json({ error: {} }, { status: 418, headers: { "x-kind": "teapot" } });
      const seen: [number, string | undefined][] = [];
      const onResponse = (status: number, headers: Record<string, string>) => seen.push([status, headers["x-kind"]]);
      await hear(providerAt(wire, "http://fake.test", { fetch }), asking(), { onResponse });
      assert.deepEqual(seen, [[418, "teapot"]]);
    }
  });

  it("sends no key where none is set, also none of the environment", async () => {
    const names = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = "sk-from-the-environment";
    try {
      for (const wire of wireNames) {
        const { headers } = await sent(wire, { config: { apiKey: "" } });
        assert.equal(headers.get("authorization"), null);
        assert.equal(headers.get("x-api-key"), null);
      }
      for (const stream of [anthropicStream({}), openaiChatStream({})]) {
        const { message } = await hear(stream);
        assert.equal(message.errorKind, "auth");
        assert.match(message.errorMessage ?? "", /No API key is set for test\. Set one/);
      }
    } finally {
      for (const [at, name] of names.entries()) {
        const value = before[at];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it("go through whatever fetch the editor has at the time of each of them", async () => {
    const own = globalThis.fetch;
    try {
      for (const wire of wireNames) {
        const stream = providerAt(wire, "http://fake.test");
        const seen: string[] = [];
        for (const proxy of ["first", "second"]) {
          globalThis.fetch = async () => {
            seen.push(proxy);
            return Response.json({ error: {} }, { status: 400 });
          };
          await hear(stream);
        }
        assert.deepEqual(seen, ["first", "second"]);
      }
    } finally {
      globalThis.fetch = own;
    }
  });

  it("carry the session as a key for OpenAI's cache, and for no server that may not know the field", async () => {
    const options = { sessionId: `chat-${"x".repeat(80)}` };
    const openai = { baseUrl: "https://api.openai.com/v1" };
    const keyOf = async (wire: WireName, config: ProviderConfig) =>
      (await sent(wire, { options, config })).body.prompt_cache_key;
    for (const wire of ["responses", "chat"] as const) {
      assert.equal(await keyOf(wire, openai), options.sessionId.slice(0, 64));
    }
    assert.equal(await keyOf("chat", {}), undefined);
  });

  it("writes each message once, however often it is sent", async () => {
    for (const wire of wireNames) {
      let written = 0;
      const text = {
        type: "text" as const,
        get text() {
          written += 1;
          return "Read often, written once.";
        },
      };
      const message: LlmMessage = { ...user(""), content: [text] };
      const fetch = async () => Response.json({ error: {} }, { status: 400 });
      const stream = providerAt(wire, "http://fake.test", { fetch });
      await hear(stream, asking(message));
      const once = written;
      assert.ok(once > 0);
      for (let turn = 0; turn < 5; turn += 1) await hear(stream, asking(message, user(`Turn ${turn}`)));
      assert.equal(written, once);
    }
  });
});
