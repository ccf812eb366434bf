import { withoutFinalBreaks } from "./convert.ts";
import {
  maxInlineLength,
  maxTextLength,
  type OpenFence,
  type ParsedMarkdown,
  parseMarkdown,
  parseOn,
} from "./parse.ts";
import type { Block, Inline, ListItem } from "./structure.ts";

/** A text after some more of it came. */
export interface AppendedMarkdown {
  parsed: ParsedMarkdown;
  /** Set when all that changes is that the last shown text, which ends with `ending`, goes on with `added`. */
  appended?: { ending: string; added: string };
}

/**
 * A text that goes on with `more`. Most of what streams in is words that cannot change what precedes them, so
 * they are only appended; the last block is taken apart again when a mark appears.
 */
export function appendMarkdown(text: string, more: string, previous: ParsedMarkdown): AppendedMarkdown {
  const isNext = previous.text.length + more.length === text.length && !more.includes("\r");
  if (!isNext) return { parsed: parseMarkdown(text, previous) };
  const { openFence } = previous;
  const appended =
    text.length > maxTextLength
      ? undefined
      : openFence === undefined
        ? appendWords(text, more, previous)
        : appendCode(text, more, previous, openFence);
  return appended ?? { parsed: parseOn(text, more, previous) };
}

const maxEndingLength = 24;

/** Code is appended as it comes until a line begins as the closing one may. */
function appendCode(
  text: string,
  more: string,
  previous: ParsedMarkdown,
  fence: OpenFence,
): AppendedMarkdown | undefined {
  const lines = fence.line + more;
  if ((fence.marker === "`" ? /^ {0,3}`/m : /^ {0,3}~/m).test(lines)) return undefined;
  const last = previous.blocks.at(-1);
  if (last?.block.type !== "code") return undefined;
  const held = fence.breaks + more;
  const added = withoutFinalBreaks(held);
  const openFence = {
    marker: fence.marker,
    line: lines.slice(lines.lastIndexOf("\n") + 1),
    breaks: held.slice(added.length),
  };
  const tail = previous.tail + more;
  if (added === "") return { parsed: { ...previous, text, tail, openFence }, appended: { ending: "", added } };
  const code = last.block.text;
  const blocks = previous.blocks.with(-1, { key: last.key, block: { ...last.block, text: code + added } });
  const parsed = { ...previous, text, blocks, tail, openFence };
  // With the first line the block gets the element that grows.
  if (code === "") return { parsed };
  return { parsed, appended: { ending: fence.line.slice(-maxEndingLength), added } };
}

/** What can begin or end emphasis, code, links, entities, HTML or tables, or make an address of the words around it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks, tabs and what is never typed end a word as well.
const marks = /[@/<>&*_`~[\]\\|#\u0000-\u001f]/;
/** A word that more letters may make something of: an address, or one whose last mark looks at what follows it. */
const openWord = /[@:/]|[<>&*_`~[\]\\|#]$/;
/** An address begins so, without a mark, and may go on behind one that was none of it so far. */
const address = /www|:\/\/|@/i;
/** A line that makes a heading of those above it; with a word after it, it makes none. */
const underline = /^[\s>]*(?:=+|-+) *$/;

/** Words in the middle of a line of text; undefined when they may be more than that. */
function appendWords(text: string, more: string, previous: ParsedMarkdown): AppendedMarkdown | undefined {
  const last = previous.blocks.at(-1);
  if (last === undefined || previous.blocks.length === previous.settledBlocks) return undefined;
  const leaf = lastLeaf(last.block);
  if (leaf === undefined) return undefined;
  const line = leaf.text.slice(leaf.text.lastIndexOf("\n") + 1);
  // A line that begins otherwise may yet become a list, a rule, or a heading's underline.
  if (!leaf.isWithinLine && !/^ *\p{L}/u.test(line)) return undefined;
  // The heading may end with the same characters.
  const source = previous.tail.slice(previous.tail.lastIndexOf("\n") + 1);
  if (underline.test(source)) return undefined;
  const word = line.slice(line.lastIndexOf(" ") + 1);
  const spaces = spacesAtEnd(previous.tail);
  const isWhole = previous.tail.endsWith(line, previous.tail.length - spaces.length);
  if (!isWhole || marks.test(more) || openWord.test(word)) return undefined;
  if (address.test(source.slice(source.lastIndexOf(" ") + 1) + more)) return undefined;
  // It would end a character's name, or an address with its title, that began some words ago.
  if (more.includes(";") && word.includes("&")) return undefined;
  if (more.includes(")") && leaf.text.includes("[")) return undefined;
  const tail = previous.tail + more;
  // At this length the lexer leaves the text alone.
  if (tail.length > maxInlineLength && previous.tail.length <= maxInlineLength) return undefined;
  const held = spaces + more;
  const added = held.slice(0, held.length - spacesAtEnd(held).length);
  const ending = word.slice(-maxEndingLength);
  if (added === "") return { parsed: { ...previous, text, tail }, appended: { ending, added } };
  const blocks = previous.blocks.with(-1, { key: last.key, block: appendToLeaf(last.block, added) });
  return { parsed: { ...previous, text, blocks, tail }, appended: { ending, added } };
}

/** They are not shown until a word follows. */
function spacesAtEnd(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === " ") end--;
  return text.slice(end);
}

/** The text that a block ends with. */
interface Leaf {
  text: string;
  /** Its last line has something else before it: emphasis, code, a link. */
  isWithinLine: boolean;
}

/** Undefined for a block that ends with something else than text. */
function lastLeaf(block: Block | undefined): Leaf | undefined {
  switch (block?.type) {
    case "paragraph":
    case "heading": {
      const last = block.children.at(-1);
      const before = block.children.at(-2);
      if (last?.type !== "text") return undefined;
      const isWithinLine = before !== undefined && before.type !== "break" && !last.text.includes("\n");
      return { text: last.text, isWithinLine };
    }
    case "quote":
      return lastLeaf(block.blocks.at(-1));
    case "list":
      return lastLeaf(block.items.at(-1)?.blocks.at(-1));
    default:
      return undefined;
  }
}

/** The block with more text at its end. What does not change keeps its identity. */
function appendToLeaf(block: Block, added: string): Block {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return { ...block, children: withLast(block.children, (inline) => appendToInline(inline, added)) };
    case "quote":
      return { ...block, blocks: withLast(block.blocks, (last) => appendToLeaf(last, added)) };
    case "list":
      return { ...block, items: withLast(block.items, (item) => appendToItem(item, added)) };
    default:
      return block;
  }
}

function appendToItem(item: ListItem, added: string): ListItem {
  return { ...item, blocks: withLast(item.blocks, (last) => appendToLeaf(last, added)) };
}

function appendToInline(inline: Inline, added: string): Inline {
  return inline.type === "text" ? { type: "text", text: inline.text + added } : inline;
}

function withLast<Item>(items: Item[], change: (last: Item) => Item): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? change(item) : item));
}
