import type { ComponentChildren } from "preact";

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
