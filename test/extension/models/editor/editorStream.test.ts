import assert from "node:assert/strict";
import { unlimited } from "../../../../src/agent/providers/shared/rateLimiter.ts";
import type { Timing } from "../../../../src/agent/providers/shared/retry.ts";
import { type LlmMessage, textOf, userMessage } from "../../../../src/agent/vocabulary/messages.ts";
import type { ModelRequest, StreamEvent } from "../../../../src/agent/vocabulary/model.ts";
import type { EditorModel } from "../../../../src/extension/models/editor/editorModel.ts";
import { editorStream } from "../../../../src/extension/models/editor/editorStream.ts";
import { type EditorReply, editorModel, languageModelError } from "../../../support/scriptedEditorModel.ts";

const tool = { name: "look", description: "Looks.", parameters: { type: "object" } };
const question: ModelRequest = { systemPrompt: "Be brief.", messages: [userMessage("Hi")], tools: [tool] };

/** Time that passes only when a test says so. */
function manualTime() {
  const idle = new Map<() => void, number>();
  const waits: number[] = [];
  const pace: Timing = {
    random: () => 0,
    wait: async (delayMs) => {
      waits.push(delayMs);
    },
    idle: (run, delayMs) => {
      idle.set(run, delayMs);
      return { refresh: () => {}, stop: () => idle.delete(run) };
    },
  };
  const pass = () => {
    for (const run of [...idle.keys()]) run();
  };
  return { pace, waits, pass, running: () => idle.size };
}

interface Asked {
  request?: ModelRequest;
  signal?: AbortSignal;
  id?: string;
  time?: ReturnType<typeof manualTime>;
  onEvent?(event: StreamEvent): void;
}

async function ask(models: readonly EditorModel[], asked: Asked = {}) {
  const { request = question, id = "acme/m1", time = manualTime(), signal, onEvent } = asked;
  const stream = editorStream({ listModels: async () => [...models], limiter: unlimited, pace: time.pace });
  const events: StreamEvent[] = [];
  for await (const event of stream({ id, provider: "vscode", name: "Model One" }, request, signal ? { signal } : {})) {
    events.push(event);
    onEvent?.(event);
  }
  const last = events.at(-1);
  assert.ok(last?.type === "done" || last?.type === "error", "the stream ends");
  assert.equal(time.running(), 0, "no timer is left");
  return { events, message: last.message, types: events.map(({ type }) => type) };
}

const text = (words: string) => ({ type: "text" as const, text: words });
const call = (input: unknown, id = "c1") => ({ type: "call" as const, id, name: "look", input });

describe("the stream of a model of the editor", () => {
  it("hands over text as it comes", async () => {
    const { message, types } = await ask([editorModel({}, [{ parts: [text("Good "), text("day.")] }])]);
    assert.deepEqual(types, ["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
    assert.equal(textOf(message), "Good day.");
    assert.equal(message.stopReason, "stop");
    assert.equal(message.provider, "vscode");
    assert.equal(message.model, "acme/m1");
  });

  it("offers the tools, and hands over calls whole", async () => {
    const model = editorModel({}, [{ parts: [text("Let me see."), call({ at: "x" })] }]);
    const { message, types } = await ask([model]);
    assert.deepEqual(model.requests[0]?.tools, [tool]);
    assert.deepEqual(types.slice(-4), ["toolcall_start", "toolcall_delta", "toolcall_end", "done"]);
    assert.equal(message.stopReason, "toolUse");
    assert.deepEqual(message.content.at(-1), { type: "toolCall", id: "c1", name: "look", arguments: { at: "x" } });
  });

  it("gives each call an id of its own, whatever the model says", async () => {
    const before: LlmMessage = {
      role: "toolResult",
      id: "r",
      callId: "c1",
      toolName: "look",
      content: [],
      isError: false,
      timestamp: 0,
    };
    const request = { ...question, messages: [...question.messages, before] };
    const { message } = await ask([editorModel({}, [{ parts: [call({}), call({}), call({}, "")] }])], { request });
    const ids = message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []));
    assert.equal(new Set(["c1", ...ids]).size, 4);
  });

  it("finds a model by its family, and says when it is gone", async () => {
    const models = [editorModel({ id: "m1-2026", family: "m1" }, [{ parts: [text("Here.")] }])];
    assert.equal(textOf((await ask(models)).message), "Here.");
    const { message } = await ask(models, { id: "acme/other" });
    assert.equal(message.errorKind, "not_found");
    assert.match(message.errorMessage ?? "", /no model acme\/other .*Select another/);
  });

  for (const [what, input] of [
    ["text", "x"],
    ["nothing", undefined],
    ["a list", [1]],
  ] as const) {
    it(`runs no tool whose arguments are ${what}`, async () => {
      const model = editorModel({}, [{ parts: [call(input)] }]);
      const { message, types } = await ask([model]);
      assert.equal(message.stopReason, "error");
      assert.equal(message.errorKind, "incomplete");
      assert.ok(!types.includes("toolcall_end"));
      assert.equal(model.requests.length, 1);
    });
  }

  it("runs no tool whose arguments hold themselves", async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    assert.equal((await ask([editorModel({}, [{ parts: [call(loop)] }])])).message.errorKind, "incomplete");
  });
});

