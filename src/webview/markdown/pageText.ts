import type { RefObject } from "preact";

/**
 * The last text on the page below an element. Words go straight to its end, past the drawing of components; before
 * these are drawn again it is put back to what they know.
 */
export interface PageText {
  /** False when the page does not end as expected: nothing was appended then. */
  append(words: { ending: string; added: string }): boolean;
  restore(): void;
}

export function createPageText(root: RefObject<Element | null>): PageText {
  let node: Text | undefined;
  let drawnLength = 0;
  return {
    append({ ending, added }) {
      const last = node ?? lastText(root.current);
      if (last === undefined || last.length < ending.length) return false;
      if (last.substringData(last.length - ending.length, ending.length) !== ending) return false;
      if (node === undefined) {
        node = last;
        drawnLength = last.length;
      }
      if (added !== "") last.appendData(added);
      return true;
    },
    restore() {
      if (node === undefined) return;
      node.deleteData(drawnLength, node.length - drawnLength);
      node = undefined;
    },
  };
}

function lastText(root: Node | null): Text | undefined {
  let node = root;
  while (node !== null && !(node instanceof Text)) node = node.lastChild;
  return node ?? undefined;
}
