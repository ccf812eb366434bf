import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";

export interface FoldHeadProps {
  /** Turned by a click. */
  isOpen: Signal<boolean>;
  class?: string;
  children: ComponentChildren;
}

/** The line that stays of what is folded, and opens it. */
export function FoldHead({ isOpen, class: name = "fold-head", children }: FoldHeadProps) {
  return (
    <button
      type="button"
      class={name}
      aria-expanded={isOpen.value}
      onClick={() => {
        isOpen.value = !isOpen.peek();
      }}
    >
      <Icon name={isOpen.value ? "chevron-down" : "chevron-right"} />
      {children}
    </button>
  );
}

export interface FoldProps {
  label: string;
  icon?: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

/** One line that opens to more; what is folded is not drawn. */
export function Fold({ label, icon, isOpen = false, children }: FoldProps) {
  const open = useSignal(isOpen);
  return (
    <div class="fold">
      <FoldHead isOpen={open}>
        {icon !== undefined && <Icon name={icon} />}
        <span>{label}</span>
      </FoldHead>
      {open.value && <div class="fold-body">{children}</div>}
    </div>
  );
}
