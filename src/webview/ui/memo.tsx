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
  for (const key in b) if (!(key in a)) return false;
  for (const key in a) if (Reflect.get(a, key) !== Reflect.get(b, key)) return false;
  return true;
}
