import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { providerErrorKind, routeStream } from "../../../src/agent/providers/index.ts";
import type { ProviderErrorKind } from "../../../src/agent/vocabulary/messages.ts";
import type { Reply, Step } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { asking, assistant, hear, key, model, providerAt, runsTools, textOf, wireNames } from "./support.ts";

interface ErrorCase {
  status: number;
  body: unknown;
  kind: ProviderErrorKind;
  isRetried: boolean;
  says: RegExp;
}

const error = (type: string, message: string, code?: string) => ({ error: { type, message, code: code ?? null } });

const cases: ErrorCase[] = [
  {
    status: 400,
    body: error("invalid_request_error", "messages.3: bad"),
    kind: "rejected",
    isRetried: false,
    says: /rejected the request \(messages\.3: bad\)\. Change/,
  },
  {
    status: 400,
    body: error("invalid_request_error", "prompt is too long: 210000 tokens"),
    kind: "context",
    isRetried: false,
    says: /too long for test-model.*Compact it/,
  },
  {
    status: 400,
    body: error("invalid_request_error", "Too big", "context_length_exceeded"),
    kind: "context",
    isRetried: false,
    says: /Compact it/,
  },
  {
    status: 400,
    body: error("invalid_request_error", "Your credit balance is too low"),
    kind: "billing",
    isRetried: false,
    says: /Add credit/,
  },
  {
    status: 401,
    body: error("authentication_error", "invalid key"),
    kind: "auth",
    isRetried: false,
    says: /rejected the API key.*Set a valid key/,
  },
  { status: 402, body: error("payment_required", "Pay first"), kind: "billing", isRetried: false, says: /Add credit/ },
  {
    status: 403,
    body: error("permission_error", "no access"),
    kind: "auth",
    isRetried: false,
    says: /does not allow test-model.*Set another key/,
  },
  {
    status: 404,
    body: error("not_found_error", "model: x"),
    kind: "not_found",
    isRetried: false,
    says: /has no model test-model at 127\.0\.0\.1.*Pick another model/,
  },
  {
    status: 408,
    body: error("timeout_error", "Slow"),
    kind: "unknown",
    isRetried: true,
    says: /failed with status 408 \(Slow\).*Retry/,
  },
  { status: 409, body: error("conflict", "Locked"), kind: "unknown", isRetried: true, says: /status 409/ },
  { status: 413, body: error("request_too_large", "32 MB"), kind: "context", isRetried: false, says: /Compact it/ },
  { status: 422, body: error("invalid", "No such field"), kind: "rejected", isRetried: false, says: /No such field/ },
  {
    status: 429,
    body: error("rate_limit_error", "Slow down"),
    kind: "rate_limit",
    isRetried: true,
    says: /limits the rate of requests \(Slow down\)\. Wait/,
  },
  {
    status: 429,
    body: error("insufficient_quota", "Quota", "insufficient_quota"),
    kind: "billing",
    isRetried: false,
    says: /Add credit/,
  },
  {
    status: 429,
    body: error("billing_error", "Limit", "enforced_spend_limit_reached"),
    kind: "billing",
    isRetried: false,
    says: /Add credit/,
  },
  {
    status: 429,
    body: error("x", "Limit", "credit_balance_exhausted"),
    kind: "billing",
    isRetried: false,
    says: /Add credit/,
  },
  {
    status: 429,
    body: error("x", "Limit", "organization_spend_limit_exceeded"),
    kind: "billing",
    isRetried: false,
    says: /Add credit/,
  },
  {
    status: 429,
    body: error("x", "Limit", "organization_usage_limit_exceeded"),
    kind: "billing",
    isRetried: false,
    says: /Add credit/,
  },
  {
    status: 500,
    body: error("api_error", "Oops"),
    kind: "unknown",
    isRetried: true,
    says: /status 500 \(Oops\) \(request id req_42\)\. Retry/,
  },
  {
    status: 502,
    body: "<html><body><h1>Bad  gateway</h1></body></html>",
    kind: "unknown",
    isRetried: true,
    says: /status 502 \(Bad gateway\)/,
  },
  { status: 503, body: error("overloaded_error", "Busy"), kind: "overloaded", isRetried: true, says: /is overloaded/ },
  {
    status: 504,
    body: "",
    kind: "unknown",
    isRetried: true,
    says: /failed with status 504 \(request id req_42\)\. Retry/,
  },
  {
    status: 529,
    body: error("overloaded_error", "Overloaded"),
    kind: "overloaded",
    isRetried: true,
    says: /is overloaded \(Overloaded\)/,
  },
];

