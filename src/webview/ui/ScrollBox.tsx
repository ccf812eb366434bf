import type { ComponentChildren } from "preact";

/** A box that scrolls its own content; it takes the focus so that the arrow keys scroll. */
export function ScrollBox({ class: name, children }: { class: string; children: ComponentChildren }) {
  return (
    <div
      class={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      {children}
    </div>
  );
}
