import type { ComponentChildren } from "preact";

export interface ButtonProps {
  appearance?: "primary" | "secondary";
  title?: string;
  class?: string;
  children: ComponentChildren;
  onClick(): void;
}

/** A button with words on it, which are its name. */
export function Button({ appearance = "secondary", children, onClick, ...rest }: ButtonProps) {
  return (
    <vscode-button appearance={appearance} onClick={onClick} {...rest}>
      {children}
    </vscode-button>
  );
}
