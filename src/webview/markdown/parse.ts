import type { Token } from "marked";
import { toBlock } from "./convert.ts";
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
  readonly openFence: string | undefined;
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
  const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  if (text === previous.text) return previous;
  if (text.length > longestText) return plainMarkdown(text);
  const start = text.startsWith(previous.text) ? previous : emptyMarkdown;
  return growOpenFence(text, start) ?? parseFrom(text, start);
}

function parseFrom(text: string, start: ParsedMarkdown): ParsedMarkdown {
  const tokens = lex(text.slice(start.settledOffset));
  if (tokens === undefined) return plainMarkdown(text);
  // A link's definition may be for words that stand above it.
  if (start.settledOffset > 0 && tokens.some((token) => token.type === "def")) return parseFrom(text, emptyMarkdown);
  const settled = settledCount(tokens);
  const blocks = start.blocks.slice(0, start.settledBlocks);
  let settledOffset = start.settledOffset;
  let settledBlocks = blocks.length;
  for (const [index, token] of tokens.entries()) {
    const block = toBlock(token);
    if (block !== undefined) blocks.push({ key: blocks.length, block });
    if (index < settled) {
      settledOffset += token.raw.length;
      settledBlocks = blocks.length;
    }
  }
  return { text, blocks, settledOffset, settledBlocks, openFence: openFenceOf(tokens.at(-1)) };
}

/** All but the last token that shows something: later text may still join that one, even across blank lines. */
function settledCount(tokens: readonly Token[]): number {
  return Math.max(
    0,
    tokens.findLastIndex((token) => token.type !== "space"),
  );
}

function openFenceOf(token: Token | undefined): string | undefined {
  if (token?.type !== "code") return undefined;
  const fence = /^(`{3,}|~{3,})[^\n]*\n/.exec(token.raw)?.[1];
  if (fence === undefined || token.raw.trimEnd().split("\n").at(-1)?.trim().startsWith(fence) === true)
    return undefined;
  return fence;
}

/** Code that streams in is appended as it comes, so that a file of ten thousand lines costs no more per line. */
function growOpenFence(text: string, previous: ParsedMarkdown): ParsedMarkdown | undefined {
  const last = previous.blocks.at(-1);
  if (previous.openFence === undefined || last?.block.type !== "code") return undefined;
  const lineStart = previous.text.lastIndexOf("\n") + 1;
  const marker = previous.openFence.charAt(0);
  if (text.includes(marker, lineStart)) return undefined;
  const body = text.slice(previous.settledOffset);
  const code = body.slice(body.indexOf("\n") + 1);
  const grown = { key: last.key, block: { ...last.block, text: code.replace(/\n$/, "") } };
  return { ...previous, text, blocks: [...previous.blocks.slice(0, -1), grown] };
}

function plainMarkdown(text: string): ParsedMarkdown {
  const blocks: ParsedBlock[] = [{ key: 0, block: { type: "plain", text } }];
  return { text, blocks, settledOffset: 0, settledBlocks: 0, openFence: undefined };
}
