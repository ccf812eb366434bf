import assert from "node:assert/strict";
import { cachedInputs } from "../../support/wireTask/promptCaches.ts";
import type { Block, WireRequest } from "../../support/wireTask/wireRequest.ts";

const minuteMs = 60_000;
const text = (name: string, tokens: number): Block => ({
  value: { text: name.repeat(tokens * 4).slice(0, tokens * 4) },
});
const marked = (block: Block, ttl?: string): Block => ({ ...block, mark: ttl === undefined ? {} : { ttl } });

function request(wire: WireRequest["wire"], atMs: number, conversation: Block[], options = {}): WireRequest {
  return { wire, atMs, agent: "main", tools: [], system: [], conversation, options };
}

/** Tokens that the last of these requests finds. */
function found(...requests: WireRequest[]): number {
  return cachedInputs(requests).at(-1)?.cached ?? 0;
}

describe("what a provider has in its cache, by its rules", () => {
  const long = text("a", 5_000);
  const begun = (atMs = 0, ttl?: string) => request("anthropic", atMs, [marked(long, ttl)]);
  const later = (atMs: number, between: number, last = text("c", 10)) =>
    request("anthropic", atMs, [long, ...Array.from({ length: between }, () => text("b", 1)), marked(last)]);

  it("is for Anthropic what ends at a mark, looked for in the 20 blocks before one", () => {
    assert.ok(found(begun(), later(1_000, 18)) > 5_000);
    assert.equal(found(begun(), later(1_000, 19)), 0);
    assert.equal(found(request("anthropic", 0, [long]), later(1_000, 1)), 0, "without a mark nothing is kept");
  });

  it("is gone for Anthropic after five minutes or an hour, counted from when it was read", () => {
    assert.equal(found(begun(), later(6 * minuteMs, 1)), 0);
    assert.ok(found(begun(0, "1h"), later(59 * minuteMs, 1)) > 0);
    assert.ok(found(begun(), later(4 * minuteMs, 1), later(8 * minuteMs, 2)) > 0);
  });

  it("is nothing for Anthropic that is short, nor a conversation that is thought about otherwise", () => {
    const short = text("a", 4_000);
    assert.equal(found(request("anthropic", 0, [marked(short)]), request("anthropic", 1, [marked(short)])), 0);
    const thinking = request("anthropic", 1, [marked(long)], { thinking: { type: "adaptive" } });
    assert.equal(found(begun(), thinking), 0);
  });

  const openai = (atMs: number, blocks: Block[], key = "chat") =>
    request("responses", atMs, blocks, { prompt_cache_key: key });

  it("is for OpenAI whatever begins alike, from 1,024 tokens on in steps of 128", () => {
    const [first, second] = [
      openai(0, [text("a", 1_200), text("b", 50)]),
      openai(1, [text("a", 1_200), text("c", 50)]),
    ];
    assert.equal(found(first, second), 1_152);
    assert.equal(found(openai(0, [text("a", 1_000)]), openai(1, [text("a", 1_000), text("b", 500)])), 0);
  });

  it("is gone for OpenAI after half an hour, or twelve where they are asked for, and there for its key alone", () => {
    const blocks = [text("a", 2_000)];
    assert.ok(found(openai(0, blocks), openai(29 * minuteMs, blocks)) > 0);
    assert.equal(found(openai(0, blocks), openai(31 * minuteMs, blocks)), 0);
    const lasting = request("responses", 0, blocks, { prompt_cache_key: "chat", prompt_cache_options: { ttl: "12h" } });
    assert.ok(found(lasting, openai(11 * 60 * minuteMs, blocks)) > 0);
    assert.equal(found(openai(0, blocks), openai(1, blocks, "other")), 0);
  });
});