describe("tokens of a model of the editor", () => {
  it("are counted by the model's own counter, and marked as an estimate", async () => {
    const { message } = await ask([editorModel({}, [{ parts: [text("Good day.")] }])]);
    const input = "Be brief.".length + "Hi".length + JSON.stringify([tool]).length;
    assert.deepEqual(message.usage, {
      ...{ input, output: 9, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 },
      isEstimate: true,
    });
  });

  it("are absent, not zero, where it can't count", async () => {
    for (const count of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      const model = editorModel({ countTokens: async () => count }, [{ parts: [text("x")] }]);
      assert.equal((await ask([model])).message.usage, undefined);
    }
    const failing = editorModel({ countTokens: () => Promise.reject(new Error("no")) }, [{ parts: [text("x")] }]);
    assert.equal((await ask([failing])).message.usage, undefined);
  });

  it("do not hold up an answer for long", async () => {
    const time = manualTime();
    const model = editorModel({ countTokens: () => new Promise(() => {}) }, [{ parts: [text("x")] }]);
    const asking = ask([model], { time, onEvent: ({ type }) => type === "text_end" && setImmediate(time.pass) });
    const { message } = await asking;
    assert.equal(message.stopReason, "stop");
    assert.equal(message.usage, undefined);
  });

  it("are counted once for each message, however often it is sent", async () => {
    const model = editorModel({}, [{ parts: [text("1")] }, { parts: [text("2")] }]);
    const stream = editorStream({ listModels: async () => [model], limiter: unlimited, pace: manualTime().pace });
    const counts: number[] = [];
    for (const messages of [question.messages, [...question.messages, userMessage("More")]]) {
      for await (const _event of stream({ id: "acme/m1", provider: "vscode" }, { ...question, messages }, {}));
      counts.push(model.counted.length);
    }
    assert.deepEqual(counts, [4, 6], "prompt, tools, message and answer, then the new message and its answer");
  });
});

