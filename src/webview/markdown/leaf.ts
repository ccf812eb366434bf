import type { Block, Inline, ListItem } from "./structure.ts";

/** The text that a block ends with. */
export interface Leaf {
  text: string;
  /** Its last line has something else before it: emphasis, code, a link. */
  isWithinLine: boolean;
}

/** Undefined for a block that ends with something else than words. */
export function lastLeaf(block: Block | undefined): Leaf | undefined {
  switch (block?.type) {
    case "paragraph":
    case "heading": {
      const last = block.children.at(-1);
      const before = block.children.at(-2);
      if (last?.type !== "text") return undefined;
      // It may yet belong to the address before it.
      if (before?.type === "link" && !/\s/.test(last.text)) return undefined;
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

/** The block with more words at the end of that text. What does not change keeps its identity. */
export function growLeaf(block: Block, added: string): Block {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return { ...block, children: withLast(block.children, (inline) => growInline(inline, added)) };
    case "quote":
      return { ...block, blocks: withLast(block.blocks, (last) => growLeaf(last, added)) };
    case "list":
      return { ...block, items: withLast(block.items, (item) => growItem(item, added)) };
    default:
      return block;
  }
}

function growItem(item: ListItem, added: string): ListItem {
  return { ...item, blocks: withLast(item.blocks, (last) => growLeaf(last, added)) };
}

function growInline(inline: Inline, added: string): Inline {
  return inline.type === "text" ? { type: "text", text: inline.text + added } : inline;
}

function withLast<Item>(items: Item[], change: (last: Item) => Item): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? change(item) : item));
}
