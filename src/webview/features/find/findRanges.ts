/** What is read out only, or only names an icon, is not there to be found. */
const unsearched = ".hidden-words, [aria-hidden=true], button.icon-button, .message-actions";
/** Words of one of these go on in the next text node; anything else ends a line. */
const inline = new Set(["A", "B", "BUTTON", "CODE", "DEL", "EM", "I", "SPAN", "STRONG"]);
const maxFound = 2_000;

/** Where the drawn messages hold a query, from top to bottom. Words may be partly bold, code or a link. */
export function findRanges(root: Element, query: string): Range[] {
  if (query === "") return [];
  const ranges: Range[] = [];
  for (const message of root.querySelectorAll("article")) {
    if (ranges.length >= maxFound) break;
    const nodes = textNodesOf(message);
    let text = "";
    for (const piece of nodes) {
      if (piece.startsLine) text += "\n";
      piece.start = text.length;
      text += piece.node.data;
    }
    let at = 0;
    for (const { start, end } of occurrences(text, query, maxFound - ranges.length)) {
      while (at + 1 < nodes.length && (nodes[at + 1]?.start ?? 0) <= start) at++;
      const range = rangeOf(nodes, at, start, end);
      if (range !== undefined) ranges.push(range);
    }
  }
  return ranges;
}

interface TextPiece {
  node: Text;
  startsLine: boolean;
  start: number;
}

function textNodesOf(message: Element): TextPiece[] {
  const pieces: TextPiece[] = [];
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
  let line: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null || parent.closest(unsearched) !== null) continue;
    const block = blockOf(parent);
    pieces.push({ node, startsLine: block !== line, start: 0 });
    line = block;
  }
  return pieces;
}

function blockOf(element: Element): Element {
  let block = element;
  while (inline.has(block.tagName) && block.parentElement !== null) block = block.parentElement;
  return block;
}

function rangeOf(nodes: readonly TextPiece[], first: number, start: number, end: number): Range | undefined {
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

/** Where a text holds a query, in any case of letters; from left to right, none over another. */
export function occurrences(text: string, query: string, max: number): { start: number; end: number }[] {
  if (query === "") return [];
  // Not by lower case: that changes the length of some texts.
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
  const found: { start: number; end: number }[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length === max) break;
    found.push({ start: match.index, end: match.index + match[0].length });
  }
  return found;
}

const allFound = "arbor-found";
const currentFound = "arbor-found-current";

/** Marks what was found without touching the page: ranges are painted, no element is added. */
export function markFound(ranges: readonly Range[], current: Range | undefined): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.set(allFound, new Highlight(...ranges.filter((range) => range !== current)));
  CSS.highlights.set(currentFound, new Highlight(...(current === undefined ? [] : [current])));
}

export function unmarkFound(): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete(allFound);
  CSS.highlights.delete(currentFound);
}
