import type { VNode } from "preact";
import { useRef } from "preact/hooks";

/**
 * One node for each item, the very same as long as the item is: what is the same node is not even compared. `draw` may
 * depend on nothing but the item and what never changes.
 */
export function useKept<Item extends object>(
  items: readonly Item[],
  draw: (item: Item, index: number) => VNode,
): VNode[] {
  const kept = useRef<ReadonlyMap<Item, VNode>>(new Map());
  const nodes = new Map<Item, VNode>();
  for (const [index, item] of items.entries()) nodes.set(item, kept.current.get(item) ?? draw(item, index));
  kept.current = nodes;
  return [...nodes.values()];
}