describe("failures through the real SDKs", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  for (const wire of wireNames) {
    describe(wire, () => {
      for (const { status, body, kind, isRetried, says } of cases) {
        const what = typeof body === "string" ? "a page" : JSON.stringify(body);
        it(`${isRetried ? "retries" : "does not retry"} ${status} ${what} and calls it ${kind}`, async () => {
          await server.script({
            when: {},
            reply: { status, body, headers: { "request-id": "req_42", "x-request-id": "req_42" } },
          });
          const { events, terminal, message } = await hear(providerAt(wire, server.url, { maxRetries: 1 }));
          assert.equal(terminal, "error");
          assert.equal(providerErrorKind(message), kind);
          assert.match(message.errorMessage ?? "", says);
          assert.equal((await server.requests()).length, isRetried ? 2 : 1);
          assert.equal(events.filter((event) => event.type === "retry").length, isRetried ? 1 : 0);
        });
      }

      it("obeys a server that says not to retry", async () => {
        const reply = {
          status: 500,
          body: error("api_error", "Broken for good"),
          headers: { "x-should-retry": "false" },
        };
        await server.script({ when: {}, reply });
        await hear(providerAt(wire, server.url));
        assert.equal((await server.requests()).length, 1);
      });

      it("obeys a server that says to retry what is not retried else", async () => {
        const headers = { "x-should-retry": "true" };
        await server.script(
          { status: 400, body: error("api_error", "Try again"), headers },
          { steps: [{ text: "Now." }] },
        );
        assert.equal(textOf((await hear(providerAt(wire, server.url))).message), "Now.");
        const billing = { status: 429, body: error("billing_error", "No", "insufficient_quota"), headers };
        await server.script({ when: {}, reply: billing });
        await hear(providerAt(wire, server.url));
        assert.equal((await server.requests()).length, 3, "but never for money");
      });

      it("retries a connection that is reset before the headers, then says that it cannot reach the server", async () => {
        await server.script({ when: {}, reply: { drop: true } });
        const { message } = await hear(providerAt(wire, server.url, { maxRetries: 2 }));
        assert.equal((await server.requests()).length, 3);
        assert.equal(message.errorKind, "network");
        assert.match(
          message.errorMessage ?? "",
          /Could not reach test at 127\.0\.0\.1:\d+ \(.+\)\. Check the connection/,
        );
      });

      it("goes on with the answer that a retry brings", async () => {
        await server.script(
          { status: 529, body: error("overloaded_error", "Busy") },
          { drop: true },
          { steps: [{ text: "Here." }] },
        );
        const { events, terminal, message } = await hear(providerAt(wire, server.url));
        assert.equal(terminal, "done");
        assert.equal(textOf(message), "Here.");
        const retries = events.flatMap((event) => (event.type === "retry" ? [event] : []));
        assert.deepEqual(
          retries.map(({ attempt }) => attempt),
          [1, 2],
        );
        assert.deepEqual(
          retries.map(({ errorFacts }) => errorFacts?.code),
          ["overloaded", "unreachable"],
        );
        assert.equal(retries[0]?.errorFacts?.said, "Busy");
        assert.equal(events.filter((event) => event.type === "start").length, 1);
      });

      it("retries an error event that comes first, and keeps the text before one that comes late", async () => {
        const fail: Step = { fail: { type: "overloaded_error", message: "Overloaded", code: "server_overloaded" } };
        await server.script({ steps: [fail] }, { steps: [{ text: "So far" }, fail] });
        const { events, message, terminal } = await hear(providerAt(wire, server.url));
        assert.equal(events.filter((event) => event.type === "retry").length, 1);
        assert.equal(terminal, "error");
        assert.equal(message.errorKind, "overloaded");
        assert.equal(textOf(message), "So far");
        assert.equal((await server.requests()).length, 2);
      });

      it("does not ask again for an answer that has begun, whatever the error says of the request", async () => {
        const fail: Step = { fail: { type: "invalid_request_error", message: "thinking can't be read", code: "400" } };
        await server.script({ steps: [{ text: "So far" }, fail] }, { steps: [{ text: "Again" }] });
        const thought = assistant(
          { type: "thinking", text: "Hm.", signature: "signed" },
          { type: "text", text: "Well." },
        );
        const request = asking();
        const messages = [...request.messages, thought, ...request.messages];
        const { events, message, terminal } = await hear(providerAt(wire, server.url), { ...request, messages });
        assert.deepEqual([terminal, textOf(message)], ["error", "So far"]);
        assert.equal(events.filter((event) => event.type === "retry").length, 0);
        assert.equal((await server.requests()).length, 1);
      });

      it("never retries a billing error event", async () => {
        const steps: Step[] = [{ fail: { type: "billing_error", message: "No credit", code: "insufficient_quota" } }];
        await server.script({ when: {}, reply: { steps } });
        const { message } = await hear(providerAt(wire, server.url));
        assert.equal(message.errorKind, "billing");
        assert.equal((await server.requests()).length, 1);
      });

      it("takes a web page for what it is, whatever its status says", async () => {
        await server.script({ when: {}, reply: { status: 200, body: "<!doctype html><title>Sign in</title>" } });
        const { message } = await hear(providerAt(wire, server.url));
        assert.equal(message.errorKind, "network");
        assert.match(message.errorMessage ?? "", /answered with a web page.*Check the base URL/);
        assert.equal((await server.requests()).length, 1);
      });

      it("reads an error that comes as JSON with status 200", async () => {
        await server.script({ when: {}, reply: { status: 200, body: error("authentication_error", "Who are you?") } });
        assert.equal((await hear(providerAt(wire, server.url))).message.errorKind, "auth");
      });

      it("masks the key wherever a server echoes it", async () => {
        const echoes: Reply[] = [
          { status: 401, body: error("authentication_error", `Bad key ${key} in Bearer ${key}`) },
          { status: 500, body: `${"x".repeat(290)}${key}` },
          { steps: [{ fail: { type: "api_error", message: `Key ${key} broke` } }] },
        ];
        for (const reply of echoes) {
          await server.script(reply, reply);
          const { events } = await hear(providerAt(wire, server.url, { maxRetries: 1 }));
          assert.doesNotMatch(JSON.stringify(events), /canary|sk-c/);
          await server.reset();
        }
      });

      const position: Record<string, { steps: Step[]; text: string; endMarker?: boolean }> = {
        "before anything": { steps: [{ cut: true }], text: "" },
        "inside the text": { steps: [{ text: "Half a sen" }, { cut: true }], text: "Half a sen" },
        "inside the arguments": {
          steps: [{ text: "Let me." }, { tool: "write", rawArguments: '{"path":"/a","x":' }, { cut: true }],
          text: "Let me.",
        },
        "after a whole call": {
          steps: [{ text: "Let me." }, { tool: "write", arguments: { path: "/a" } }, { endPart: true }, { cut: true }],
          text: "Let me.",
        },
        "after a whole call, cleanly": {
          steps: [{ text: "Let me." }, { tool: "write", arguments: { path: "/a" } }, { endPart: true }, { end: true }],
          text: "Let me.",
        },
        "before the finish marker": {
          steps: [{ text: "Let me." }, { tool: "write", arguments: { path: "/a" } }],
          text: "Let me.",
          endMarker: false,
        },
      };
      for (const [where, { text, ...reply }] of Object.entries(position)) {
        it(`runs nothing of a stream that is cut ${where}, and keeps its text`, async () => {
          await server.script(reply);
          const heard = await hear(providerAt(wire, server.url, { maxRetries: 0 }));
          assert.equal(runsTools(heard), false);
          assert.equal(heard.terminal, "error");
          assert.equal(heard.message.stopReason, "error");
          assert.equal(heard.message.errorKind, "incomplete");
          assert.match(heard.message.errorMessage ?? "", /lost before the answer was complete.*Try again/);
          assert.equal(textOf(heard.message), text);
        });
      }

      it("does not ask again after the first delta", async () => {
        await server.script({ when: {}, reply: { steps: [{ text: "a" }, { cut: true }] } });
        const { events } = await hear(providerAt(wire, server.url));
        assert.equal((await server.requests()).length, 1);
        assert.equal(
          events.some((event) => event.type === "retry"),
          false,
        );
      });
    });
  }

  it("does not take the closing mark of a Chat stream for an end that no one gave a reason for", async () => {
    await server.script({ steps: [{ text: "So far" }, { raw: "data: [DONE]\n\n" }, { end: true }] });
    const { message, terminal } = await hear(providerAt("chat", server.url));
    assert.equal(terminal, "error");
    assert.equal(message.errorKind, "incomplete");
    assert.match(message.errorMessage ?? "", /lost before the answer was complete/);
  });

  it("says that nothing listens at the base URL", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    assert.ok(typeof address === "object" && address !== null);
    taken.close();
    await once(taken, "close");
    const { message } = await hear(providerAt("chat", `http://127.0.0.1:${address.port}`, { maxRetries: 0 }));
    assert.equal(message.errorKind, "network");
    assert.match(message.errorMessage ?? "", /Could not reach test at 127\.0\.0\.1:\d+ \(connect ECONNREFUSED/);
  });

  it("says that a base URL is none, without asking", async () => {
    const { message, events } = await hear(providerAt("chat", "", { baseUrl: "localhost" }));
    assert.match(message.errorMessage ?? "", /Could not reach test at localhost \(not a URL\)/);
    assert.deepEqual(
      events.map((event) => event.type),
      ["start", "error"],
    );
  });

  it("names a provider that no route leads to", async () => {
    const { message, terminal } = await hear(routeStream({ other: providerAt("chat", server.url) }));
    assert.equal(terminal, "error");
    assert.match(message.errorMessage ?? "", /"test" is not set up \(known: other\)\. Pick/);
    assert.deepEqual(message.errorFacts, {
      ...{ code: "unknown_provider", provider: "test", model: model.name ?? model.id, known: ["other"] },
    });
    assert.equal(providerErrorKind(message), "not_found");
  });

  it("routes by the model's provider, and by nothing that objects inherit", async () => {
    await server.script({ steps: [{ text: "Routed." }] });
    const route = routeStream({ [model.provider]: providerAt("chat", server.url) });
    assert.equal(textOf((await hear(route)).message), "Routed.");
    const events = [];
    for await (const event of route(
      { id: "m", provider: "constructor" },
      { systemPrompt: "", messages: [], tools: [] },
      {},
    )) {
      events.push(event.type);
    }
    assert.deepEqual(events, ["error"]);
  });
});
