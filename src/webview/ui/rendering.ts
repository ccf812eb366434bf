import { Component, type ComponentType, type FunctionComponent, h, type VNode } from "preact";
import { useRef } from "preact/hooks";

/**
 * One node for each item, the very same as long as the item is: what is the same node is not even compared. `draw` may
 * depend on nothing but the item and what never changes.
 */
export function useStableNodes<Item extends object>(
  items: readonly Item[],
  draw: (item: Item, index: number) => VNode,
): VNode[] {
  const known = useRef<ReadonlyMap<Item, VNode>>(new Map());
  const nodes = new Map<Item, VNode>();
  for (const [index, item] of items.entries()) nodes.set(item, known.current.get(item) ?? draw(item, index));
  known.current = nodes;
  return [...nodes.values()];
}

/** Draws a component again only when one of its props is another value. */
export function memo<Props extends object>(Inner: FunctionComponent<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    static override displayName = Inner.displayName ?? Inner.name;

    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isShallowEqual(this.props, next);
    }

    override render() {
      return h(Inner, this.props);
    }
  };
}

function isShallowEqual(a: object, b: object): boolean {
  for (const key in b) if (!(key in a)) return false;
  for (const key in a) if (Reflect.get(a, key) !== Reflect.get(b, key)) return false;
  return true;
}

const firstRetryMs = 500;

/**
 * A component that is loaded when it is first shown, for what is asked for now and then. Until it is there nothing is
 * drawn; loaded once, it is drawn at once. Where it can't be loaded, that is tried again as long as it is shown, ever less
 * often: what is shown all the time, like the questions to the user, would never come otherwise.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return class extends Component<Props> {
    static override displayName = "Lazily";
    #isGone = false;

    override componentDidMount() {
      if (loaded === undefined) this.#load(firstRetryMs);
    }

    override componentWillUnmount() {
      this.#isGone = true;
    }

    override render() {
      return loaded === undefined ? null : h(loaded, this.props);
    }

    #load(retryMs: number): void {
      load().then(
        (component) => this.#show(component),
        (error: unknown) => {
          reportError(error);
          setTimeout(() => this.#isGone || this.#load(2 * retryMs), retryMs);
        },
      );
    }

    #show(component: ComponentType<Props>): void {
      loaded = component;
      if (!this.#isGone) this.setState({});
    }
  };
}

/** A list in pieces of `size`; a piece with the same items as before keeps its identity. */
export function chunksOf<Item>(
  items: readonly Item[],
  size: number,
  previous: readonly (readonly Item[])[],
): (readonly Item[])[] {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += size) {
    const end = Math.min(start + size, items.length);
    const before = previous[chunks.length];
    const isSame = before?.length === end - start && before.every((item, index) => item === items[start + index]);
    chunks.push(isSame ? before : items.slice(start, end));
  }
  return chunks;
}
