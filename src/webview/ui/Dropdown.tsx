import type { Dropdown as Element } from "@vscode/webview-ui-toolkit";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface DropdownProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange(value: string): void;
}

/** A choice of one; opens upwards, since it stands at the bottom of the panel. */
export function Dropdown({ label, value, options, onChange }: DropdownProps) {
  const element = useRef<Element>(null);
  useLayoutEffect(() => {
    // Also after a choice that the host did not take over.
    if (element.current !== null && element.current.value !== value) element.current.value = value;
  });
  return (
    <vscode-dropdown
      ref={element}
      class="dropdown"
      position="above"
      aria-label={label}
      title={options.find((option) => option.value === value)?.label ?? label}
      onChange={() => onChange(element.current?.value ?? value)}
    >
      {options.map((option) => (
        <vscode-option key={option.value} value={option.value} selected={option.value === value}>
          {option.label}
        </vscode-option>
      ))}
    </vscode-dropdown>
  );
}
