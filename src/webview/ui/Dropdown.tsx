import { type Dropdown as Element, provideVSCodeDesignSystem } from "@vscode/webview-ui-toolkit";
import { vsCodeDropdown } from "@vscode/webview-ui-toolkit/dist/dropdown/index.js";
import { vsCodeOption } from "@vscode/webview-ui-toolkit/dist/option/index.js";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./Icon.tsx";

// With the pickers, which are drawn after the first picture; the theme was read before.
provideVSCodeDesignSystem().register(vsCodeDropdown(), vsCodeOption());

interface DropdownOption {
  value: string;
  label: string;
  /** Below the label in the open list. */
  hint?: string;
  /** Something to do and no choice: what was chosen stays so. */
  isAction?: true;
}

export interface DropdownProps {
  label: string;
  value: string;
  options: readonly DropdownOption[];
  /** Shown before the choice, or for it where it is tight. */
  icon?: string;
  class?: string;
  /** Default: the choice. */
  title?: string;
  onChange(value: string): void;
}

/** A choice of one. It opens to the side where there is more room, which it finds out itself when it is opened. */
export function Dropdown({ label, value, options, icon, title, class: extra, onChange }: DropdownProps) {
  const element = useRef<Element>(null);
  const wanted = useRef(value);
  wanted.current = value;
  const choose = useRef(() => {
    if (element.current !== null && element.current.value !== wanted.current) element.current.value = wanted.current;
  });
  // Also after a choice that the host did not take over.
  useLayoutEffect(() => choose.current());
  useLayoutEffect(() => {
    const { current: restore } = choose;
    const root = element.current?.shadowRoot;
    // With other options the element stays at the position in the list, not at the choice.
    root?.addEventListener("slotchange", restore);
    return () => root?.removeEventListener("slotchange", restore);
  }, []);

  function onPick(): void {
    const picked = element.current?.value ?? value;
    if (options.find((option) => option.value === picked)?.isAction === true) choose.current();
    onChange(picked);
  }

  return (
    <vscode-dropdown
      ref={element}
      class={extra === undefined ? "dropdown" : `dropdown ${extra}`}
      aria-label={label}
      title={title ?? options.find((option) => option.value === value)?.label ?? label}
      onChange={onPick}
    >
      {icon !== undefined && <Icon name={icon} slot="start" />}
      {options.map((option) => (
        <vscode-option
          key={option.value}
          value={option.value}
          selected={option.value === value}
          // A part of the text would be shown as the choice, too.
          {...(option.hint !== undefined && {
            "data-hint": option.hint,
            "aria-label": option.label,
            "aria-description": option.hint,
          })}
        >
          {option.label}
        </vscode-option>
      ))}
    </vscode-dropdown>
  );
}
