import { Component, type ComponentType, type FunctionComponent } from "preact";

/** Draws a component again only when one of its props is another value. */
export function memo<Props extends object>(Inner: FunctionComponent<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    static override displayName = Inner.displayName ?? Inner.name;

    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isShallowEqual(this.props, next);
    }

    override render() {
      return <Inner {...this.props} />;
    }
  };
}

function isShallowEqual(a: object, b: object): boolean {
  const before = Object.entries(a);
  const after: Record<string, unknown> = { ...b };
  return before.length === Object.keys(after).length && before.every(([key, value]) => Object.is(value, after[key]));
}
