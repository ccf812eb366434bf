import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";

export interface ButtonProps {
  appearance?: "primary" | "secondary";
  title?: string;
  class?: string;
  /** It does nothing for a moment; it looks the same and keeps the focus. */
  isUnavailable?: boolean;
  children: ComponentChildren;
  onClick(): void;
}

/** A button with a text, which is its name. */
export function Button({ appearance = "secondary", isUnavailable = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <vscode-button appearance={appearance} aria-disabled={isUnavailable || undefined} onClick={onClick} {...rest}>
      {children}
    </vscode-button>
  );
}

export interface IconButtonProps {
  icon: string;
  /** The accessible name; also shown as the tooltip. */
  label: string;
  /** A longer tooltip, as with the key that does the same. */
  title?: string;
  class?: string;
  /** Out of the tab order: reached by the arrow keys of what it is in. */
  isSkipped?: boolean;
  isDisabled?: boolean;
  /** It does nothing for a moment; it looks the same and keeps the focus. */
  isUnavailable?: boolean;
  /** Of a button that opens and closes something. */
  isExpanded?: boolean;
  onClick(event: MouseEvent): void;
}

/**
 * A plain element, and its icon by a plain call: messages, code blocks and agents have hundreds of these, each of which would
 * be a shadow tree, and a component more.
 */
export function IconButton(props: IconButtonProps) {
  return (
    <button
      type="button"
      class={props.class === undefined ? "icon-button" : `icon-button ${props.class}`}
      aria-label={props.label}
      title={props.title ?? props.label}
      tabIndex={props.isSkipped === true ? -1 : 0}
      aria-expanded={props.isExpanded}
      aria-disabled={props.isUnavailable || undefined}
      disabled={props.isDisabled === true}
      onClick={props.onClick}
    >
      {Icon({ name: props.icon })}
    </button>
  );
}

export interface LinkButtonProps {
  title?: string;
  children: ComponentChildren;
  onClick(): void;
}

/**
 * A link that only the host opens. It is no anchor with an address: the editor's own page would follow that without
 * asking the host, and a browser may look its name up in advance.
 */
export function LinkButton({ title, children, onClick }: LinkButtonProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    <button type="button" role="link" class="link" title={title} onClick={onClick}>
      {children}
    </button>
  );
}
