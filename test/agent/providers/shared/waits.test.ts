import assert from "node:assert/strict";
import { mock } from "node:test";
import { anthropicStream, openaiChatStream, openaiStream } from "../../../../src/agent/providers/index.ts";
import { retryAfterMs } from "../../../../src/agent/providers/shared/retry.ts";
import type { StreamEvent } from "../../../../src/agent/vocabulary/model.ts";
import { retryDelayMs } from "../../../../src/agent/vocabulary/retries.ts";
import { type FakeProvider, startFakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import { asking, baseUrlOf, fetchOf, hear, key, model, providerAt, textOf, wireNames } from "../support.ts";

const idleTimeoutMs = 77_000;

/** Holds the timers of one duration, so that a test says when they expire. */
function holdTimers(heldMs: number) {
  const held: (() => void)[] = [];
  let refreshed = 0;
  const real = globalThis.setTimeout;
  mock.method(globalThis, "setTimeout", (callback: () => void, delayMs?: number) => {
    if (delayMs !== heldMs) return real(callback, delayMs);
    held.push(callback);
    return { refresh: () => (refreshed += 1) };
  });
  return { expireFirst: () => held[0]?.(), refreshed: () => refreshed };
}

const publicStreams = { anthropic: anthropicStream, responses: openaiStream, chat: openaiChatStream };

describe("waiting for a provider", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  afterEach(() => mock.restoreAll());
  after(() => server.stop());

  for (const wire of wireNames) {
    describe(wire, () => {
      it("waits as long as the server asks, but never more than a minute", async () => {
        const headers = ["1", "120", "9999999", "0", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"];
        await server.script(
          ...headers.map((value) => ({ status: 429, body: "Slow down", headers: { "retry-after": value } })),
          { steps: [{ text: "Now." }] },
        );
        const delays: number[] = [];
        const { events } = await hear(providerAt(wire, server.url, { maxRetries: 9 }, delays));
        assert.deepEqual(delays, [1_000, 60_000, 60_000, 4_000, 8_000, 8_000, 8_000]);
        const retries = events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []));
        assert.deepEqual(retries, delays);
      });

      it("asks five more times by default", async () => {
        await server.script({ when: {}, reply: { status: 529, body: "Overloaded" } });
        const delays: number[] = [];
        await hear(providerAt(wire, server.url, {}, delays));
        assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000]);
      });

      it("wakes from a wait at once when the run is aborted, and asks no more", async () => {
        await server.script({ when: {}, reply: { status: 429, body: "Later", headers: { "retry-after": "60" } } });
        const abort = new AbortController();
        const stream = publicStreams[wire]({ apiKey: key, baseUrl: baseUrlOf(wire, server.url) });
        let last: StreamEvent | undefined;
        for await (const event of stream(model, asking(), { signal: abort.signal })) {
          if (event.type === "retry") setImmediate(() => abort.abort());
          last = event;
        }
        assert.ok(last?.type === "error");
        assert.equal(last.message.stopReason, "aborted");
        assert.equal("errorMessage" in last.message, false);
        assert.equal((await server.requests()).length, 1);
      });

      it("asks nothing at all when it is aborted already", async () => {
        const { message } = await hear(providerAt(wire, server.url), asking(), { signal: AbortSignal.abort() });
        assert.equal(message.stopReason, "aborted");
        assert.equal((await server.requests()).length, 0);
      });

      it("hangs up when it is aborted before the headers", async () => {
        await server.script({ steps: [{ text: "Never." }], holdAt: "headers" });
        const abort = new AbortController();
        const heard = hear(providerAt(wire, server.url), asking(), { signal: abort.signal });
        await server.reached("headers");
        abort.abort();
        assert.equal((await heard).message.stopReason, "aborted");
        assert.equal(await server.settled(0), "closed");
      });

      it("hangs up when it is aborted mid-stream, keeps the text, and lets no later delta through", async () => {
        await server.script({ steps: [{ text: "First." }, { gate: "held" }, { text: "Second." }] });
        const abort = new AbortController();
        const heard = hear(providerAt(wire, server.url), asking(), { signal: abort.signal });
        await server.reached("held");
        abort.abort();
        await server.release("held");
        const { message, events } = await heard;
        assert.equal(message.stopReason, "aborted");
        assert.doesNotMatch(JSON.stringify(events), /Second/);
        assert.equal(await server.settled(0), "closed");
      });

      it("drops what arrived together with the delta at which it was aborted", async () => {
        await server.script({ steps: [{ flood: 500 }] });
        const abort = new AbortController();
        const types: string[] = [];
        for await (const event of providerAt(wire, server.url)(model, asking(), { signal: abort.signal })) {
          types.push(event.type);
          if (event.type === "text_delta") abort.abort();
        }
        assert.deepEqual(types, ["start", "text_start", "text_delta", "error"]);
      });

      it("hangs up when its reader stops reading", async () => {
        await server.script({ steps: [{ text: "First." }, { gate: "held" }] });
        for await (const event of providerAt(wire, server.url)(model, asking(), {})) {
          if (event.type === "text_delta") break;
        }
        assert.equal(await server.settled(0), "closed");
      });

      it("gives up on a server that stays silent, and asks again", async () => {
        const clock = holdTimers(idleTimeoutMs);
        await server.script({ steps: [], holdAt: "headers" }, { steps: [{ text: "Awake." }] });
        const heard = hear(providerAt(wire, server.url, { idleTimeoutMs }));
        await server.reached("headers");
        clock.expireFirst();
        const { events, message } = await heard;
        assert.equal(textOf(message), "Awake.");
        const errors = events.flatMap((event) => (event.type === "retry" ? [event.error] : []));
        assert.deepEqual(errors, ["test sent nothing for 77 s."]);
        assert.equal(await server.settled(0), "closed");
      });

      it("says with a broken answer how long the provider wants to be left alone", async () => {
        const fail = { type: "overloaded_error", message: "Too much", code: "server_overloaded" };
        await server.script({ steps: [{ text: "So far" }, { fail }], headers: { "retry-after": "7" } });
        const { message } = await hear(providerAt(wire, server.url));
        assert.equal(message.errorKind, "overloaded");
        assert.equal(message.retryAfterMs, 7_000);
      });

      it("keeps the text of a stream that stalls, and does not ask again", async () => {
        const clock = holdTimers(idleTimeoutMs);
        await server.script({ steps: [{ text: "So far" }, { gate: "never" }] });
        const events: StreamEvent[] = [];
        for await (const event of providerAt(wire, server.url, { idleTimeoutMs })(model, asking(), {})) {
          events.push(event);
          if (event.type === "text_delta") clock.expireFirst();
        }
        const last = events.at(-1);
        assert.ok(last?.type === "error");
        assert.equal(last.message.errorKind, "network");
        assert.equal(textOf(last.message), "So far");
        assert.equal((await server.requests()).length, 1);
      });
    });
  }

  it("leaves a fetch that knows no signals", async () => {
    const clock = holdTimers(idleTimeoutMs);
    const deaf: typeof fetch = () => {
      setImmediate(clock.expireFirst);
      return new Promise(() => undefined);
    };
    const { message } = await hear(
      providerAt("chat", "http://127.0.0.1:1", { fetch: deaf, idleTimeoutMs, maxRetries: 0 }),
    );
    assert.equal(message.errorKind, "network");
  });

  it("counts every chunk as a sign of life, pings too", async () => {
    const clock = holdTimers(idleTimeoutMs);
    const ping = new TextEncoder().encode('event: ping\ndata: {"type":"ping"}\n\n');
    const fetch = fetchOf([ping, ping, ping]);
    await hear(providerAt("anthropic", "http://127.0.0.1:1", { fetch, idleTimeoutMs, maxRetries: 0 }));
    // The headers, three chunks and the end.
    assert.equal(clock.refreshed(), 5);
  });
});

describe("retry delays", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");
  const asked = (name: string, value: string) => retryAfterMs(new Headers({ [name]: value }), now);

  it("reads seconds, milliseconds and dates, and nothing from what has passed", () => {
    assert.equal(asked("retry-after", "1.5"), 1_500);
    assert.equal(asked("retry-after-ms", "250"), 250);
    assert.equal(asked("retry-after", "Tue, 01 Jan 2030 00:00:20 GMT"), 20_000);
    for (const past of ["0", "-1", "", "never", "Mon, 31 Dec 2029 23:59:59 GMT"])
      assert.equal(asked("retry-after", past), undefined);
  });

  it("spreads clients by up to a quarter", () => {
    assert.equal(retryDelayMs(1, undefined, 0), 500);
    assert.equal(retryDelayMs(1, undefined, 1), 375);
    assert.equal(retryDelayMs(30, undefined, 0), 8_000);
  });
});
