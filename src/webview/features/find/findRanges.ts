import { occurrences } from "./occurrences.ts";

/** What is read out only, or only names an icon, is not there to be found. */
const unsearched = ".hidden-words, [aria-hidden=true], button.icon-button, .message-actions";
/** Words of one of these go on in the next text node; anything else ends a line. */
const inline = new Set(["A", "B", "BUTTON", "CODE", "DEL", "EM", "I", "SPAN", "STRONG"]);
const mostFound = 2_000;

/** Where the drawn messages hold a query, from top to bottom. Words may be partly bold, code or a link. */
export function findRanges(root: Element, query: string): Range[] {
  if (query === "") return [];
  const ranges: Range[] = [];
  for (const message of root.querySelectorAll("article")) {
    if (ranges.length >= mostFound) break;
    const nodes = textNodesOf(message);
    let text = "";
    for (const place of nodes) {
      if (place.startsLine) text += "\n";
      place.start = text.length;
      text += place.node.data;
    }
    let at = 0;
    for (const { start, end } of occurrences(text, query, mostFound - ranges.length)) {
      while (at + 1 < nodes.length && (nodes[at + 1]?.start ?? 0) <= start) at++;
      const range = rangeOf(nodes, at, start, end);
      if (range !== undefined) ranges.push(range);
    }
  }
  return ranges;
}

interface Place {
  node: Text;
  startsLine: boolean;
  start: number;
}

function textNodesOf(message: Element): Place[] {
  const places: Place[] = [];
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
  let line: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null || parent.closest(unsearched) !== null) continue;
    const block = blockOf(parent);
    places.push({ node, startsLine: block !== line, start: 0 });
    line = block;
  }
  return places;
}

function blockOf(element: Element): Element {
  let block = element;
  while (inline.has(block.tagName) && block.parentElement !== null) block = block.parentElement;
  return block;
}

function rangeOf(nodes: readonly Place[], first: number, start: number, end: number): Range | undefined {
  const from = nodes[first];
  let last = first;
  while (last + 1 < nodes.length && (nodes[last + 1]?.start ?? 0) < end) last++;
  const to = nodes[last];
  if (from === undefined || to === undefined) return undefined;
  const range = document.createRange();
  range.setStart(from.node, Math.min(start - from.start, from.node.length));
  range.setEnd(to.node, Math.min(end - to.start, to.node.length));
  return range;
}
