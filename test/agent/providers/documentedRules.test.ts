import assert from "node:assert/strict";
import type { LlmMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { Model, ModelRequest, StreamFn, StreamOptions } from "../../../src/agent/vocabulary/model.ts";
import type { RuleName, WireName } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import {
  asking,
  assistant,
  baseUrlOf,
  type Heard,
  hear,
  key,
  providerAt,
  textOf,
  toolResult,
  user,
} from "./support.ts";

describe("rules that providers document", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  const bodies = async () => (await server.requests()).map(({ body }) => body as Record<string, never>);
  const warningsOf = ({ events }: Heard) => events.flatMap((e) => (e.type === "warning" ? [e.message] : []));
  const retriesOf = ({ events }: Heard) => events.filter(({ type }) => type === "retry").length;

  /** A provider whose address is that of a known server, and whose requests go to the fake one. */
  function providerOf(baseUrl: string, wire: WireName = "chat"): StreamFn {
    const path = wire === "anthropic" ? "/v1/messages" : "/v1/chat/completions";
    const fetch: typeof globalThis.fetch = (_, init) => globalThis.fetch(server.url + path, init);
    return providerAt(wire, server.url, { baseUrl, fetch });
  }
  const reasoningSent = async () =>
    (await bodies()).map((body) => {
      const messages = body.messages as unknown as { reasoning_content?: string }[];
      return messages.flatMap(({ reasoning_content }) => (reasoning_content === undefined ? [] : [reasoning_content]));
    });

  /** Answers with a tool call, then with text; resolves to the second answer. */
  async function twoTurns(
    stream: StreamFn,
    asked: Model,
    { step, options = {} }: { step: object; options?: StreamOptions },
  ): Promise<Heard> {
    await server.script(
      { steps: [step as never, { tool: "read", arguments: { path: "a" } }] },
      { steps: [{ text: "Done." }] },
    );
    const first = await hear(stream, asking(user("Read it.")), options, asked);
    assert.equal(first.terminal, "done", first.message.errorMessage);
    const call = first.message.content.find((part) => part.type === "toolCall");
    assert.ok(call?.type === "toolCall");
    return hear(stream, asking(user("Read it."), first.message, toolResult(call.id, "A")), options, asked);
  }

  describe("DeepSeek's thinking mode", () => {
    const deepseek: Model = { id: "deepseek-v4-pro", provider: "test" };

    it("gets the reasoning of an answer with tool calls back", async () => {
      await server.script({ enforce: "deepseekThinking" });
      const heard = await twoTurns(providerOf("https://api.deepseek.com/v1"), deepseek, {
        step: { thinking: "Hm, a." },
      });
      assert.equal(textOf(heard.message), "Done.", heard.message.errorMessage);
      assert.equal(retriesOf(heard), 0);
      assert.deepEqual(await reasoningSent(), [[], ["Hm, a."]]);
    });

    it("gets the field with a call that was made without a thought, too", async () => {
      await server.script({ enforce: "deepseekThinking" });
      const heard = await twoTurns(providerOf("https://api.deepseek.com/v1"), deepseek, { step: { endPart: true } });
      assert.equal(textOf(heard.message), "Done.", heard.message.errorMessage);
    });

    it("gets no reasoning of answers that called nothing", async () => {
      await server.script({ steps: [{ text: "Hello." }] });
      const answer = assistant(
        { type: "thinking", text: "Greet.", signature: "reasoning_content" },
        { type: "text", text: "Hi." },
      );
      const own = { ...answer, model: deepseek.id };
      await hear(providerOf("https://api.deepseek.com/v1"), asking(user("Hi"), own, user("Hi")), {}, deepseek);
      assert.doesNotMatch(JSON.stringify(await bodies()), /Greet/);
    });

    it("is off when thinking is", async () => {
      await server.script({ when: {}, reply: { steps: [{ text: "Hello." }] } });
      const stream = providerOf("https://api.deepseek.com/v1");
      await hear(stream, asking(), { thinkingLevel: "off" }, deepseek);
      await hear(stream, asking(), { thinkingLevel: "max" }, deepseek);
      const [off, max] = await bodies();
      assert.deepEqual(off?.thinking, { type: "disabled" });
      assert.equal(off?.reasoning_effort, undefined);
      assert.equal(max?.reasoning_effort, "max");
    });
  });

  it("thinking goes back under the name that it came by, whichever server has the model", async () => {
    await twoTurns(
      providerAt("chat", server.url),
      { id: "some-model", provider: "test" },
      { step: { thinking: "So." } },
    );
    assert.deepEqual(await reasoningSent(), [[], ["So."]]);
  });

  describe("Google's server", () => {
    const gemini: Model = { id: "gemini-3.1-pro-preview", provider: "test" };
    const google = "https://generativelanguage.googleapis.com/v1beta/openai";

    it("gets the signature of each call back", async () => {
      await server.script(
        { enforce: "geminiSignatures" },
        { steps: [{ tool: "read", arguments: { path: "a" }, extra: { google: { thought_signature: "sig-1" } } }] },
        { steps: [{ text: "Done." }] },
      );
      const stream = providerOf(google);
      const first = await hear(stream, asking(user("Read it.")), {}, gemini);
      const [call] = first.message.content;
      assert.ok(call?.type === "toolCall");
      const history = asking(user("Read it."), first.message, toolResult(call.id, "A"));
      const second = await hear(stream, history, {}, gemini);
      assert.equal(textOf(second.message), "Done.", second.message.errorMessage);
      // Saved and read again it is the same.
      const restored: ModelRequest = JSON.parse(JSON.stringify(history));
      await server.script({ steps: [{ text: "Again." }] });
      assert.equal(textOf((await hear(providerOf(google), restored, {}, gemini)).message), "Again.");
    });

    it("is quoted when it puts its error in a list", async () => {
      await server.script({ enforce: "geminiSignatures" });
      const call = { type: "toolCall", id: "c", name: "read", arguments: {} } as const;
      const { message } = await hear(
        providerOf(google),
        asking(user("Go"), assistant(call), toolResult("c", "A")),
        {},
        gemini,
      );
      assert.equal(message.errorKind, "rejected");
      assert.match(message.errorMessage ?? "", /missing a thought_signature/);
      assert.equal((await server.requests()).length, 1, "nothing could be left out, so nothing is sent again");
    });
  });

  it("OpenRouter gets its details of thinking back whole, also where there was nothing to read", async () => {
    const model: Model = { id: "google/gemini-3.1-pro", provider: "test" };
    const chunk = (delta: object) => ({ raw: `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n` });
    const text = (piece: string, more: object = {}) => ({ type: "reasoning.text", index: 0, text: piece, ...more });
    const encrypted = { type: "reasoning.encrypted", index: 1, data: "opaque", id: "c" };
    const call = { tool: "read", arguments: { path: "a" } };
    const cases = [
      {
        steps: [
          chunk({ reasoning: "Hm, ", reasoning_details: [text("Hm, ", { signature: null })] }),
          chunk({ reasoning: "a.", reasoning_details: [text("a.", { signature: "s" })] }),
          chunk({ reasoning_details: [encrypted] }),
          call,
        ],
        shown: "Hm, a.",
        back: [text("Hm, a.", { signature: "s" }), encrypted],
      },
      { steps: [chunk({ reasoning_details: [encrypted] }), call], shown: "", back: [encrypted] },
    ];
    for (const { steps, shown, back } of cases) {
      await server.reset();
      await server.script({ steps }, { steps: [{ text: "Done." }] });
      const stream = providerOf("https://openrouter.ai/api/v1");
      const first = await hear(stream, asking(user("Go")), {}, model);
      const [thought, called] = first.message.content;
      assert.ok(thought?.type === "thinking" && called?.type === "toolCall", JSON.stringify(first.message));
      assert.equal(thought.text, shown);
      await hear(stream, asking(user("Go"), first.message, toolResult(called.id, "A")), {}, model);
      const messages = (await bodies())[1]?.messages as unknown as { reasoning_details?: unknown }[];
      assert.deepEqual(messages[2]?.reasoning_details, back);
    }
  });

  describe("OpenRouter's Claude", () => {
    const openrouter = "https://openrouter.ai/api/v1";
    const cached = { cache_control: { type: "ephemeral" } };
    const conversation = asking(
      user("Read both."),
      assistant({ type: "toolCall", id: "a", name: "read", arguments: {} }),
      toolResult("a", "A"),
      assistant({ type: "toolCall", id: "b", name: "read", arguments: {} }),
      toolResult("b", "B"),
    );

    it("gets breakpoints after the instructions and the last two messages that are not its own", async () => {
      await server.script({ when: {}, reply: { steps: [{ text: "Done." }] } });
      await hear(providerOf(openrouter), conversation, {}, { id: "anthropic/claude-opus-5.5", provider: "test" });
      const [body] = await bodies();
      const messages = body?.messages as unknown as { content: unknown }[];
      assert.deepEqual(
        messages.map(({ content }) => content),
        [
          [{ type: "text", text: "Be brief.", ...cached }],
          "Read both.",
          null,
          [{ type: "text", text: "A", ...cached }],
          null,
          [{ type: "text", text: "B", ...cached }],
        ],
      );
    });

    it("gets them for an hour where an answer may wait for a person", async () => {
      await server.script({ steps: [{ text: "Done." }] });
      const claude: Model = { id: "anthropic/claude-opus-5.5", provider: "test" };
      await hear(providerOf(openrouter), conversation, { cacheLifetime: "long" }, claude);
      assert.equal(JSON.stringify(await bodies()).match(/"ttl":"1h"/g)?.length, 3);
    });

    it("is alone in that: no other model and no other server does", async () => {
      await server.script({ when: {}, reply: { steps: [{ text: "Done." }] } });
      await hear(providerOf(openrouter), conversation, {}, { id: "openai/gpt-5.6", provider: "test" });
      await hear(
        providerAt("chat", server.url),
        conversation,
        {},
        { id: "anthropic/claude-opus-5.5", provider: "test" },
      );
      assert.doesNotMatch(JSON.stringify(await bodies()), /cache_control/);
    });
  });

  describe("Claude's thinking", () => {
    const asked = async (id: string, thinkingLevel: StreamOptions["thinkingLevel"], ...rules: RuleName[]) => {
      await server.reset();
      await server.script(...rules.map((enforce) => ({ enforce })), { steps: [{ text: "Yes." }] });
      const options: StreamOptions = thinkingLevel === undefined ? {} : { thinkingLevel };
      const heard = await hear(providerAt("anthropic", server.url), asking(), options, { id, provider: "test" });
      assert.equal(heard.terminal, "done", heard.message.errorMessage);
      const requests = await server.requests();
      assert.equal(requests.length, 1);
      return { body: requests[0]?.body as Record<string, unknown>, headers: requests[0]?.headers ?? {} };
    };

    for (const id of ["anthropic/claude-opus-4.7", "us.anthropic.claude-opus-4-8-v1:0", "claude-sonnet-5@20260601"]) {
      it(`is asked for by effort of ${id}, which refuses budgets`, async () => {
        const { body } = await asked(id, "xhigh", "adaptiveOnly");
        assert.deepEqual(body.thinking, { type: "adaptive", display: "summarized" });
        assert.deepEqual(body.output_config, { effort: "xhigh" });
      });
    }

    it("is a budget for older models, whatever their id begins with", async () => {
      const { body } = await asked("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "medium", "budgetOnly");
      assert.deepEqual(body.thinking, { type: "enabled", budget_tokens: 10_240 });
    });

    it("is off as each model takes it, or the least that it can be asked for", async () => {
      assert.equal((await asked("claude-opus-4-8", "off")).body.thinking, undefined);
      assert.deepEqual((await asked("claude-opus-5", "off")).body.thinking, { type: "disabled" });
      assert.deepEqual((await asked("claude-sonnet-5-5", "off")).body.thinking, { type: "between_tools" });
      const fable = (await asked("claude-fable-5-1", "off", "alwaysThinks", "bindingBeta")).body;
      assert.deepEqual(fable.output_config, { effort: "low" });
      assert.equal((await asked("claude-opus-5", undefined)).body.thinking, undefined, "nothing was said of it");
    });

    it("comes between calls, too, where that takes a beta", async () => {
      assert.match((await asked("claude-sonnet-4-5", "low")).headers["anthropic-beta"] ?? "", /^interleaved-thinking-/);
      assert.equal((await asked("claude-sonnet-4-5", "off")).headers["anthropic-beta"], undefined);
      assert.equal((await asked("claude-opus-4-6", "low")).headers["anthropic-beta"], undefined);
      assert.equal((await asked("claude-3-7-sonnet-20250219", "low")).headers["anthropic-beta"], undefined);
    });

    it("is dropped by the provider, and no error, once the history before it has changed", async () => {
      const { body } = await asked("claude-opus-5-5", "high", "bindingBeta");
      const dropped = { prefix_mismatch_behavior: "drop_block" };
      assert.deepEqual(body.thinking, { type: "adaptive", display: "summarized", block_binding: dropped });
      assert.equal(JSON.stringify((await asked("claude-opus-4-8", "high")).body).includes("block_binding"), false);
    });

    it("has room beside the answer where no one has said how much a model may write", async () => {
      assert.equal((await asked("claude-opus-5-5", "high")).body.max_tokens, 64_000);
    });

    describe("with a budget, in a turn that began without", () => {
      const claude: Model = { id: "claude-sonnet-4-5", provider: "test" };
      const call = { type: "toolCall", id: "a", name: "read", arguments: {} } as const;
      const ownAnswer = (...content: Parameters<typeof assistant>) => ({ ...assistant(...content), model: claude.id });
      const unthought: LlmMessage[] = [user("Go"), ownAnswer(call), toolResult("a", "A")];
      const ask = (...messages: LlmMessage[]) =>
        hear(providerAt("anthropic", server.url), asking(...messages), { thinkingLevel: "high" }, claude);

      it("waits for the next one, and says so", async () => {
        await server.script({ enforce: "thinkingFirst" }, { when: {}, reply: { steps: [{ text: "Done." }] } });
        const heard = await ask(...unthought);
        assert.equal(textOf(heard.message), "Done.", heard.message.errorMessage);
        assert.deepEqual(warningsOf(heard), [
          "claude-sonnet-4-5 answers without thinking: its turn began without, and can't begin it now.",
        ]);
        assert.equal((await bodies())[0]?.thinking, undefined);
        const next = await ask(...unthought, heard.message, user("More"));
        assert.deepEqual(warningsOf(next), []);
        assert.notEqual((await bodies())[1]?.thinking, undefined);
      });

      it("goes on where the turn began with it", async () => {
        await server.script({ enforce: "thinkingFirst" }, { steps: [{ text: "Done." }] });
        const thought = { type: "thinking", text: "Hm.", signature: "s" } as const;
        const second = { ...call, id: "b" };
        const heard = await ask(
          ...[user("Go"), ownAnswer(thought, call), toolResult("a", "A")],
          ...[ownAnswer(second), toolResult("b", "B")],
        );
        assert.equal(textOf(heard.message), "Done.", heard.message.errorMessage);
        assert.notEqual((await bodies())[0]?.thinking, undefined);
      });
    });
  });

  describe("what a server reports", () => {
    for (const wire of ["anthropic", "responses", "chat"] as const) {
      it(`is unknown, and not nothing, when ${wire} counts zero tokens`, async () => {
        const nothing = { input: 0, output: 0 };
        await server.script({ steps: [{ text: "Hello." }], usage: nothing });
        // Messages streams begin with one token of output; these were sent by a server that counts none.
        const zero = wire === "anthropic" ? { fetch: withoutTokens } : {};
        const { message } = await hear(providerAt(wire, server.url, zero));
        assert.equal(message.usage, undefined);
      });
    }

    const withoutTokens: typeof globalThis.fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init);
      return new Response((await response.text()).replaceAll('"output_tokens":1', '"output_tokens":0'), response);
    };

    const completed = (response: object) =>
      `event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response })}\n\n`;

    it("is read from the status of a response that came to no end of its own", async () => {
      const cases = [
        { status: "cancelled", kind: "unknown", says: /unknown reason \(cancelled\)/ },
        { status: "failed", error: { code: "server_error", message: "Broke." }, kind: "unknown", says: /Broke/ },
      ];
      for (const { kind, says, ...response } of cases) {
        await server.reset();
        await server.script({ steps: [{ text: "So far" }, { raw: completed(response) }, { end: true }] });
        const { terminal, message } = await hear(providerAt("responses", server.url));
        assert.equal(terminal, "error", response.status);
        assert.equal(message.errorKind, kind);
        assert.match(message.errorMessage ?? "", says);
      }
    });

    it("is cut at its limit where only the status says so", async () => {
      for (const incomplete_details of [{ reason: "max_output_tokens" }, null]) {
        const raw = completed({ status: "incomplete", incomplete_details });
        await server.reset();
        await server.script({ steps: [{ text: "So far" }, { raw }, { end: true }] });
        assert.equal((await hear(providerAt("responses", server.url))).message.stopReason, "length");
      }
    });
  });

  it("OpenAI's phases come back with the parts of an answer that they were given for", async () => {
    const steps = [
      { text: "Looking.", phase: "commentary" },
      { text: "Found.", phase: "final_answer" },
    ];
    await server.script({ steps }, { steps: [{ text: "Yes." }] }, { steps: [{ text: "Yes." }] });
    const gpt: Model = { id: "gpt-5.6-sol", provider: "test" };
    const stream = providerAt("responses", server.url);
    const first = await hear(stream, asking(), {}, gpt);
    assert.deepEqual(
      first.message.content.map((part) => (part.type === "text" ? [part.text, part.phase] : [])),
      [
        ["Looking.", "commentary"],
        ["Found.", "final_answer"],
      ],
    );
    await hear(stream, asking(user("Hi"), first.message, user("Go on")), {}, gpt);
    await hear(stream, asking(user("Hi"), first.message, user("Go on")), {}, { ...gpt, id: "gpt-6-luna" });
    const phases = (await bodies()).map((body) => JSON.stringify(body).match(/"phase":"\w+"/g));
    assert.deepEqual(phases, [null, ['"phase":"commentary"', '"phase":"final_answer"'], null]);
  });

  describe("OpenAI's reasoning", () => {
    const asked = async (id: string, thinkingLevel: StreamOptions["thinkingLevel"], wire: WireName = "responses") => {
      await server.reset();
      await server.script({ steps: [{ text: "Yes." }] });
      const openai = providerAt(wire, server.url, {
        baseUrl: "https://api.openai.com/v1",
        fetch: (url, init) => globalThis.fetch(server.url + new URL(String(url)).pathname, init),
      });
      const options: StreamOptions = thinkingLevel === undefined ? {} : { thinkingLevel };
      await hear(openai, asking(), options, { id, provider: "test" });
      const { reasoning, include, reasoning_effort } = (await bodies())[0] ?? {};
      return { reasoning, include, reasoning_effort };
    };
    const none = { reasoning: undefined, include: undefined, reasoning_effort: undefined };

    it("is off by the value for it, where a model has one, and else at its minimum", async () => {
      assert.deepEqual(await asked("gpt-5.6-sol", "off"), { ...none, reasoning: { effort: "none" } });
      assert.equal((await asked("gpt-5.6", "off", "chat")).reasoning_effort, "none");
      assert.deepEqual((await asked("gpt-6-astra", "off")).reasoning, { effort: "low", summary: "auto" });
      assert.deepEqual((await asked("gpt-5", "off")).reasoning, { effort: "minimal", summary: "auto" });
    });

    it("is asked for by the next lower effort that the model takes, its text with it", async () => {
      assert.deepEqual((await asked("gpt-5.6-sol", "max")).reasoning, { effort: "max", summary: "auto" });
      assert.deepEqual((await asked("gpt-5.1", "max")).reasoning, { effort: "high", summary: "auto" });
      assert.deepEqual((await asked("gpt-5.1", "max")).include, ["reasoning.encrypted_content"]);
      assert.equal((await asked("o4-mini", "minimal", "chat")).reasoning_effort, "low");
    });

    it("is not mentioned to models that have none, or where no one has named a level", async () => {
      assert.deepEqual(await asked("gpt-4.1", "high"), none);
      assert.deepEqual(await asked("gpt-5.6", undefined), none);
      assert.deepEqual(await asked("unheard-of", "off"), none);
    });
  });

  it("a refusal says which policy it goes back to", async () => {
    const details = { type: "refusal", category: "frontier_llm", explanation: "Not this." };
    const delta = { type: "message_delta", delta: { stop_reason: "refusal", stop_details: details }, usage: {} };
    const raw = `event: message_delta\ndata: ${JSON.stringify(delta)}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`;
    await server.script({ steps: [{ raw }, { end: true }] });
    const { message } = await hear(providerAt("anthropic", server.url));
    assert.match(message.errorMessage ?? "", /declined to answer \(frontier llm: Not this\)/);
  });

  it("an answer that the provider lets another model give says whose it is", async () => {
    const block = { type: "fallback", from: { model: "claude-fable-5" }, to: { model: "claude-opus-4-8" } };
    const start = { type: "content_block_start", index: 0, content_block: block };
    const raw = `event: content_block_start\ndata: ${JSON.stringify(start)}\n\n`;
    await server.script({ steps: [{ raw }, { text: "Yes." }] });
    const heard = await hear(providerAt("anthropic", server.url));
    assert.equal(textOf(heard.message), "Yes.");
    assert.deepEqual(warningsOf(heard), [
      "Answered by claude-opus-4-8: the provider went on with it instead of the chosen model.",
    ]);
  });

  it("Anthropic's own servers get the key in x-api-key, and no other way", async () => {
    await server.script({ enforce: "apiKeyHeader" }, { when: {}, reply: { steps: [{ text: "Hello." }] } });
    for (const baseUrl of ["https://api.anthropic.com", server.url]) {
      const { terminal, message } = await hear(providerOf(baseUrl, "anthropic"));
      assert.equal(terminal, "done", message.errorMessage);
    }
    const [official, gateway] = await server.requests();
    assert.equal(official?.headers.authorization, undefined);
    assert.equal(gateway?.headers.authorization, `Bearer ${key}`);
  });

  it("a redirect to another host or port gets neither key nor headers nor the conversation", async () => {
    const elsewhere = await startFakeProvider();
    try {
      await elsewhere.script({ when: {}, reply: { steps: [{ text: "Caught." }] } });
      // Another name of this machine is another host, as far as can be seen; another port, another program's.
      const origins = [elsewhere.url.replace("127.0.0.1", "localhost"), elsewhere.url];
      for (const [origin, status] of origins.flatMap((each) => [302, 307, 308].map((code) => [each, code] as const))) {
        const location = `${origin}/v1/chat/completions`;
        const redirect = { status, body: "", headers: { location } };
        await server.script(redirect, redirect);
        const { message } = await hear(providerAt("chat", server.url, { headers: { "x-token": "secret" } }));
        assert.equal(message.errorKind, "rejected");
        assert.ok(message.errorMessage?.includes(`redirects to ${new URL(origin).origin}, where the key is not sent`));
      }
      assert.equal((await elsewhere.requests()).length, 0);
    } finally {
      await elsewhere.stop();
    }
  });

  it("a redirect within the host is followed, so often", async () => {
    const location = "/v1/chat/completions?again";
    const redirect = { status: 307, body: "", headers: { location } };
    // Sent once more, to be shown where to; what is never redirected is never copied.
    await server.script(redirect, redirect, { steps: [{ text: "Here." }] });
    assert.equal(textOf((await hear(providerAt("chat", server.url))).message), "Here.");
    await server.reset();
    await server.script({ when: {}, reply: redirect });
    assert.equal((await hear(providerAt("chat", server.url))).message.errorKind, "rejected");
    assert.equal((await server.requests()).length, 5);
  });

  it("no server gets a byte of an environment that is full of other people's settings", async () => {
    const alien = "alien-0815";
    const names = ["ANTHROPIC", "OPENAI"].flatMap((maker) => [
      ...[`${maker}_CUSTOM_HEADERS`, `${maker}_API_KEY`, `${maker}_AUTH_TOKEN`, `${maker}_ADMIN_KEY`],
      ...[`${maker}_ORG_ID`, `${maker}_PROJECT_ID`, `${maker}_BASE_URL`, `${maker}_BETAS`, `${maker}_MODEL`],
    ]);
    const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
    const before = [...names, ...proxies].map((name) => [name, process.env[name]] as const);
    const lines = [`x-team: ${alien}`, `authorization: Bearer ${alien}`, `user-agent: ${alien}`, `x-api-key: ${alien}`];
    try {
      for (const name of names) process.env[name] = name.endsWith("HEADERS") ? lines.join("\n") : alien;
      for (const name of proxies) process.env[name] = `http://${alien}:${alien}@127.0.0.1:9/`;
      await server.script({ when: {}, reply: { steps: [{ text: "Hello." }] } });
      for (const wire of ["anthropic", "responses", "chat"] as WireName[]) {
        const config = { baseUrl: baseUrlOf(wire, server.url) };
        for (const apiKey of ["sk-own", ""]) {
          const heard = await hear(providerAt(wire, server.url, { ...config, apiKey }));
          assert.equal(heard.terminal, "done", heard.message.errorMessage);
        }
      }
      assert.equal((await server.requests()).length, 6);
      assert.doesNotMatch(JSON.stringify(await server.requests()), new RegExp(alien));
      assert.equal(process.env.OPENAI_API_KEY, alien, "the environment is as it was");
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});
