import type { Token } from "marked";
import { toBlock, withoutFinalBreaks } from "./convert.ts";
import { lex } from "./lex.ts";
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
  /** The text before this offset and the blocks before `settledBlocks` will not change any more. */
  readonly settledOffset: number;
  readonly settledBlocks: number;
  /** The last block is a fence that is still open: more text is more code until its closing line. */
  readonly openFence: OpenFence | undefined;
}

interface OpenFence {
  /** What the closing line is made of. */
  marker: "`" | "~";
  /** Where the code begins in the text. */
  start: number;
}

/** Larger texts are shown as they stand. */
const longestText = 400_000;

export const emptyMarkdown: ParsedMarkdown = {
  text: "",
  blocks: [],
  settledOffset: 0,
  settledBlocks: 0,
  openFence: undefined,
};

/** Parses a text; when it continues `previous`, only from the start of the block that was growing. */
export function parseMarkdown(source: string, previous: ParsedMarkdown = emptyMarkdown): ParsedMarkdown {
  const known = previous.text.length;
  const isContinued = continues(source, previous.text);
  // What was parsed has no such line ends, so only what is new is searched for them.
  const hasReturns = source.indexOf("\r", isContinued ? known : 0) >= 0;
  const text = hasReturns ? source.replace(/\r\n?/g, "\n") : source;
  const start = isContinued || continues(text, previous.text) ? previous : emptyMarkdown;
  if (start === previous && text.length === known) return previous;
  if (text.length > longestText) return plainMarkdown(text);
  return growOpenFence(text, start) ?? parseFrom(text, start);
}

/** As `startsWith`, which compares letter by letter: slices are compared as a block of memory. */
function continues(text: string, start: string): boolean {
  return text.length >= start.length && text.slice(0, start.length) === start;
}

function parseFrom(text: string, start: ParsedMarkdown): ParsedMarkdown {
  const tail = text.slice(start.settledOffset);
  const tokens = lex(tail);
  if (tokens === undefined) return plainMarkdown(text);
  // A link's definition may be for words that stand above it.
  if (start.settledOffset > 0 && tokens.some((token) => token.type === "def")) return parseFrom(text, emptyMarkdown);
  const settled = settledCount(tokens, tail);
  const blocks = start.blocks.slice(0, start.settledBlocks);
  let settledOffset = start.settledOffset;
  let settledBlocks = blocks.length;
  for (const [index, token] of tokens.entries()) {
    const block = toBlock(token);
    if (block !== undefined) blocks.push({ key: blocks.length, block: inOutline(block, blocks) });
    if (index < settled) {
      settledOffset += token.raw.length;
      settledBlocks = blocks.length;
    }
  }
  return { text, blocks, settledOffset, settledBlocks, openFence: openFenceOf(tokens.at(-1), text) };
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
 * complete may yet turn out to belong to it, unless a blank line stands between them.
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

function openFenceOf(token: Token | undefined, text: string): OpenFence | undefined {
  if (token?.type !== "code") return undefined;
  const opening = /^(`{3,}|~{3,})[^\n]*\n/.exec(token.raw);
  const fence = opening?.[1];
  if (opening === null || fence === undefined) return undefined;
  const lastLine = token.raw.trimEnd().split("\n").at(-1) ?? "";
  const isClosed = token.raw.trimEnd().length > opening[0].trimEnd().length && lastLine.trim().startsWith(fence);
  if (isClosed) return undefined;
  return { marker: fence.startsWith("~") ? "~" : "`", start: text.length - token.raw.length + opening[0].length };
}

/** Code that streams in is appended as it comes, so that a file of ten thousand lines costs no more per line. */
function growOpenFence(text: string, previous: ParsedMarkdown): ParsedMarkdown | undefined {
  const last = previous.blocks.at(-1);
  if (previous.openFence === undefined || last?.block.type !== "code") return undefined;
  const { marker, start } = previous.openFence;
  const lastLine = previous.text.lastIndexOf("\n") + 1;
  if (text.includes(marker, lastLine)) return undefined;
  const grown = { key: last.key, block: { ...last.block, text: withoutFinalBreaks(text.slice(start)) } };
  return { ...previous, text, blocks: [...previous.blocks.slice(0, -1), grown] };
}

function plainMarkdown(text: string): ParsedMarkdown {
  const blocks: ParsedBlock[] = [{ key: 0, block: { type: "plain", text } }];
  return { text, blocks, settledOffset: 0, settledBlocks: 0, openFence: undefined };
}
