import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { createSseDecoder } from "../../../src/agent/providers/shared/attempt.ts";
import type { AssistantMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { WireName } from "../../support/fakeProvider/script.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import figures from "../../support/soakFigures.json" with { type: "json" };
import { callsOf, fetchOf, type Heard, hear, providerAt, runsTools, textOf } from "./support.ts";

/** What this test reads of the corpus of recorded streams. */
interface Fixture {
  id: string;
  format: "anthropic-messages" | "openai-responses" | "openai-chat";
  body: { base64: string };
  expected: {
    text: string;
    thinking: { text?: string; summary?: string }[];
    toolCalls: { id: string; name: string; argumentsRaw: string; arguments: unknown }[];
    refusal: unknown;
    usage: Record<"input" | "output" | "cacheRead" | "cacheWrite" | "reasoning", number | null>;
    terminalEvent: boolean;
    error: unknown;
    mayRunTools: boolean;
  };
}
interface Corpus {
  fixtures: Fixture[];
  decoding: { cases: { id: string; chunks: string[]; events: { event: string | null; data: string }[] }[] };
}

const path = new URL("../../../../shared/corpora/sse-fixtures.json", import.meta.url);
const wireOf: Record<Fixture["format"], WireName> = {
  "anthropic-messages": "anthropic",
  "openai-responses": "responses",
  "openai-chat": "chat",
};

const unnamed = "Frames without a name are not of the Messages format; Anthropic's SDK drops them too.";
/** Rows in which we differ on purpose, and why. `checks` are left out; what is never left out: whether tools may run. */
const deviations: Record<string, { why: string; checks: ("content" | "ending" | "usage" | "run")[] }> = {
  "anthropic/spliced-message-start": {
    why: "Deltas of the first message are out already, so its part stays and the answer ends in an error.",
    checks: ["content", "ending", "usage"],
  },
  "anthropic/inline-reasoning": { why: unnamed, checks: ["content", "ending", "usage"] },
  "anthropic/inline-redacted-reasoning": { why: unnamed, checks: ["content", "ending", "usage"] },
  "anthropic/inline-signature-on-text": { why: unnamed, checks: ["content", "ending", "usage"] },
  "anthropic/inline-tool-deltas": { why: unnamed, checks: ["content", "ending", "usage", "run"] },
  "anthropic/inline-error-after-start": { why: unnamed, checks: ["usage"] },
  "anthropic/inline-overloaded-mid": { why: unnamed, checks: ["content", "usage"] },
  "anthropic/inline-cache-in-delta": { why: unnamed, checks: ["content", "ending", "usage"] },
  "anthropic/inline-pause-turn": { why: unnamed, checks: ["content", "ending", "usage"] },
  "responses/openai-local-shell-tool.1": {
    why: "Reasoning without a word and without encrypted content has nothing to show or to give back.",
    checks: ["content"],
  },
  "chat/inline-coincidentally-parsable": {
    why: "An answer with arguments that are not one JSON object fails as a whole.",
    checks: ["ending"],
  },
  "chat/inline-never-named": {
    why: "The call goes on as one of an unknown tool, which is answered with an error; no tool has that name.",
    checks: ["run"],
  },
};

describe("recorded streams", () => {
  if (!existsSync(path)) {
    it("are not at hand: the folder with the corpora is absent, so there is nothing to compare", () => {
      console.log("      (no corpora beside the project: recorded streams were not compared)");
    });
    return;
  }
  // The corpus is data of this repository's makers; its README states the shape.
  const corpus = JSON.parse(readFileSync(path, "utf8")) as Corpus;

  for (const fixture of corpus.fixtures) {
    const { body, listen } = streamOf(fixture);

    it(`${fixture.id} comes out as recorded, whole, cut anywhere and with CRLF`, async () => {
      const whole = await listen(body);
      compare(fixture, whole);
      const step = Math.max(1, Math.floor(body.length / 6));
      for (let at = fixture.id.length; at < body.length; at += step) {
        assert.deepEqual(plain(await listen(body.subarray(0, at), body.subarray(at))), plain(whole), `cut at ${at}`);
      }
      const crlf = Buffer.from(body.toString("utf8").replaceAll("\n", "\r\n"));
      assert.deepEqual(plain(await listen(crlf)), plain(whole));
    });

    it(`${fixture.id} runs nothing when it ends before its end`, async () => {
      const whole = textOf((await listen(body)).message);
      for (const at of sample(boundaries(body), 12)) {
        const heard = await listen(body.subarray(0, at));
        assert.equal(runsTools(heard), false, `cut at ${at}`);
        assert.equal(heard.terminal, "error", `cut at ${at}`);
        assert.ok(whole.startsWith(textOf(heard.message)), `cut at ${at}`);
      }
    });
  }

  const all = corpus.fixtures.map((fixture) => streamOf(fixture));
  const total = all.reduce((sum, { body }) => sum + body.length - 1, 0);

  /** Some of the places between two bytes of all streams, or all of them, evenly spread. */
  function* places(count: number): Generator<{ stream: RecordedStream; at: number }> {
    const step = Math.max(1, total / count);
    for (let number = 0; number < Math.min(count, total); number += 1) yield placeOf(Math.floor(number * step));
  }
  function placeOf(number: number): { stream: RecordedStream; at: number } {
    let before = 0;
    for (const stream of all) {
      if (number < before + stream.body.length - 1) return { stream, at: number - before + 1 };
      before += stream.body.length - 1;
    }
    throw new Error(`There is no place ${number}.`);
  }

  it("come out the same wherever the network splits them", async function () {
    this.timeout(timeLimitMs(120_000));
    assert.equal(total, figures.splits.full, "the full figure is every place");
    for (const { stream, at } of places(tries("splits").numRuns)) {
      const { body } = stream;
      const split = plain(await stream.listen(body.subarray(0, at), body.subarray(at)));
      assert.deepEqual(split, await stream.whole(), `${stream.id} split at ${at}`);
    }
  });

  it("come out the same when the network splits them twice", async function () {
    this.timeout(timeLimitMs(120_000));
    await fc.assert(
      fc.asyncProperty(fc.nat(total - 1), fc.double({ min: 0, max: 1, noNaN: true }), async (number, share) => {
        const { stream, at } = placeOf(number);
        const { body } = stream;
        const next = at + Math.floor((body.length - at) * share);
        const chunks = [body.subarray(0, at), body.subarray(at, next), body.subarray(next)];
        assert.deepEqual(plain(await stream.listen(...chunks)), await stream.whole(), `${stream.id}: ${at}, ${next}`);
      }),
      tries("splitPairs"),
    );
  });

  it("end defined wherever they end, and run no tool before their end", async function () {
    this.timeout(timeLimitMs(120_000));
    for (const { stream, at } of places(tries("cutStreams").numRuns)) {
      const heard = await stream.listen(stream.body.subarray(0, at));
      // What ends with the last event but for its closing line break has ended.
      if (heard.terminal === "done") assert.deepEqual(plain(heard), await stream.whole(), `${stream.id} cut at ${at}`);
      else assert.ok(heard.message.errorMessage, `${stream.id} cut at ${at}`);
      if (at <= startOfLastEvent(stream.body)) assert.equal(heard.terminal, "error", `${stream.id} cut at ${at}`);
    }
  });

  it("end defined whatever is garbled in them", async function () {
    this.timeout(timeLimitMs(20_000));
    const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    const piece = fc.record({ from: share, length: fc.nat(200), to: share, byte: fc.nat(255) });
    const damage = fc.constantFrom("drop", "repeat", "move", "overwrite");
    await fc.assert(
      fc.asyncProperty(
        fc.nat(all.length - 1),
        fc.array(fc.tuple(damage, piece), { maxLength: 4 }),
        async (n, damages) => {
          const stream = all[n] ?? assert.fail();
          const garbled = damages.reduce((body, [kind, at]) => damaged(body, kind, at), stream.body);
          const heard = await stream.listen(garbled);
          assert.equal("polluted" in {}, false);
          if (heard.terminal === "error") assert.ok(heard.message.errorMessage);
          if (!runsTools(heard)) return;
          // Free text is whole as it is, and belongs to a kind of tool that no one has.
          const whole = stream.body.includes('"custom') ? ["object", "string"] : ["object"];
          for (const call of callsOf(heard.message)) assert.ok(whole.includes(typeof call.arguments));
        },
      ),
      tries("garbledStreams"),
    );
  });

  for (const { id, chunks, events } of corpus.decoding.cases) {
    it(`decoding case ${id} gives its events`, () => {
      const decoder = createSseDecoder();
      const frames = chunks.flatMap((chunk) => decoder.push(Buffer.from(chunk, "base64")));
      // An event without data is none by the specification, and says nothing in any of the formats.
      const said = events.filter(({ data }) => data !== "");
      assert.deepEqual([...frames, ...decoder.end()], said);
    });
  }
});

/** A recorded stream, and a way to have it read in chunks of one's own. */
interface RecordedStream {
  id: string;
  body: Buffer;
  listen(...chunks: Uint8Array[]): Promise<Heard>;
  /** What it says when it comes in one chunk. */
  whole(): Promise<unknown[]>;
}

function streamOf({ id, format, body: { base64 } }: Fixture): RecordedStream {
  const body = Buffer.from(base64, "base64");
  let chunks: Uint8Array[] = [];
  let whole: Promise<unknown[]> | undefined;
  const fetch: typeof globalThis.fetch = (...request) => fetchOf(chunks)(...request);
  const stream = providerAt(wireOf[format], "http://fake.test", { fetch, maxRetries: 0 });
  const listen = async (...body: Uint8Array[]): Promise<Heard> => {
    chunks = body;
    const heard = await hear(stream);
    // As after an answer from a network: what a signal refers to weakly is collected between two turns of the event loop.
    await setImmediate();
    return heard;
  };
  return { id, body, listen, whole: () => (whole ??= listen(body).then(plain)) };
}

/** A body in which some bytes are missing, come again, stand elsewhere or are others. */
function damaged(
  body: Buffer,
  kind: string,
  { from, length, to, byte }: { from: number; length: number; to: number; byte: number },
): Buffer {
  const start = Math.floor(from * body.length);
  const piece = body.subarray(start, start + length);
  const rest = Buffer.concat([body.subarray(0, start), body.subarray(start + length)]);
  const at = Math.floor(to * rest.length);
  switch (kind) {
    case "drop":
      return rest;
    case "repeat":
      return Buffer.concat([body.subarray(0, start), piece, body.subarray(start)]);
    case "move":
      return Buffer.concat([rest.subarray(0, at), piece, rest.subarray(at)]);
    default:
      return Buffer.concat([body.subarray(0, start), Buffer.alloc(piece.length, byte), body.subarray(start + length)]);
  }
}

function compare({ id, format, expected }: Fixture, heard: Heard): void {
  const { message } = heard;
  const skipped = deviations[id]?.checks ?? [];
  if (!skipped.includes("run")) assert.equal(runsTools(heard), expected.mayRunTools, "may run tools");
  if (!skipped.includes("content")) {
    assert.equal(textOf(message), expected.text);
    const thinking = message.content.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
    assert.deepEqual(
      thinking,
      expected.thinking.map((part) => part.summary || part.text || ""),
    );
    const calls = expected.toolCalls.map((call) => [call.id, call.name, call.arguments ?? call.argumentsRaw]);
    assert.deepEqual(
      callsOf(message).map((call) => [call.id, call.name, call.arguments]),
      calls,
    );
  }
  if (!skipped.includes("ending")) {
    const fails = Boolean(expected.error) || !expected.terminalEvent || expected.refusal !== null;
    assert.equal(heard.terminal, fails ? "error" : "done", message.errorMessage);
  }
  if (!skipped.includes("usage")) compareUsage(format, expected.usage, message);
}

function compareUsage(
  format: Fixture["format"],
  expected: Fixture["expected"]["usage"],
  { usage }: AssistantMessage,
): void {
  // All zero, as of a server that does not count, is no report.
  if (expected.input === null || (expected.input === 0 && expected.output === 0)) {
    assert.equal(usage, undefined);
    return;
  }
  assert.ok(usage);
  // OpenAI's formats count what came from and went to the cache as input.
  const cached = format === "anthropic-messages" ? 0 : usage.cacheRead + usage.cacheWrite;
  assert.equal(usage.input + cached, expected.input);
  assert.equal(usage.output, expected.output);
  assert.equal(usage.cacheRead, expected.cacheRead ?? 0);
  if (expected.cacheWrite !== null) assert.equal(usage.cacheWrite, expected.cacheWrite);
  assert.equal(usage.reasoning, expected.reasoning ?? 0);
}

/** What must not depend on the network. */
function plain({ events }: Heard): unknown[] {
  return events.map((event) =>
    "message" in event && typeof event.message === "object"
      ? { ...event, message: { ...event.message, id: "", timestamp: 0 } }
      : event,
  );
}

/** Where an event ends and another follows, and one place in the middle of each event. */
function boundaries(body: Buffer): number[] {
  const ends = [...textOfBody(body).matchAll(/\r?\n\r?\n/g)].map((match) => match.index + match[0].length);
  const inside = ends.map((end, index) => Math.floor(((ends[index - 1] ?? 0) + end) / 2));
  return [...ends, ...inside].filter((at) => at <= startOfLastEvent(body)).sort((a, b) => a - b);
}

/** After the last event that says something, the answer is whole. */
function startOfLastEvent(body: Buffer): number {
  return textOfBody(body).trimEnd().lastIndexOf("\n\n") + 2;
}

/** A [DONE] after the end of a Responses stream is an ornament. */
function textOfBody(body: Buffer): string {
  return body.toString("latin1").replace(/(response\.completed.*\n\n)data: \[DONE\]\s*$/, "$1");
}

/** At most `count`, spread evenly, the last ones always: there the most is at stake. */
function sample(places: readonly number[], count: number): number[] {
  const step = Math.max(1, places.length / count);
  const chosen = Array.from({ length: Math.min(count, places.length) }, (_, n) => places[Math.floor(n * step)] ?? 0);
  return [...new Set([...chosen, ...places.slice(-3)])];
}
