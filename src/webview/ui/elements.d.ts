import type { Button, Dropdown, Option, TextArea, TextField } from "@vscode/webview-ui-toolkit";
import type { HTMLAttributes } from "preact";

/** An element of the toolkit: what any element takes, and those of its own properties that we set. */
type Of<Element extends HTMLElement, Property extends keyof Element = never> = Omit<HTMLAttributes<Element>, Property> &
  Partial<Pick<Element, Property>>;

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "vscode-button": Of<Button, "appearance" | "disabled">;
      "vscode-dropdown": Of<Dropdown>;
      "vscode-option": Of<Option, "selected" | "value">;
      "vscode-text-area": Of<TextArea, "placeholder" | "rows" | "value">;
      "vscode-text-field": Of<TextField, "placeholder" | "value">;
    }
  }
}
