import { Lexer, type Token, type TokensList } from "marked";
import { toBlock, withoutFinalBreaks } from "./convert.ts";
import type { Block } from "./structure.ts";

/** A block that keeps its identity while the text after it grows. */
export interface ParsedBlock {
  key: number;
  block: Block;
}

/** A markdown text taken apart, with what is needed to go on when it grows. */
export interface ParsedMarkdown {
  readonly text: string;
  readonly blocks: readonly ParsedBlock[];
  /** The end of the text, which may yet be read otherwise; the blocks before `settledBlocks` precede it. */
  readonly tail: string;
  readonly settledBlocks: number;
  /** The last block is a fence that is still open: more text is more code until its closing line. */
  readonly openFence: OpenFence | undefined;
}

export interface OpenFence {
  /** What the closing line is made of. */
  marker: "`" | "~";
  /** The last line so far. */
  line: string;
  /** Line breaks at the end, which are not shown until something follows. */
  breaks: string;
}

/** Larger texts are shown as they are. */
export const maxTextLength = 400_000;

export const emptyMarkdown: ParsedMarkdown = {
  text: "",
  blocks: [],
  tail: "",
  settledBlocks: 0,
  openFence: undefined,
};

/** Parses a text; when it continues `previous`, only from the start of the block that was growing. */
export function parseMarkdown(source: string, previous: ParsedMarkdown = emptyMarkdown): ParsedMarkdown {
  if (source === previous.text) return previous;
  const known = previous.text.length;
  const isContinued = continues(source, previous.text);
  // What was parsed has no such line ends, so only what is new is searched for them.
  const hasReturns = source.indexOf("\r", isContinued ? known : 0) >= 0;
  const text = hasReturns ? source.replace(/\r\n?/g, "\n") : source;
  const start = isContinued || continues(text, previous.text) ? previous : emptyMarkdown;
  if (start === previous && text.length === known) return previous;
  return parseOn(text, text.slice(start.text.length), start);
}

/** Parses a text that is `previous` and `more`. */
export function parseOn(text: string, more: string, previous: ParsedMarkdown): ParsedMarkdown {
  if (text.length > maxTextLength) return plainMarkdown(text);
  const tail = previous.tail + more;
  const tokens = lex(tail);
  if (tokens === undefined) return plainMarkdown(text);
  // A link's definition is for all words of the text, also those above it: nothing is settled then.
  const hasDefinitions = Object.keys(tokens.links).length > 0;
  if (hasDefinitions && tail.length < text.length) return parseOn(text, text, emptyMarkdown);
  const settled = hasDefinitions ? 0 : settledCount(tokens, tail);
  const blocks = previous.blocks.slice(0, previous.settledBlocks);
  let settledLength = 0;
  let settledBlocks = blocks.length;
  for (const [index, token] of tokens.entries()) {
    const block = toBlock(token);
    if (block !== undefined) {
      const parsed = { key: blocks.length, block: inOutline(block, blocks) };
      blocks.push(reuse(previous.blocks[parsed.key], parsed));
    }
    if (index < settled) {
      settledLength += token.raw.length;
      settledBlocks = blocks.length;
    }
  }
  return { text, blocks, tail: tail.slice(settledLength), settledBlocks, openFence: openFenceOf(tokens.at(-1)) };
}

/** The value with all that is in `known` as well: what is the very same is not drawn again. */
function reuse<Value>(known: unknown, value: Value): Value {
  if (typeof value !== "object" || value === null || typeof known !== "object" || known === null) return value;
  let isSame = true;
  let count = 0;
  for (const key in value) {
    count++;
    const before: unknown = Reflect.get(known, key);
    const after = reuse(before, value[key]);
    value[key] = after;
    if (before !== after) isSame = false;
  }
  if (!isSame) return value;
  for (const _key in known) count--;
  // Of the same shape and parts: it is one and the same value.
  return count === 0 ? (known as Value) : value;
}

/** As `startsWith`, which compares letter by letter: slices are compared as a block of memory. */
function continues(text: string, start: string): boolean {
  return text.length >= start.length && text.slice(0, start.length) === start;
}

/** A heading at most one level below the one before it: readers of the screen move by levels. */
function inOutline(block: Block, before: readonly ParsedBlock[]): Block {
  if (block.type !== "heading") return block;
  const above = before.findLast((parsed) => parsed.block.type === "heading")?.block;
  const levelAbove = above?.type === "heading" ? (above.level ?? 0) : 0;
  return { ...block, level: Math.min(block.depth, levelAbove + 1) };
}

/**
 * How many tokens no later text can change. The last one that is complete may still grow, and a last line that is not
 * complete may yet turn out to belong to it, unless a blank line is between them.
 */
function settledCount(tokens: readonly Token[], text: string): number {
  const lastLine = text.lastIndexOf("\n") + 1;
  let settled = 0;
  let offset = 0;
  for (const [index, token] of tokens.entries()) {
    offset += token.raw.length;
    if (offset > lastLine) break;
    if (token.type !== "space")
      settled = endsAtBlankLine.has(token.type) && isBlank(tokens[index + 1]) ? index + 1 : index;
  }
  return settled;
}

/** Lists and quotes go on after blank lines. */
const endsAtBlankLine: ReadonlySet<string> = new Set(["paragraph", "heading", "table", "hr"]);

function isBlank(token: Token | undefined): boolean {
  return token?.type === "space";
}

function openFenceOf(token: Token | undefined): OpenFence | undefined {
  if (token?.type !== "code") return undefined;
  const opening = /^(`{3,}|~{3,})[^\n]*\n/.exec(token.raw);
  const fence = opening?.[1];
  if (opening === null || fence === undefined) return undefined;
  const lastLine = token.raw.trimEnd().split("\n").at(-1) ?? "";
  const isClosed = token.raw.trimEnd().length > opening[0].trimEnd().length && lastLine.trim().startsWith(fence);
  if (isClosed) return undefined;
  const code = token.raw.slice(opening[0].length);
  return {
    marker: fence.startsWith("~") ? "~" : "`",
    line: code.slice(code.lastIndexOf("\n") + 1),
    breaks: code.slice(withoutFinalBreaks(code).length),
  };
}

function plainMarkdown(text: string): ParsedMarkdown {
  const blocks: ParsedBlock[] = [{ key: 0, block: { type: "plain", text } }];
  return { text, blocks, tail: text, settledBlocks: 0, openFence: undefined };
}

/** Longer runs of text are not searched for emphasis and links: that costs more than anyone would read. */
export const maxInlineLength = 10_000;

/** The top-level tokens of a text, or undefined when the text defeats the lexer (it recurses on nesting). */
function lex(text: string): TokensList | undefined {
  const lexer = new Lexer({ gfm: true });
  try {
    lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length <= maxInlineLength) lexer.inlineTokens(src, tokens);
      else tokens.push({ type: "escape", raw: src, text: src });
    }
    return lexer.tokens;
  } catch {
    return undefined;
  }
}
