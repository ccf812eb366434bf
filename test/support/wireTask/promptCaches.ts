import { blocksOf, commonLength, type WireRequest } from "./wireRequest.ts";

/** Of one request: tokens of input, by estimate, and how many of them the provider has in its cache. */
export interface CachedInput {
  tokens: number;
  cached: number;
}

const charactersPerToken = 4;
const minuteMs = 60_000;

/**
 * What a provider finds in its cache of each request, as its documentation has it:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching and
 * https://platform.openai.com/docs/guides/prompt-caching
 */
export function cachedInputs(requests: readonly WireRequest[]): CachedInput[] {
  const anthropic = anthropicCache();
  const openai = openaiCache();
  return requests.map((request) => (request.wire === "anthropic" ? anthropic(request) : openai(request)));
}

/** Over several requests, from 0 to 1. */
export function cachedShare(inputs: readonly CachedInput[]): number {
  const sum = (of: keyof CachedInput) => inputs.reduce((total, input) => total + input[of], 0);
  return sum("cached") / sum("tokens");
}

/** How far before a mark an earlier end of a cached prefix is looked for, the marked block included. */
const lookBackBlocks = 20;
/** The shortest prefix that is cached, of the models that ask for the longest. */
const anthropicMinTokens = 4_096;
/** What makes the conversation another one, though not tools and system prompt. */
const bindingOptions = ["tool_choice", "thinking", "output_config"];

/** Prefixes are cached that end in a marked block; found again are those that end at most 20 blocks before a mark. */
function anthropicCache(): (request: WireRequest) => CachedInput {
  const expiries = new Map<string, number>();
  const lifetimes = new Map<string, number>();
  return (request) => {
    const blocks = blocksOf(request);
    const fixed = request.tools.length + request.system.length;
    const bound = JSON.stringify(bindingOptions.map((name) => request.options[name]));
    const keys: string[] = [];
    let text = "";
    for (const [at, { value }] of blocks.entries()) {
      text += `${JSON.stringify(value)},`;
      keys.push(at < fixed ? text : `${bound}${text}`);
    }
    const tokensUpTo = (at: number) => Math.floor(((keys[at]?.length ?? 0) - (at < fixed ? 0 : bound.length)) / 4);
    const marks = blocks.flatMap(({ mark }, at) => (mark === undefined ? [] : [at]));
    const isAlive = (at: number) => (expiries.get(keys[at] ?? "") ?? 0) > request.atMs;
    const found = marks.flatMap((mark) => {
      const candidates = Array.from({ length: Math.min(lookBackBlocks, mark + 1) }, (_, back) => mark - back);
      return candidates.find(isAlive) ?? [];
    });
    const hit = Math.max(-1, ...found);
    for (const at of [...marks, ...found]) {
      const key = keys[at] ?? "";
      const lifetimeMs = blocks[at]?.mark?.ttl === "1h" ? 60 * minuteMs : (lifetimes.get(key) ?? 5 * minuteMs);
      if (tokensUpTo(at) < anthropicMinTokens) continue;
      lifetimes.set(key, lifetimeMs);
      // What is read lives as long again.
      expiries.set(key, request.atMs + lifetimeMs);
    }
    return { tokens: tokensUpTo(blocks.length - 1), cached: hit < 0 ? 0 : tokensUpTo(hit) };
  };
}

const openaiMinTokens = 1_024;
const openaiStepTokens = 128;

/** Every prefix is cached from 1,024 tokens on, in steps of 128; found by those who name the same key. */
function openaiCache(): (request: WireRequest) => CachedInput {
  const kept: { key: unknown; text: string; expiresMs: number }[] = [];
  return (request) => {
    const { options, atMs } = request;
    const key = options.prompt_cache_key;
    const text = blocksOf(request)
      .map(({ value }) => JSON.stringify(value))
      .join();
    const common = kept
      .filter((known) => known.key === key && known.expiresMs > atMs)
      .map((known) => commonLength(known.text, text));
    const tokens = Math.floor(Math.max(0, ...common) / charactersPerToken);
    const cached = tokens < openaiMinTokens ? 0 : tokens - (tokens % openaiStepTokens);
    const isLong = JSON.stringify(options.prompt_cache_options)?.includes("12h") === true;
    kept.push({ key, text, expiresMs: atMs + (isLong ? 12 * 60 : 30) * minuteMs });
    return { tokens: Math.floor(text.length / charactersPerToken), cached };
  };
}
