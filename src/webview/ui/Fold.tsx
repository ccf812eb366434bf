import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { FoldHead } from "./FoldHead.tsx";
import { Icon } from "./Icon.tsx";

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
