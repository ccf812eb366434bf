import { Component, type ComponentType, h } from "preact";

/**
 * A component that is loaded when it is first shown, for what is asked for now and then. Until it is there nothing is
 * drawn; loaded once, it is drawn at once. Where it can't be loaded, the next time it is shown tries again.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return class extends Component<Props> {
    static override displayName = "Lazily";
    #isGone = false;

    override componentDidMount() {
      if (loaded === undefined) void load().then((component) => this.#show(component), reportError);
    }

    override componentWillUnmount() {
      this.#isGone = true;
    }

    override render() {
      return loaded === undefined ? null : h(loaded, this.props);
    }

    #show(component: ComponentType<Props>): void {
      loaded = component;
      if (!this.#isGone) this.setState({});
    }
  };
}