describe("what can go wrong with a model of the editor", () => {
  const errors: [string, unknown, string, RegExp][] = [
    ["it is gone", languageModelError("NotFound", "Unknown model"), "not_found", /Select another/],
    ["the user declined", languageModelError("NoPermissions", "Cannot be used"), "auth", /Retry and allow it/],
    [
      "it is blocked",
      languageModelError("Blocked", "You are blocked"),
      "billing",
      /quota of Model One is used up.*See your plan/,
    ],
    ["its rate is limited", languageModelError("Blocked", "Rate limit exceeded"), "rate_limit", /Wait a moment/],
    ["the quota is used up", Object.assign(new Error("No more"), { name: "ChatQuotaExceeded" }), "billing", /quota/],
    ["the prompt is too long", new Error("Message exceeds token limit."), "context", /Compact it, or start a new chat/],
    ["the answer was filtered", new Error("Response got filtered."), "rejected", /refused the request.*Change it/],
    [
      "the network is gone",
      languageModelError("Unknown", "", new Error("getaddrinfo ENOTFOUND host")),
      "network",
      /Check the network/,
    ],
    ["nobody is signed in", new Error("Sign in to use this model"), "auth", /Sign in with its extension/],
    ["nobody knows", new Error("It broke"), "unknown", /Model One failed \(It broke\)\. Retry/],
    ["it threw no error at all", undefined, "incomplete", /answered with nothing/],
  ];
  for (const [what, error, kind, sentence] of errors) {
    it(`is put in a sentence: ${what}`, async () => {
      const reply: EditorReply = error === undefined ? {} : { refuses: error };
      const { message } = await ask([
        editorModel(
          {},
          Array.from({ length: 9 }, () => reply),
        ),
      ]);
      assert.equal(message.stopReason, "error");
      assert.equal(message.errorKind, kind);
      assert.match(message.errorMessage ?? "", sentence);
      assert.doesNotMatch(message.errorMessage ?? "", /\{\d\}|undefined/);
    });
  }

  it("is asked again while nothing has come, if it may pass", async () => {
    const time = manualTime();
    const busy = new Error("503 service unavailable");
    const model = editorModel({}, [{ refuses: busy }, { throws: busy }, { parts: [text("Now.")] }]);
    const { message, events } = await ask([model], { time });
    assert.equal(textOf(message), "Now.");
    assert.equal(events.filter(({ type }) => type === "retry").length, 2);
    assert.deepEqual(time.waits, [500, 1_000]);
  });

  it("is not asked again for what will not pass, nor for ever", async () => {
    const denied = editorModel({}, [{ refuses: languageModelError("NoPermissions", "") }]);
    await ask([denied]);
    assert.equal(denied.requests.length, 1);
    const down = editorModel(
      {},
      Array.from({ length: 20 }, () => ({ refuses: new Error("ECONNREFUSED") })),
    );
    assert.equal((await ask([down])).message.errorKind, "network");
    assert.equal(down.requests.length, 6);
  });

  it("keeps what had come, and does not ask again, when it breaks halfway", async () => {
    const model = editorModel({}, [{ parts: [text("Good d")], throws: new Error("socket hang up") }]);
    const { message } = await ask([model]);
    assert.equal(message.stopReason, "error");
    assert.equal(textOf(message), "Good d");
    assert.equal(model.requests.length, 1);
  });

  it("is ended when nothing comes any more", async () => {
    const time = manualTime();
    const model = editorModel({}, [{ parts: [text("Good d")], hangs: true, after: () => setImmediate(time.pass) }]);
    const { message } = await ask([model], { time });
    assert.equal(message.errorKind, "network");
    assert.match(message.errorMessage ?? "", /sent nothing for 120 s/);
    assert.equal(model.signals[0]?.aborted, true, "its request is ended");
  });

  it("may take its time while the user is asked, and the stop still works at once", async () => {
    const time = manualTime();
    const controller = new AbortController();
    const model = editorModel({}, [{ isAsking: true }]);
    const asking = ask([model], { time, signal: controller.signal });
    await new Promise(setImmediate);
    time.pass();
    await new Promise(setImmediate);
    controller.abort();
    const { message } = await asking;
    assert.equal(message.stopReason, "aborted");
    assert.equal(message.errorMessage, undefined);
    assert.equal(model.signals[0]?.aborted, true);
  });

  it("is stopped halfway with what had come", async () => {
    const controller = new AbortController();
    const model = editorModel({}, [{ parts: [text("Good d")], hangs: true }]);
    const onEvent = ({ type }: StreamEvent) => type === "text_delta" && controller.abort();
    const { message } = await ask([model], { signal: controller.signal, onEvent });
    assert.equal(message.stopReason, "aborted");
    assert.equal(textOf(message), "Good d");
  });

  it("counts as stopped, not as whole, when the editor just ends a stopped answer", async () => {
    const controller = new AbortController();
    const model = editorModel({}, [{ parts: [text("Good d")], after: () => controller.abort() }]);
    assert.equal((await ask([model], { signal: controller.signal })).message.stopReason, "aborted");
    const canceled = Object.assign(new Error("Canceled"), { name: "Canceled" });
    assert.equal((await ask([editorModel({}, [{ throws: canceled }])])).message.stopReason, "aborted");
  });

  it("asks nothing with a signal that was aborted before", async () => {
    const model = editorModel();
    assert.equal((await ask([model], { signal: AbortSignal.abort() })).message.stopReason, "aborted");
    assert.equal(model.requests.length, 0);
  });
});
